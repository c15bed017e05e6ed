'use client';

import { type ReactNode, useState } from 'react';
import type { HealthReply, ModelsReply } from '#lib/api/replies.ts';
import { remembered } from '#lib/browser/prefs/remembered.ts';
import {
  canRun,
  isListed,
  modelsRefresh,
  noModelsWords,
  preferredModel,
  RECOMMENDED_MODELS,
  sortedModels,
} from '#lib/browser/state/models.ts';
import { formatBytes, plural } from '#lib/browser/words/format.ts';
import { useApi } from '../hooks/use-api.ts';
import { Problem } from '../shell/problem.tsx';
import { Badge } from '../ui/badge.tsx';
import { Command } from '../ui/command.tsx';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { SignedInBrowsers } from './signed-in-browsers.tsx';
import { StandingApprovals } from './standing-approvals.tsx';

const STORE_NAMES: Readonly<Record<string, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** The state of all dependencies, with fixes for problems (D11). */
export function HealthPage() {
  const models = useApi<ModelsReply>('/api/models', modelsRefresh(15_000));
  const [chosen, setChosen] = useState<string>();
  const model = chosen ?? (models.data ? preferredModel(models.data.models, remembered('model')) : '');
  const hasNoModel = models.data ? !model : models.error !== undefined;
  const { data, error, reload } = useApi<HealthReply>(
    model ? `/api/health?model=${encodeURIComponent(model)}` : '/api/health',
    5000,
  );
  // The row of the model would grow later. While Ollama does not answer, its state is shown without the model.
  const isRead =
    data !== undefined && (data.model !== undefined || data.ollama.unknown === true || hasNoModel);
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <div className="flex flex-wrap items-baseline gap-x-4">
        <h1 className="text-xl font-semibold tracking-[-0.015em]">Health</h1>
        {data && <span className="font-mono text-xs text-ink-3">Loupe {data.version}</span>}
      </div>
      <div className="mt-6">
        {error && !data && <Problem error={error} onRetry={reload} />}
        {isRead && (
          <dl className="divide-y border-y">
            <Item name="Ollama" ok={data.ollama.ok} unknown={data.ollama.unknown}>
              {!data.ollama.error?.message.includes(data.ollama.url) && (
                <p>
                  {data.ollama.ok
                    ? `Running${data.ollama.version ? `, version ${data.ollama.version}` : ''}, at `
                    : 'Checked at '}
                  <code className="wrap-anywhere">{data.ollama.url}</code>
                </p>
              )}
              <Trouble error={data.ollama.error} />
              {!data.ollama.ok && !data.ollama.unknown && <Command text="ollama serve" />}
            </Item>
            <Item name="Model" ok={data.model?.ok ?? false} unknown={!data.model || data.model.unknown}>
              {models.data && models.data.models.length > 0 ? (
                <label className="flex flex-wrap items-center gap-2">
                  <span className="sr-only">Model to check</span>
                  <select
                    className="field h-8 w-auto max-w-full py-0 font-mono text-sm"
                    value={model}
                    onChange={(event) => setChosen(event.target.value)}
                  >
                    {sortedModels(models.data.models.filter(canRun)).map((each) => (
                      <option key={each.name} value={each.name}>
                        {each.name}
                      </option>
                    ))}
                  </select>
                  {data.model?.capabilities?.map((capability) => (
                    <Badge key={capability}>{capability}</Badge>
                  ))}
                </label>
              ) : !isListed(models.data) ? (
                <p>{noModelsWords(undefined)}</p>
              ) : (
                <>
                  <p>No model is installed yet. One that calls tools well:</p>
                  <Command text={`ollama pull ${RECOMMENDED_MODELS[1]?.name}`} />
                </>
              )}
              <Trouble error={data.model?.error} />
            </Item>
            <Item name="Confinement" ok={data.sandbox.available && !data.sandbox.unconfined}>
              <p>
                {data.sandbox.unconfined
                  ? 'Confinement is switched off (LOUPE_UNCONFINED=1): you approve each command.'
                  : data.sandbox.available
                    ? `Commands run in ${data.sandbox.kind}.`
                    : 'Commands cannot be confined, so run_command is not offered to models.'}
              </p>
              {data.sandbox.reason && (
                <p className="foreign text-warn">
                  <ForeignText text={data.sandbox.reason} />
                </p>
              )}
              {data.sandbox.hint && (
                <p className="foreign text-ink-2">
                  <ForeignText text={data.sandbox.hint} />
                </p>
              )}
              {data.sandbox.protections.length > 0 && (
                <ul className="mt-2 grid gap-x-6 gap-y-0.5 sm:grid-cols-2">
                  {data.sandbox.protections.map((protection) => (
                    <li key={protection.name} className="grid grid-cols-[6rem_minmax(0,1fr)] text-sm">
                      <span className={cx('font-medium', protection.holds ? 'text-ok' : 'text-warn')}>
                        {protection.holds ? 'enforced' : 'not enforced'}
                      </span>
                      <span className="wrap-break-word text-ink-2">
                        {protection.name.replaceAll('-', ' ').replace('cpu', 'CPU')}
                        {!protection.holds && protection.detail && (
                          <span className="text-ink-3">: {protection.detail}</span>
                        )}
                      </span>
                    </li>
                  ))}
                </ul>
              )}
            </Item>
            <Item name="Store" ok={data.store.ok}>
              <p className="foreign">
                {STORE_NAMES[data.store.kind] ?? data.store.kind}
                {data.store.path && (
                  <>
                    {' '}
                    at <code>{data.store.path}</code>
                  </>
                )}
                {data.store.free_bytes !== undefined && `, ${formatBytes(data.store.free_bytes)} free`}
              </p>
              <Trouble error={data.store.read_only} />
            </Item>
            <Item name="Runs" ok>
              <p>
                {/* Not "active", as the list calls every run that has not ended. */}
                {plural(data.runs.active, 'run')} using a model server, {data.runs.queued} queued
              </p>
            </Item>
            <Item name="Demo" ok={data.demo.available} unknown={!data.demo.available}>
              <p className="foreign">
                {data.demo.available
                  ? `Offered: ${data.demo.models.join(', ')}`
                  : 'Not needed: a real model is installed, or the demo is switched off.'}
              </p>
            </Item>
          </dl>
        )}
        {/* Read at once, but not shown before the state, which would push them down. */}
        <div hidden={!isRead && !error}>
          <StandingApprovals />
          <SignedInBrowsers />
        </div>
      </div>
    </main>
  );
}

function Item({
  name,
  ok,
  unknown = false,
  children,
}: {
  name: string;
  ok: boolean;
  unknown?: boolean;
  children: ReactNode;
}) {
  const [dot, words] = unknown
    ? ['bg-line-strong', 'unknown']
    : ok
      ? ['bg-ok', 'good']
      : ['bg-fail', 'needs attention'];
  return (
    <div className="grid gap-x-6 gap-y-1 py-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
      <dt className="flex items-center gap-2 self-start font-semibold">
        <span className={cx('size-2 rounded-full', dot)} aria-hidden="true" />
        {name}
        <span className="sr-only">: {words}</span>
      </dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

function Trouble({ error }: { error: { message: string; hint?: string } | undefined }) {
  if (!error) return null;
  return (
    <>
      <p className="foreign text-fail">
        <ForeignText text={error.message} />
      </p>
      {error.hint && (
        <p className="foreign text-ink-2">
          <ForeignText text={error.hint} />
        </p>
      )}
    </>
  );
}

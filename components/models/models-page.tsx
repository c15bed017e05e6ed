'use client';

import { useEffect } from 'react';
import type { InstalledModel, ModelsReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import {
  demoWords,
  modelsRefresh,
  RECOMMENDED_MODELS,
  sortedModels,
  whyNotOffered,
} from '#lib/browser/state/models.ts';
import { formatBytes, formatClock, formatCount, formatPercent, plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { useAddressQuery } from '../hooks/use-address-query.ts';
import { useApi, useReload } from '../hooks/use-api.ts';
import { useHealth } from '../hooks/use-health.ts';
import { useLoaded } from '../hooks/use-loaded.ts';
import { useNow } from '../hooks/use-now.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Problem } from '../shell/problem.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { GetModels } from './get-models.tsx';
import { CheckControls, CheckState } from './model-check.tsx';
import { Capabilities } from './model-picker.tsx';
import { PriceEditor } from './price-editor.tsx';
import { ReadingTable, readModels } from './reading-table.tsx';
import { type Checking, useCheck } from './use-check.ts';

const loadPlots = () => import('./model-plots.tsx');

/** The installed models, their capabilities and memory use. */
export function ModelsPage() {
  const { data, error, reload } = useApi<ModelsReply>('/api/models', modelsRefresh(5000));
  const health = useHealth();
  const models = sortedModels(data?.models ?? []);
  const real = models.filter((model) => !model.demo);
  const demo = models.filter((model) => model.demo);
  const checking = useCheck();
  const [query, changeQuery] = useAddressQuery();
  const shown = query.get('check');
  const { opened, open: load } = useLoaded(loadPlots);
  const listed = data !== undefined;
  useEffect(() => {
    if (listed) load(() => true);
  }, [listed, load]);
  const missing = RECOMMENDED_MODELS.filter(
    (each) => !real.some((model) => model.name.startsWith(each.name)),
  );
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">Models</h1>
      <p className="mt-1 text-ink-2">
        {data?.ollama === 'unknown'
          ? `Ollama is not responding.${real.length > 0 ? ' This is its last known list.' : ''}`
          : health.data?.ollama.ok === false
            ? "Ollama's models appear here as soon as it answers."
            : `Installed in Ollama${health.data ? ` at ${health.data.ollama.url}` : ''}. An agent needs a model that calls tools.`}
      </p>
      <div className="mt-6">
        {!data && !error && <p className="text-ink-3">Loading…</p>}
        {error && !data && <Problem error={error} onRetry={reload} />}
        {health.data?.ollama.error && <ErrorNote error={health.data.ollama.error} />}
        {real.length > 0 && (
          <ul className="mt-2 divide-y border-y">
            {real.map((model) => (
              <ModelLine
                key={model.name}
                model={model}
                checking={checking}
                open={shown === model.name}
                onToggle={() =>
                  changeQuery(new URLSearchParams(shown === model.name ? {} : { check: model.name }))
                }
              />
            ))}
          </ul>
        )}
        {data?.partial && <p className="mt-2 text-sm text-warn">{partialWords(data.partial)}</p>}
        {data && real.length === 0 && health.data?.ollama.ok && (
          <p className="text-ink-3">No model is installed yet.</p>
        )}
      </div>
      {readModels(models).length > 0 && (
        <section className="mt-10" aria-labelledby="reading">
          <h2 id="reading" className="font-semibold">
            How replies were parsed
          </h2>
          <p className="text-sm text-ink-2">
            Over all runs on this machine. Models with native calls and few repairs are the most reliable.
          </p>
          <ReadingTable models={models} />
        </section>
      )}
      {opened && <opened.code.ModelPlots models={models} />}
      {data && health.data?.ollama.ok && <GetModels recommended={missing} />}
      {demo.length > 0 && (
        <section className="mt-10" aria-labelledby="demo">
          <h2 id="demo" className="font-semibold">
            Demo models
          </h2>
          <p className="text-sm text-ink-2">
            Scripts, not language models: they show what a run looks like, with real tools in a real folder.
          </p>
          <ul className="mt-3 divide-y border-y">
            {demo.map((model) => (
              <li key={model.name} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 py-2">
                <span className="font-mono text-sm font-medium max-sm:flex-1">{model.name}</span>
                <span className="min-w-0 flex-1 text-sm text-ink-2 max-sm:order-last max-sm:basis-full">
                  {demoWords(model.name)}
                </span>
                <NewRun model={model.name} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}

function ModelLine({
  model,
  checking,
  open,
  onToggle,
}: {
  model: InstalledModel;
  checking: Checking;
  open: boolean;
  onToggle: () => void;
}) {
  const { loaded } = model;
  const reason = whyNotOffered(model);
  const facts = [
    model.family,
    model.parameter_size,
    model.quantization,
    model.max_context_tokens && `window up to ${formatCount(model.max_context_tokens)} tokens`,
  ].filter(Boolean);
  return (
    <li className="grid gap-x-6 gap-y-1 py-3 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="foreign font-mono font-medium">
            <ForeignName text={model.name} />
          </span>
          <Capabilities model={model} />
        </div>
        <p className="tnum foreign mt-0.5 text-sm text-ink-3">{facts.join(' · ')}</p>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 sm:justify-end">
        {model.size_bytes !== undefined && !model.remote && (
          <span className="tnum font-mono text-xs leading-5">{formatBytes(model.size_bytes)}</span>
        )}
        {reason === undefined && (
          <>
            <CheckControls model={model} checking={checking} open={open} onToggle={onToggle} />
            <NewRun model={model.name} />
          </>
        )}
      </div>
      {reason !== undefined && <p className="text-sm text-ink-3 sm:col-span-2">{reason}</p>}
      {reason === undefined && <PriceEditor model={model} />}
      <CheckState model={model} checking={checking} open={open} />
      {model.memory === 'unknown' && (
        <p className="text-sm text-ink-3 sm:col-span-2">
          Ollama does not report whether this model shares a loaded runner.
        </p>
      )}
      {loaded && <InMemory name={model.name} loaded={loaded} />}
    </li>
  );
}

/** Links to the new run form with this model selected. */
function NewRun({ model }: { model: string }) {
  return (
    <Link
      href={`/runs/new?${new URLSearchParams({ model })}`}
      aria-label={`New run with ${shortLine(model)}`}
      className={buttonClass('plain', 'sm')}
    >
      New run
    </Link>
  );
}

/** A loaded model's memory use and expiry, with a button to unload it. */
function InMemory({ name, loaded }: { name: string; loaded: NonNullable<InstalledModel['loaded']> }) {
  const reload = useReload();
  const now = useNow(true);
  const { busy, problem, run } = useRequest();
  const size = loaded.size_bytes ?? 0;
  const share = size > 0 ? (loaded.vram_bytes ?? 0) / size : 0;
  const unload = () =>
    run(async () => {
      await postJson('/api/models/unload', { model: name });
      reload('/api/models');
    });
  return (
    <div className="mt-1 grid gap-2 rounded-md border bg-sunken px-3 py-2 sm:col-span-2">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1.5 sm:flex-nowrap">
        <span className="flex shrink-0 items-center gap-1.5 text-sm font-medium text-ok">
          <span aria-hidden="true" className="size-1.5 rounded-full bg-ok" />
          in memory
        </span>
        <dl className="tnum flex min-w-0 flex-wrap gap-x-5 gap-y-0.5 text-xs text-ink-3 max-sm:order-last max-sm:basis-full">
          {loaded.loaded_as !== undefined && (
            <Fact name="shared with">
              <ForeignText text={loaded.loaded_as} />
            </Fact>
          )}
          {loaded.context_tokens !== undefined && (
            <Fact name="window">{formatCount(loaded.context_tokens)} tokens</Fact>
          )}
          {size > 0 && <Fact name="takes">{formatBytes(size)}</Fact>}
          {size > 0 && (
            <Fact name="on GPU">
              <span className={share < 1 ? 'text-warn' : undefined}>{formatPercent(share)}</span>
              {share > 0 && share < 1 && `, ${formatBytes(size - (loaded.vram_bytes ?? 0))} on the CPU`}
            </Fact>
          )}
          {loaded.expires_at !== undefined && (
            <Fact name="unloads">{unloadWords(loaded.expires_at - now)}</Fact>
          )}
        </dl>
        <Button
          size="sm"
          className="ml-auto shrink-0"
          disabled={busy}
          aria-label={`${busy ? 'Unloading' : 'Unload'} ${name}`}
          onClick={() => void unload()}
        >
          {busy ? 'Unloading' : 'Unload'}
        </Button>
      </div>
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}

/** Ollama represents `never` as a time more than a year away. */
function unloadWords(ms: number): string {
  if (ms > 365 * 86_400_000) return 'never';
  return ms <= 0 ? 'now' : `in ${formatClock(ms)}`;
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt>{name}</dt>
      <dd className="font-mono text-ink-2">{children}</dd>
    </div>
  );
}

function partialWords({ not_listed, without_details }: NonNullable<ModelsReply['partial']>): string {
  const parts = [
    not_listed > 0 && `${plural(not_listed, 'more model is', 'more models are')} not listed.`,
    without_details > 0 &&
      `Ollama did not return the details of ${plural(without_details, 'model', 'models')} in time; reload to try again.`,
  ];
  return `This list is not complete. ${parts.filter(Boolean).join(' ')}`;
}

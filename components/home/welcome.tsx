'use client';

import { ArrowRight, Check } from 'lucide-react';
import { useRouter } from 'next/navigation';
import type { ReactNode } from 'react';
import type { HealthReply, InstalledModel } from '#lib/api/replies.ts';
import { emptyDraft, requestOf } from '#lib/browser/drafts/run-draft.ts';
import { callsTools, canRun, RECOMMENDED_MODELS } from '#lib/browser/state/models.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/command.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { startRun } from './start-run.ts';

const DOWNLOAD = 'https://ollama.com/download';

function serverTitle({ ok, unknown }: HealthReply['ollama']): string {
  if (ok) return 'Ollama answers';
  return unknown ? 'Wait for Ollama' : 'Start Ollama';
}

/** The first visit: what is installed, what is missing and how to get it, and a demo without requirements. */
export function Welcome({ health, models }: { health: HealthReply; models: readonly InstalledModel[] }) {
  const real = models.filter((model) => !model.demo);
  const able = real.filter((model) => canRun(model) && callsTools(model) !== false);
  return (
    <section aria-label="Getting started" className="mt-8 max-w-page">
      {health.demo.available && able.length === 0 && <DemoOffer health={health} first />}
      <ol className="mt-6 divide-y border-y">
        <Step done={health.ollama.ok} number={1} title={serverTitle(health.ollama)}>
          {health.ollama.ok ? (
            <p className="text-ink-2">
              {health.ollama.version ? `Version ${health.ollama.version} ` : 'Running '}
              at <code className="wrap-anywhere">{health.ollama.url}</code>.
            </p>
          ) : (
            <>
              <p className="foreign text-ink-2">
                <ForeignText
                  text={health.ollama.error?.message ?? `Nothing answers at ${health.ollama.url}.`}
                />
              </p>
              {health.ollama.error?.hint && (
                <p className="foreign mt-1 text-ink-2">
                  <ForeignText text={health.ollama.error.hint} />
                </p>
              )}
              {!health.ollama.unknown && (
                <>
                  <p className="mt-1 text-ink-2">
                    Not installed yet? Get it from{' '}
                    <a
                      className="wrap-anywhere text-brass underline underline-offset-4"
                      href={DOWNLOAD}
                      target="_blank"
                      rel="noreferrer"
                    >
                      {DOWNLOAD}
                    </a>
                    , then start it:
                  </p>
                  <Command text="ollama serve" />
                </>
              )}
            </>
          )}
        </Step>
        <Step
          done={able.length > 0}
          number={2}
          title={
            able.length > 0 ? 'A model that calls tools is installed' : 'Get a model that calls tools well'
          }
        >
          {able.length > 0 ? (
            <p className="foreign text-ink-2">
              <ForeignText
                text={able
                  .slice(0, 6)
                  .map((model) => model.name)
                  .join(', ')}
              />
            </p>
          ) : (
            <>
              <p className="text-ink-2">
                Many models chat well and call tools badly. These call tools well; take the largest that fits
                into your memory.
              </p>
              <ModelCommands models={RECOMMENDED_MODELS} />
            </>
          )}
        </Step>
        <Step
          done={health.sandbox.available}
          number={3}
          title={health.sandbox.available ? 'Commands run confined' : 'Commands cannot be confined here'}
        >
          {health.sandbox.available ? (
            <p className="text-ink-2">An agent sees its workspace and nothing else on this machine.</p>
          ) : (
            <p className="foreign text-ink-2">
              <ForeignText text={health.sandbox.reason ?? ''} /> Agents still read and write files;{' '}
              <code>run_command</code> is not offered. <ForeignText text={health.sandbox.hint ?? ''} />
            </p>
          )}
        </Step>
      </ol>
      {health.demo.available && able.length > 0 && <DemoOffer health={health} first={false} />}
    </section>
  );
}

function Step({
  done,
  number,
  title,
  children,
}: {
  done: boolean;
  number: number;
  title: string;
  children: ReactNode;
}) {
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3 py-4">
      <span
        className={cx(
          'tnum grid size-6 place-items-center rounded-full border font-mono text-xs',
          done ? 'border-transparent bg-ok-wash text-ok' : 'border-brass-line text-brass',
        )}
      >
        {done ? (
          <>
            <Check className="size-3.5" aria-hidden="true" />
            <span className="sr-only">Done:</span>
          </>
        ) : (
          number
        )}
      </span>
      <div className="min-w-0">
        <h2 className="font-semibold leading-6">{title}</h2>
        <div className="mt-0.5">{children}</div>
      </div>
    </li>
  );
}

/** How to get models, one command each. */
function ModelCommands({ models }: { models: typeof RECOMMENDED_MODELS }) {
  return (
    <ul className="mt-2 grid grid-cols-[minmax(0,1fr)] items-center gap-x-4 gap-y-1.5 sm:grid-cols-[max-content_max-content_minmax(0,1fr)]">
      {models.map((model) => (
        <li key={model.name} className="flex flex-wrap items-center gap-x-3 sm:contents">
          <Command text={`ollama pull ${model.name}`} inline />
          <span className="tnum text-sm text-ink-3 sm:text-right">{model.size}</span>
          <span className="text-sm text-ink-2 max-sm:w-full">{model.note}</span>
        </li>
      ))}
    </ul>
  );
}

/** Starts the demo run. */
function DemoOffer({ health, first }: { health: HealthReply; first: boolean }) {
  const router = useRouter();
  const { busy, problem, run } = useRequest();
  const model = health.demo.models[0];
  if (model === undefined) return null;
  const start = () => {
    const draft = requestOf({
      ...emptyDraft,
      task: 'Show me around: list the folder, write some notes, read them back and search them.',
      model,
      live_tokens: true,
    });
    if (!draft.ok) return;
    void run(async () => {
      router.push(await startRun(draft.request));
      return LEAVING;
    });
  };
  return (
    <div className="my-6 flex flex-wrap items-center gap-x-6 gap-y-3 rounded-lg border border-brass-line bg-brass-wash px-5 py-4">
      <div className="min-w-0 flex-1 basis-72">
        <h2 className="flex items-center gap-2 font-semibold">
          See a run now{' '}
          <Badge tone="live" className="border border-brass-line">
            demo model
          </Badge>
        </h2>
        <p className="mt-0.5 text-sm text-ink-2">
          The demo model is a script, not a language model, and it does not understand your task. Its tool
          calls are real: they read and write real files in a fresh folder.
        </p>
        {problem && (
          <div className="mt-2">
            <ErrorNote error={problem} />
          </div>
        )}
      </div>
      <Button kind={first ? 'primary' : 'plain'} disabled={busy} onClick={start}>
        {busy ? 'Starting' : 'Start the demo run'}
        <ArrowRight className="size-4" aria-hidden="true" />
      </Button>
    </div>
  );
}

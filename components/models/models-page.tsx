'use client';

import type { HealthReply, InstalledModel, ModelsReply } from '#lib/api/replies.ts';
import { formatBytes, formatCount, formatPercent, formatShortCount } from '#lib/browser/format.ts';
import { demoWords, RECOMMENDED_MODELS, sortedModels } from '#lib/browser/models.ts';
import { ModelCommands } from '../home/welcome.tsx';
import { useApi } from '../hooks/use-api.ts';
import { Capabilities } from '../new-run/model-picker.tsx';
import { Problem } from '../shell/problem.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { ReadingTable, readModels } from './reading-table.tsx';

/** What is installed, what it can do, and what is in memory. */
export function ModelsPage() {
  const { data, error, reload } = useApi<ModelsReply>('/api/models', 5000);
  const health = useApi<HealthReply>('/api/health', 10_000);
  const models = sortedModels(data?.models ?? []);
  const real = models.filter((model) => !model.demo);
  const demo = models.filter((model) => model.demo);
  const missing = RECOMMENDED_MODELS.filter(
    (each) => !real.some((model) => model.name.startsWith(each.name)),
  );
  return (
    <main id="main" className="mx-auto w-full max-w-4xl flex-1 px-3 py-8 sm:px-6">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">Models</h1>
      <p className="mt-1 text-ink-2">
        Installed in Ollama{health.data ? ` at ${health.data.ollama.url}` : ''}. An agent needs a model that
        calls tools.
      </p>
      <div className="mt-6">
        {error && !data && <Problem error={error} onRetry={reload} />}
        {health.data?.ollama.error && <ErrorNote error={health.data.ollama.error} />}
        {real.length > 0 && (
          <ul className="mt-2 divide-y border-y">
            {real.map((model) => (
              <ModelLine key={model.name} model={model} />
            ))}
          </ul>
        )}
        {data && real.length === 0 && health.data?.ollama.ok && (
          <p className="text-ink-3">No model is installed yet.</p>
        )}
      </div>
      {readModels(models).length > 0 && (
        <section className="mt-10" aria-labelledby="reading">
          <h2 id="reading" className="font-semibold">
            How their replies were read
          </h2>
          <p className="text-sm text-ink-2">
            Over all runs on this machine. Few repairs and native calls make a model easy to work with.
          </p>
          <ReadingTable models={models} />
        </section>
      )}
      {missing.length > 0 && data && (
        <section className="mt-10" aria-labelledby="recommended">
          <h2 id="recommended" className="font-semibold">
            {real.length === 0 ? 'Models that call tools well' : 'Others that call tools well'}
          </h2>
          <ModelCommands models={missing} />
        </section>
      )}
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
              <li key={model.name} className="flex flex-wrap items-baseline gap-x-4 py-2">
                <span className="font-mono text-sm font-medium">{model.name}</span>
                <span className="text-sm text-ink-2">{demoWords(model.name)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}

function ModelLine({ model }: { model: InstalledModel }) {
  const { loaded } = model;
  const facts = [
    model.family,
    model.parameter_size,
    model.quantization,
    model.max_context_tokens && `window up to ${formatCount(model.max_context_tokens)}`,
  ].filter(Boolean);
  return (
    <li className="grid gap-x-6 gap-y-1 py-3 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="foreign font-mono font-medium">
            <ForeignText text={model.name} />
          </span>
          <Capabilities model={model} />
        </div>
        <p className="tnum foreign mt-0.5 text-sm text-ink-3">{facts.join(' · ')}</p>
      </div>
      <div className="tnum text-sm sm:text-right">
        {model.size_bytes !== undefined && (
          <p className="font-mono text-xs leading-5">{formatBytes(model.size_bytes)}</p>
        )}
        {loaded && (
          <p className="text-xs text-ink-3">
            in memory
            {loaded.context_tokens ? `, window ${formatShortCount(loaded.context_tokens)}` : ''}
            {loaded.size_bytes
              ? `, ${formatPercent((loaded.vram_bytes ?? 0) / loaded.size_bytes)} on GPU`
              : ''}
          </p>
        )}
      </div>
    </li>
  );
}

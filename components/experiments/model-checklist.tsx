'use client';

import type { ModelsReply } from '#lib/api/replies.ts';
import { canRun, modelsRefresh, noModelsWords, sortedModels } from '#lib/browser/state/models.ts';
import { useApi } from '../hooks/use-api.ts';
import { Capabilities } from '../models/model-picker.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { NotOfferedNote } from '../ui/not-offered-note.tsx';

/** The installed models that can run, each with a tick. */
export function ModelChecklist({
  chosen,
  onChange,
  problem,
}: {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  problem?: string | undefined;
}) {
  const { data } = useApi<ModelsReply>('/api/models', modelsRefresh());
  const models = sortedModels(data?.models.filter(canRun) ?? []);
  return (
    <>
      <fieldset className="max-h-72 divide-y overflow-y-auto rounded-md border border-line-strong bg-raised">
        <legend className="sr-only">Models</legend>
        {models.length === 0 && <p className="px-3 py-3 text-ink-3">{noModelsWords(data?.models)}</p>}
        {models.map((model) => (
          <label key={model.name} className="flex items-baseline gap-3 px-3 py-1.5 hover:bg-surface">
            <input
              type="checkbox"
              className="translate-y-0.5 accent-brass-fill"
              checked={chosen.includes(model.name)}
              onChange={(event) =>
                onChange(
                  event.target.checked
                    ? [...chosen, model.name]
                    : chosen.filter((name) => name !== model.name),
                )
              }
            />
            <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
              <span className="foreign font-mono text-sm">
                <ShortName text={model.name} />
              </span>
              <Capabilities model={model} />
            </span>
          </label>
        ))}
      </fieldset>
      <NotOfferedNote models={data?.models ?? []} />
      {problem && <p className="text-xs text-fail">{problem}</p>}
    </>
  );
}

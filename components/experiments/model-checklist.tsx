'use client';

import { useState } from 'react';
import type { ModelsReply } from '#lib/api/replies.ts';
import { canRun, isListed, modelsRefresh, noModelsWords, sortedModels } from '#lib/browser/state/models.ts';
import { isSameModel } from '#lib/util/model-name.ts';
import { useApi } from '../hooks/use-api.ts';
import { Capabilities } from '../models/model-picker.tsx';
import { Badge } from '../ui/badge.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { NotOfferedNote } from '../ui/not-offered-note.tsx';

/** The installed models that can run, each with a tick, and those that were chosen elsewhere and cannot. */
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
  // Models named by a plan or a kept form; their rows stay even when deselected.
  const [named, setNamed] = useState(chosen);
  if (chosen.some((name) => !named.includes(name))) setNamed([...new Set([...named, ...chosen])]);
  const missing = isListed(data)
    ? named.filter((name) => !models.some((model) => isSameModel(model.name, name)))
    : [];
  const isInstalled = (name: string) => data?.models.some((model) => isSameModel(model.name, name));
  const choose = (name: string, isChosen: boolean) => {
    const others = chosen.filter((each) => !isSameModel(each, name));
    onChange(isChosen ? [...others, name] : others);
  };
  return (
    <>
      <fieldset className="max-h-72 divide-y overflow-y-auto rounded-md border border-line-strong bg-raised">
        <legend className="sr-only">Models</legend>
        {models.length === 0 && <p className="px-3 py-3 text-ink-3">{noModelsWords(data?.models)}</p>}
        {missing.map((name) => (
          <label key={name} className="flex items-baseline gap-3 px-3 py-1.5 hover:bg-surface">
            <input
              type="checkbox"
              className="translate-y-0.5 accent-brass-fill"
              checked={chosen.includes(name)}
              onChange={(event) => choose(name, event.target.checked)}
            />
            <span className="foreign min-w-0 font-mono text-sm">
              <ShortName text={name} />
            </span>
            <Badge tone="warn">{isInstalled(name) ? 'not offered' : 'not installed'}</Badge>
          </label>
        ))}
        {models.map((model) => (
          <label key={model.name} className="flex items-baseline gap-3 px-3 py-1.5 hover:bg-surface">
            <input
              type="checkbox"
              className="translate-y-0.5 accent-brass-fill"
              checked={chosen.some((name) => isSameModel(name, model.name))}
              onChange={(event) => choose(model.name, event.target.checked)}
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

'use client';

import { useEffect, useRef, useState } from 'react';
import type { InstalledModel } from '#lib/api/replies.ts';
import { callsTools, canRun, demoWords, noModelsWords, sortedModels } from '#lib/browser/state/models.ts';
import { formatBytes, formatShortCount } from '#lib/browser/words/format.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { NotOfferedNote } from '../ui/not-offered-note.tsx';
import { CheckBadge } from './check-badge.tsx';

/** The installed models with their capabilities (D10). */
export function ModelPicker({
  models,
  value,
  onChange,
  problem,
}: {
  /** `undefined` until the server has listed them. */
  models: readonly InstalledModel[] | undefined;
  value: string;
  onChange: (model: string) => void;
  problem?: string;
}) {
  const [filter, setFilter] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const there = models?.some(({ name }) => name === value);
  // A model chosen elsewhere may be outside the visible part of the list. Don't scroll the page.
  useEffect(() => {
    const row = there ? list.current?.querySelector<HTMLElement>('label:has(:checked)') : undefined;
    if (!list.current || !row) return;
    const { scrollTop, clientHeight } = list.current;
    const hidden = row.offsetTop < scrollTop || row.offsetTop + row.offsetHeight > scrollTop + clientHeight;
    if (hidden) list.current.scrollTop = row.offsetTop;
  }, [there]);
  const offered = models?.filter(canRun) ?? [];
  const shown = sortedModels(offered).filter((model) =>
    model.name.toLowerCase().includes(filter.toLowerCase()),
  );
  return (
    <div>
      {offered.length > 8 && (
        <input
          type="search"
          aria-label="Filter models"
          placeholder="Filter"
          className="field mb-2"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <div
        ref={list}
        role="radiogroup"
        aria-label="Model"
        aria-invalid={problem !== undefined}
        className="relative max-h-80 divide-y overflow-y-auto rounded-md border border-line-strong bg-raised"
      >
        {shown.map((model) => (
          <label
            key={model.name}
            className={cx(
              'grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-[-2px] has-focus-visible:outline-brass',
              model.name === value ? 'bg-brass-wash' : 'hover:bg-surface',
            )}
          >
            <input
              type="radio"
              name="model"
              className="translate-y-0.5 accent-brass-fill focus-visible:outline-none"
              checked={model.name === value}
              onChange={() => onChange(model.name)}
            />
            <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5">
              <span className="foreign font-mono text-sm font-medium">
                <ShortName text={model.name} />
              </span>
              <Capabilities model={model} />
              {model.loaded && <Badge title="Responds without loading">in memory</Badge>}
              {model.check && <CheckBadge check={model.check} />}
            </span>
            <span className="tnum col-start-2 text-xs text-ink-2">{modelFacts(model)}</span>
          </label>
        ))}
        {shown.length === 0 && (
          <p className="px-3 py-3 text-ink-3">
            {offered.length > 0 ? 'No models match.' : noModelsWords(models)}
          </p>
        )}
      </div>
      <NotOfferedNote models={models ?? []} className="mt-1" />
      {problem && <p className="mt-1 text-xs text-fail">{problem}</p>}
    </div>
  );
}

/** The declared capabilities of a model. */
export function Capabilities({ model }: { model: InstalledModel }) {
  const tools = callsTools(model);
  return (
    <span className="flex flex-wrap items-center gap-1">
      {model.demo && (
        <Badge tone="live" title={demoWords(model.name)}>
          demo
        </Badge>
      )}
      {model.remote && (
        <Badge tone="warn" title="Ollama forwards everything this model sees to that host">
          runs at {model.remote.host}
        </Badge>
      )}
      {model.capabilities?.includes('embedding') && <Badge>embeddings</Badge>}
      {tools === true && <Badge tone="ok">tools</Badge>}
      {tools === false && model.capabilities?.includes('completion') && (
        <Badge tone="warn" title="According to Ollama, its template does not support tools">
          no tools
        </Badge>
      )}
      {model.capabilities?.includes('thinking') && <Badge>thinks</Badge>}
      {model.capabilities?.includes('vision') && <Badge>vision</Badge>}
    </span>
  );
}

/** Size, quantization and window in a few characters. */
function modelFacts(model: InstalledModel): string {
  if (model.demo) return demoWords(model.name);
  return [
    model.parameter_size,
    model.quantization,
    // Only the name of a remote model is on the disk.
    model.size_bytes && !model.remote ? formatBytes(model.size_bytes) : undefined,
    model.max_context_tokens ? `${formatShortCount(model.max_context_tokens)} window` : undefined,
  ]
    .filter(Boolean)
    .join(' · ');
}

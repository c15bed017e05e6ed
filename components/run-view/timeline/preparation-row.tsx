'use client';

import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
  formatShortCount,
} from '#lib/browser/words/format.ts';
import { kindFacts, kindOf } from '#lib/events/modes.ts';
import type { EventOf } from '#lib/events/registry.ts';
import type { PreparationRow as PreparationRowData } from '#lib/events/timeline.ts';
import { Clock } from '../../ui/clock.tsx';
import { useLive } from '../live-context.ts';
import { useRun } from '../run-context.tsx';
import { Figures, RailNode, RowFrame } from './row-frame.tsx';

function loadWords(loaded: NonNullable<PreparationRowData['loaded']>): string {
  if (loaded.remote_host !== undefined) return 'nothing to load';
  return loaded.already_loaded ? 'already loaded' : `loaded in ${formatDuration(loaded.load_ms)}`;
}

/** A shorter wait is just the time to pass through an empty queue. */
const QUEUED_MS = 1000;

/** Server and model checks, and loading with its own clock. */
export function PreparationRow({ row }: { row: PreparationRowData }) {
  const { preflight, loadStarted, loaded } = row;
  const again = loadStarted?.cause === undefined ? undefined : loadStarted;
  const createdAt = useRun((view) => view.run.createdAt);
  const queuedMs = row.worker === undefined ? (loadStarted?.waited_ms ?? 0) : row.at - createdAt;
  const ended = useRun((view) => view.run.phase === 'ended');
  // An exploration and a single answer run no commands anywhere.
  const commands = useRun(
    ({ run }) => !run.config || kindFacts(kindOf(run.config)).tools.includes('run_command'),
  );
  const facts = preflight
    ? [
        preflight.remote_host && `runs at ${preflight.remote_host}`,
        preflight.server_version && `Ollama ${preflight.server_version}`,
        preflight.parameter_size,
        preflight.quantization,
        preflight.capabilities?.join(', '),
        preflight.max_context_tokens && `up to ${formatShortCount(preflight.max_context_tokens)} tokens`,
        gpuShare(loaded),
      ].filter(Boolean)
    : [gpuShare(loaded)].filter(Boolean);
  return (
    <RowFrame
      node={<RailNode shape="dot" className={!loaded && !ended ? 'bg-brass-fill breathe' : undefined} />}
    >
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold">
          {loaded
            ? again
              ? 'Model loaded again'
              : 'Model ready'
            : loadStarted
              ? 'Loading the model'
              : 'Checking server and model'}
        </span>
        <span className="min-w-0 flex-1 basis-48 text-sm text-ink-3 max-sm:order-last max-sm:basis-full">
          {facts.join(' · ')}
        </span>
        {loadStarted && !loaded && !ended && <LoadFacts onDisk={preflight?.size_bytes} />}
        <Figures>
          {queuedMs >= QUEUED_MS && <span>queued {formatDuration(queuedMs)}</span>}
          {loaded ? (
            <span>{loadWords(loaded)}</span>
          ) : ended ? null : (
            <Clock since={loadStarted?.at ?? row.at} className="text-brass" />
          )}
        </Figures>
      </div>
      {again && <p className="mt-0.5 text-sm text-warn">{reloadReason(again)}</p>}
      {loaded?.freed_slot && (
        <p className="mt-0.5 text-sm text-warn">
          It was in memory but did not answer: Ollama still held its slot for an aborted reply. It was
          unloaded and loaded again.
        </p>
      )}
      {preflight && commands && !preflight.sandbox.available && (
        <p className="foreign mt-0.5 text-sm text-warn">
          Commands cannot be confined here, so run_command is not offered: {preflight.sandbox.reason}
        </p>
      )}
      {loaded?.context_tokens !== undefined && loadStarted && loaded.context_tokens < loadStarted.num_ctx && (
        <p className="mt-0.5 text-sm text-warn">
          The window is {formatCount(loaded.context_tokens)} tokens; {formatCount(loadStarted.num_ctx)} were
          requested.
        </p>
      )}
    </RowFrame>
  );
}

function reloadReason({
  cause,
  found_context_tokens: found,
  num_ctx: wanted,
}: EventOf<'model.load-started'>): string {
  if (cause === 'slot_freed') return 'It was unloaded so that it answers again: see the call before.';
  if (cause === 'unloaded')
    return "It was no longer in memory: another client's model replaced it, or its keep-alive ran out.";
  return `Another client had loaded it with a window of ${formatCount(found ?? 0)} tokens; this run needs ${formatCount(wanted)}. Clients that ask for different windows reload the model from each other.`;
}

/** Details of a loading model. Ollama reports where it loads, but no progress. */
function LoadFacts({ onDisk }: { onDisk: number | undefined }) {
  const load = useLive((live) => live.load);
  const known = useRun((view) => view.run.preflight?.size_bytes);
  const size = onDisk ?? known;
  return (
    <span className="tnum text-sm text-ink-3">
      {load?.sizeBytes
        ? `${formatBytes(load.sizeBytes)} in memory, ${formatPercent((load.vramBytes ?? 0) / load.sizeBytes)} of it on the GPU`
        : size
          ? `${formatBytes(size)} on disk`
          : ''}
    </span>
  );
}

/** The share of the model in GPU memory, if reported. */
function gpuShare(loaded: PreparationRowData['loaded']): string | undefined {
  if (!loaded?.size_bytes) return undefined;
  return `${formatBytes(loaded.size_bytes)}, ${formatPercent((loaded.vram_bytes ?? 0) / loaded.size_bytes)} on GPU`;
}

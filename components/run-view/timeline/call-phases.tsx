'use client';

import type { ReactNode } from 'react';
import {
  type CallPhase,
  type PromptReading,
  phasesOf,
  promptReading,
  replyRate,
} from '#lib/browser/words/call-phases.ts';
import { formatCount, formatDuration, formatRate } from '#lib/browser/words/format.ts';
import type { CallRow } from '#lib/events/timeline.ts';
import { type PlotColor, TIME_COLORS } from '../../plots/palette.ts';
import { useLive } from '../live-context.ts';

/** The same colors as in the plots. */
const colors: Record<CallPhase['kind'], PlotColor> = {
  ...TIME_COLORS,
  wait: TIME_COLORS.waiting,
  reply: TIME_COLORS.model,
};

/** The phases of a call as a strip. */
export function PhaseStrip({ row, className }: { row: CallRow; className?: string }) {
  const phases = phasesOf(row);
  const whole = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (whole === 0) return null;
  let from = 0;
  return (
    <svg
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      className={className}
      role="img"
      aria-label={phases.map(({ label, ms }) => `${label} ${formatDuration(ms)}`).join(', ')}
    >
      <title>{phases.map(({ label, ms }) => `${label} ${formatDuration(ms)}`).join(', ')}</title>
      {phases.map(({ kind, ms }) => {
        const x = from;
        const width = (ms / whole) * 100;
        from += width;
        return (
          <rect
            key={kind}
            x={x}
            y="0"
            width={Math.max(0.5, width - 0.6)}
            height="6"
            className={colors[kind].fill}
          />
        );
      })}
    </svg>
  );
}

/** The phases of a call with their times and speeds. */
export function PhaseTable({ row }: { row: CallRow }) {
  const phases = phasesOf(row);
  if (phases.length === 0) return null;
  const reading = promptReading(row);
  const rate = replyRate(row);
  return (
    <div className="grid gap-1.5">
      <PhaseStrip row={row} className="h-1.5 w-full max-w-md" />
      <ul className="tnum flex flex-wrap gap-x-4 gap-y-0.5">
        {phases.map(({ kind, label, ms }) => (
          <li key={kind} className="flex flex-wrap items-center gap-x-1.5">
            <span aria-hidden="true" className={`size-1.5 rounded-[1px] ${colors[kind].swatch}`} />
            <span className="whitespace-nowrap">
              {label} {formatDuration(ms)}
            </span>
            {kind === 'prompt' && reading && <span className="text-ink-3">{readingWords(reading)}</span>}
            {REPLY_PHASES.has(kind) && rate !== undefined && (
              <span className="text-ink-3">{formatRate(rate)} tok/s</span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const REPLY_PHASES: ReadonlySet<CallPhase['kind']> = new Set(['thinking', 'writing', 'reply']);

/** Prompt tokens, read and cached; the speed is known only with both. */
function readingWords({ tokens, cached, rate }: PromptReading): string {
  if (cached === undefined) return `${formatCount(tokens)} tokens, including cached ones`;
  const read = `${formatCount(tokens - cached)} tokens`;
  const speed = rate === undefined ? '' : ` at ${formatRate(rate)} tok/s`;
  return cached === 0 ? `${read}${speed}` : `${read}${speed}, ${formatCount(cached)} cached`;
}

/**
 * The current phase of an open call, and how long those before it took; the row's own clock shows the whole.
 *
 * @param reading shown while the model reads the prompt
 */
export function LivePhase({ row, reading }: { row: CallRow; reading: ReactNode }) {
  const mine = useLive((live) => live.call === row.call);
  const thinkingSince = useLive((live) => live.thinkingSince);
  const textSince = useLive((live) => live.textSince);
  const { at, stream } = row.started;
  const thought = mine ? thinkingSince : undefined;
  const wrote = mine ? textSince : undefined;
  const first = thought ?? wrote;
  return (
    <span className="tnum text-sm text-ink-3">
      {first !== undefined && <>read the prompt in {formatDuration(first - at)} · </>}
      {thought !== undefined && wrote !== undefined && <>thought {formatDuration(wrote - thought)} · </>}
      <span className="text-brass">
        {wrote !== undefined
          ? 'writing'
          : thought !== undefined
            ? 'thinking'
            : stream
              ? 'reading the prompt'
              : 'reading and writing'}
      </span>{' '}
      {first === undefined && stream && reading}
    </span>
  );
}

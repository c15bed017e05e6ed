import type { Cycle, MemoryChange } from '../../events/timeline.ts';
import { formatCount, formatPercent, formatShortCount, formatTokens, plural } from '../words/format.ts';
import { shortLine } from '../words/visible-text.ts';

/** Tools of a cycle that are named one by one, and how much of a name that a model may have made up. */
const NAMED_TOOLS = 4;
const NAME_CHARS = 40;

/** Shown instead of the memory on a page that does not have it. */
export const MEMORY_WITHHELD = 'The memory is not shared.';

/** A key of the memory with everything that happened to it up to a cycle, the last change last. */
export interface MemoryKey {
  readonly key: string;
  /** `undefined`: it was deleted. */
  readonly value: string | undefined;
  readonly history: readonly MemoryChange[];
  /** How often it was written; the rest of the history are deletions. */
  readonly writes: number;
}

/** The memory at the end of a cycle: existing keys in write order, then deleted ones. Pure. */
export function memoryAt(changes: readonly MemoryChange[], cycle: number): MemoryKey[] {
  const keys = new Map<string, MemoryChange[]>();
  for (const change of changes) {
    if (change.cycle > cycle) break;
    const history = keys.get(change.key);
    if (history) history.push(change);
    else keys.set(change.key, [change]);
  }
  return [...keys]
    .map(
      ([key, history]): MemoryKey => ({
        ...{ key, history, value: history.at(-1)?.value },
        writes: history.filter(({ value }) => value !== undefined).length,
      }),
    )
    .sort((a, b) => Number(a.value === undefined) - Number(b.value === undefined));
}

/**
 * A cycle as text: its calls by tool (the shades of the strip are only visible to some, and their key does not fit on a
 * phone), what was written, how new it was, and how it ended. Pure.
 *
 * @param options.over whether the run has ended, so that an unfinished cycle will never end
 */
export function cycleWords(cycle: Cycle, { over }: { over: boolean }): string {
  const failed = cycle.failedToolCalls > 0 ? ` (${cycle.failedToolCalls} failed)` : '';
  const mix = toolMix(cycle);
  return [
    `${plural(cycle.toolCalls, 'call')}${failed}${mix && `: ${mix}`}`,
    `${formatTokens(cycle.tokensOut, cycle.tokensEstimated, formatShortCount)} tokens written`,
    cycle.novelty === undefined ? undefined : `${formatPercent(cycle.novelty)} new`,
    cycle.advice?.feedback === undefined ? undefined : 'told to look for something new',
    cycle.endedBy === 'call_limit' ? 'ended by the call limit' : undefined,
    cycle.endedBy === undefined ? (over ? 'not finished' : 'open') : undefined,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The calls of a cycle by tool, the most frequent first: `2 write, 1 list`; empty without calls. */
function toolMix({ tools }: Pick<Cycle, 'tools'>): string {
  const counts = Object.entries(tools).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  const named = counts.slice(0, NAMED_TOOLS).map(([tool, count]) => {
    return `${formatCount(count)} ${shortLine(tool, NAME_CHARS)}`;
  });
  const others = counts.slice(NAMED_TOOLS).reduce((sum, [, count]) => sum + count, 0);
  return [...named, ...(others > 0 ? [`${formatCount(others)} others`] : [])].join(', ');
}

/**
 * Loupe's measurements of each reflection, by the cycle it ended. The log has them with a later cycle: the next one,
 * or, after cycles without a reflection, one that follows. Pure.
 */
export function adviceByReflection(cycles: readonly Cycle[]): Map<number, NonNullable<Cycle['advice']>> {
  const advice = new Map<number, NonNullable<Cycle['advice']>>();
  let reflected: number | undefined;
  for (const cycle of cycles) {
    if (cycle.advice && reflected !== undefined) advice.set(reflected, cycle.advice);
    if (cycle.reflection !== undefined) reflected = cycle.number;
  }
  return advice;
}

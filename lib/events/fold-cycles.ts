import { ngramSimilarity } from '../util/similarity.ts';
import type { EventOf, RunEvent } from './registry.ts';

/** Earlier reflections that a new one is compared with for its novelty. */
const NOVELTY_WINDOW = 5;

/** One cycle of an exploration, as a strip or a table shows it. */
export interface Cycle {
  readonly number: number;
  readonly startedSeq: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** `at` of the last event within the cycle. */
  readonly until: number;
  readonly modelCalls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** How often each tool was called, by name. */
  readonly tools: Readonly<Record<string, number>>;
  readonly failedToolCalls: number;
  readonly memoriesChanged: number;
  readonly messagesToOperator: number;
  /** Missing while the cycle is open. */
  readonly endedBy?: EventOf<'cycle.reflected'>['ended_by'];
  readonly reflection?: string;
  /**
   * How unlike the reflection is to those of the five cycles before it: 1 for nothing in common, 0 for the same words.
   * Missing for the first.
   */
  readonly novelty?: number;
  /** What the monitor said when the cycle began, if it is on (X21). */
  readonly advice?: EventOf<'diversity.advised'>;
}

/** The cycles of a run. Cycles that did not change stay the same objects. */
export interface Cycles {
  readonly seq: number;
  readonly cycles: readonly Cycle[];
}

export const noCycles: Cycles = { seq: 0, cycles: [] };

/** Takes events into the cycles. Pure; events that were taken before are skipped. */
export function foldCycles(before: Cycles, events: readonly RunEvent[]): Cycles {
  const fresh = events.filter((event) => event.seq > before.seq);
  if (fresh.length === 0) return before;
  const cycles = before.cycles.slice();
  let { seq } = before;
  for (const event of fresh) {
    seq = event.seq;
    if (event.type === 'cycle.started') {
      cycles.push(begun(event));
      continue;
    }
    const open = cycles.at(-1);
    if (open && open.endedBy === undefined) cycles[cycles.length - 1] = within(open, event, cycles);
  }
  return { seq, cycles };
}

function begun(event: EventOf<'cycle.started'>): Cycle {
  return {
    number: event.cycle,
    startedSeq: event.seq,
    startedAt: event.at,
    until: event.at,
    modelCalls: 0,
    tokensIn: 0,
    tokensOut: 0,
    tools: {},
    failedToolCalls: 0,
    memoriesChanged: 0,
    messagesToOperator: 0,
  };
}

function within(cycle: Cycle, event: RunEvent, all: readonly Cycle[]): Cycle {
  const moved = { ...cycle, until: event.at };
  switch (event.type) {
    case 'model-call.started':
      return { ...moved, modelCalls: cycle.modelCalls + 1 };
    case 'model-call.ended':
      return {
        ...moved,
        tokensIn: cycle.tokensIn + (event.prompt_tokens ?? 0),
        tokensOut: cycle.tokensOut + (event.reply_tokens ?? 0),
      };
    case 'tool-call.started': {
      const called = Object.hasOwn(cycle.tools, event.tool) ? (cycle.tools[event.tool] ?? 0) : 0;
      return { ...moved, tools: { ...cycle.tools, [event.tool]: called + 1 } };
    }
    case 'tool-call.ended':
    case 'tool-call.interrupted':
      return event.result.success ? moved : { ...moved, failedToolCalls: cycle.failedToolCalls + 1 };
    case 'memory.changed':
      return { ...moved, memoriesChanged: cycle.memoriesChanged + 1 };
    case 'agent.messaged':
      return { ...moved, messagesToOperator: cycle.messagesToOperator + 1 };
    case 'diversity.advised':
      return { ...moved, advice: event };
    case 'cycle.reflected': {
      if (event.ended_by === 'call_limit') return { ...moved, endedBy: event.ended_by };
      const novelty = noveltyOf(event.text, all);
      return {
        ...moved,
        endedBy: event.ended_by,
        reflection: event.text,
        ...(novelty === undefined ? {} : { novelty }),
      };
    }
    default:
      return moved;
  }
}

function noveltyOf(text: string, cycles: readonly Cycle[]): number | undefined {
  const earlier = cycles.flatMap(({ reflection }) => (reflection === undefined ? [] : [reflection]));
  if (earlier.length === 0) return undefined;
  return 1 - Math.max(...earlier.slice(-NOVELTY_WINDOW).map((other) => ngramSimilarity(text, other)));
}

/** One change of a memory, with the call that made it. */
export interface MemoryChange {
  readonly seq: number;
  readonly at: number;
  readonly cycle: number;
  readonly callId: string;
  readonly operation: 'write' | 'delete';
  /** Missing for a deletion. */
  readonly value?: string;
}

/**
 * The history of every memory, by key, each oldest first: what a memory was at any event is its last change before it.
 */
export function memoryHistory(events: Iterable<RunEvent>): ReadonlyMap<string, readonly MemoryChange[]> {
  const history = new Map<string, MemoryChange[]>();
  for (const event of events) {
    if (event.type !== 'memory.changed') continue;
    const { seq, at, cycle, operation, value } = event;
    const changes = history.get(event.key) ?? [];
    changes.push({
      ...{ seq, at, cycle, callId: event.call_id, operation },
      ...(value === undefined ? {} : { value }),
    });
    history.set(event.key, changes);
  }
  return history;
}

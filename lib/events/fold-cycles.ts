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
  readonly toolCalls: number;
  readonly memoriesChanged: number;
  readonly messagesToOperator: number;
  /** Missing while the cycle is open. */
  readonly endedBy?: EventOf<'cycle.reflected'>['ended_by'];
  /** The event that ended it. */
  readonly endedSeq?: number;
  /** Missing where the harness ended the cycle. */
  readonly reflection?: string;
  /**
   * How unlike the reflection is to those of the five cycles before it: 1 for nothing in common, 0 for the same words.
   * Missing for the first.
   */
  readonly novelty?: number;
  /** What the monitor said when the cycle began, if it is on (X21). */
  readonly advice?: EventOf<'diversity.advised'>;
}

/** One change of a memory, with the call that made it. */
export interface MemoryChange {
  readonly seq: number;
  readonly at: number;
  readonly cycle: number;
  readonly callId: string;
  readonly key: string;
  /** `undefined`: deleted. */
  readonly value: string | undefined;
}

/** The cycles of a run and every change of its memory, in order. What did not change stays the same object. */
export interface Cycles {
  readonly seq: number;
  readonly cycles: readonly Cycle[];
  readonly changes: readonly MemoryChange[];
}

export const noCycles: Cycles = { seq: 0, cycles: [], changes: [] };

/**
 * Takes events into the cycles. Pure; events that were taken before are skipped. Lists in which nothing changed stay the
 * same, so that a run of another mode costs nothing here.
 */
export function foldCycles(before: Cycles, events: readonly RunEvent[]): Cycles {
  let { seq } = before;
  let cycles: Cycle[] | undefined;
  let changes: MemoryChange[] | undefined;
  for (const event of events) {
    if (event.seq <= seq) continue;
    seq = event.seq;
    const open = (cycles ?? before.cycles).at(-1);
    if (event.type === 'cycle.started') {
      cycles ??= before.cycles.slice();
      cycles.push(begun(event));
    } else if (open && open.endedBy === undefined) {
      cycles ??= before.cycles.slice();
      cycles[cycles.length - 1] = within(open, event, cycles);
    }
    if (event.type === 'memory.changed') {
      changes ??= before.changes.slice();
      changes.push(changeOf(event));
    }
  }
  if (seq === before.seq) return before;
  return { seq, cycles: cycles ?? before.cycles, changes: changes ?? before.changes };
}

function changeOf(event: EventOf<'memory.changed'>): MemoryChange {
  const { seq, at, cycle, key, operation } = event;
  const value = operation === 'delete' ? undefined : (event.value ?? '');
  return { seq, at, cycle, callId: event.call_id, key, value };
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
    toolCalls: 0,
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
      return {
        ...moved,
        toolCalls: cycle.toolCalls + 1,
        tools: { ...cycle.tools, [event.tool]: called + 1 },
      };
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
      const ended = { ...moved, endedBy: event.ended_by, endedSeq: event.seq };
      if (event.ended_by === 'call_limit') return ended;
      const novelty = noveltyOf(event.text, all);
      return { ...ended, reflection: event.text, ...(novelty === undefined ? {} : { novelty }) };
    }
    default:
      return moved;
  }
}

function noveltyOf(text: string, cycles: readonly Cycle[]): number | undefined {
  const earlier: string[] = [];
  for (let index = cycles.length - 1; index >= 0 && earlier.length < NOVELTY_WINDOW; index -= 1) {
    const reflection = cycles[index]?.reflection;
    if (reflection !== undefined) earlier.push(reflection);
  }
  if (earlier.length === 0) return undefined;
  return 1 - Math.max(...earlier.map((other) => ngramSimilarity(text, other)));
}

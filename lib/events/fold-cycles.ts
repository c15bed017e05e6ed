import { mean } from '../util/mean.ts';
import { ngramSimilarity } from '../util/similarity.ts';
import type { EventOf, RunEvent } from './registry.ts';
import type { Cycle, Cycles, MemoryChange } from './timeline.ts';
import { addUsage } from './token-usage.ts';

/** Number of earlier reflections used to compute novelty. */
const NOVELTY_WINDOW = 5;

export const noCycles: Cycles = { seq: 0, embeddings: false, cycles: [], changes: [] };

/**
 * Folds events into the cycles. Pure; skips events that were already folded. Unchanged lists are reused, so this
 * costs nothing for runs of other modes.
 */
export function foldCycles(before: Cycles, events: readonly RunEvent[]): Cycles {
  let { seq, embeddings } = before;
  let cycles: Cycle[] | undefined;
  let changes: MemoryChange[] | undefined;
  for (const event of events) {
    if (event.seq <= seq) continue;
    seq = event.seq;
    if (event.type === 'run.created') {
      embeddings = event.config.explore?.diversity?.embedding_model !== undefined;
    }
    if (event.type === 'diversity.advised' && embeddings) {
      cycles ??= before.cycles.slice();
      takeNovelty(cycles, event);
    }
    const open = (cycles ?? before.cycles).at(-1);
    if (event.type === 'cycle.started') {
      cycles ??= before.cycles.slice();
      cycles.push(begun(event));
    } else if (open && open.endedBy === undefined) {
      cycles ??= before.cycles.slice();
      cycles[cycles.length - 1] = within(open, event, embeddings ? undefined : cycles);
    }
    if (event.type === 'memory.changed') {
      changes ??= before.changes.slice();
      changes.push(changeOf(event));
    }
  }
  if (seq === before.seq) return before;
  return { seq, embeddings, cycles: cycles ?? before.cycles, changes: changes ?? before.changes };
}

/**
 * The mean novelty of a run's reflections, and how it was measured. Measures are not mixed: embeddings take
 * precedence if there are any. `undefined` without data.
 */
export function meanNovelty(
  cycles: readonly Cycle[],
): { novelty: number; measure: NonNullable<Cycle['noveltyMeasure']> } | undefined {
  for (const measure of ['embeddings', 'ngram'] as const) {
    const figures = cycles.flatMap(({ novelty, noveltyMeasure }) =>
      novelty === undefined || noveltyMeasure !== measure ? [] : [novelty],
    );
    const novelty = mean(figures);
    if (novelty !== undefined) return { novelty, measure };
  }
  return undefined;
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
    tokensEstimated: 0,
    tools: {},
    toolCalls: 0,
    failedToolCalls: 0,
    memoriesChanged: 0,
    messagesToOperator: 0,
  };
}

/** Updates the last reflection's novelty from the comparison, by embeddings unless these failed. */
function takeNovelty(cycles: Cycle[], { similarity, measure }: EventOf<'diversity.advised'>): void {
  const index = cycles.findLastIndex(({ reflection }) => reflection !== undefined);
  const cycle = cycles[index];
  if (cycle) cycles[index] = { ...cycle, novelty: 1 - similarity, noveltyMeasure: measure };
}

/** @param all all cycles so far, to compare reflections by words; omitted if embeddings are used */
function within(cycle: Cycle, event: RunEvent, all: readonly Cycle[] | undefined): Cycle {
  const moved = { ...cycle, until: event.at };
  switch (event.type) {
    case 'model-call.started':
      return { ...moved, modelCalls: cycle.modelCalls + 1 };
    case 'model-call.ended':
    case 'model-call.failed':
      return { ...moved, ...addUsage(cycle, event) };
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
      const novelty = all && noveltyByWords(event.text, all);
      return {
        ...ended,
        reflection: event.text,
        ...(novelty === undefined ? {} : { novelty, noveltyMeasure: 'ngram' as const }),
      };
    }
    default:
      return moved;
  }
}

function noveltyByWords(text: string, cycles: readonly Cycle[]): number | undefined {
  const earlier: string[] = [];
  for (let index = cycles.length - 1; index >= 0 && earlier.length < NOVELTY_WINDOW; index -= 1) {
    const reflection = cycles[index]?.reflection;
    if (reflection !== undefined) earlier.push(reflection);
  }
  if (earlier.length === 0) return undefined;
  return 1 - Math.max(...earlier.map((other) => ngramSimilarity(text, other)));
}

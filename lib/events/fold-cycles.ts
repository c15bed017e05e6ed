import { mean } from '../util/mean.ts';
import { hasFailed } from './has-failed.ts';
import { nearestReflection } from './reflection-similarity.ts';
import type { EventOf, RunEvent } from './registry.ts';
import { DIVERSITY_DEFAULTS } from './settings.ts';
import type { Cycle, Cycles, MemoryChange } from './timeline.ts';
import { addUsage } from './token-usage.ts';

export const noCycles: Cycles = { seq: 0, window: DIVERSITY_DEFAULTS.window, cycles: [], changes: [] };

/**
 * Folds events into the cycles. Pure; skips events that were already folded. Unchanged lists are reused, so this
 * costs nothing for runs of other modes.
 */
export function foldCycles(before: Cycles, events: readonly RunEvent[]): Cycles {
  let { seq, embeddingModel, window } = before;
  let cycles: Cycle[] | undefined;
  let changes: MemoryChange[] | undefined;
  for (const event of events) {
    if (event.seq <= seq) continue;
    seq = event.seq;
    if (event.type === 'run.created') {
      const { diversity } = event.config.explore ?? {};
      embeddingModel = diversity?.embedding_model;
      window = diversity?.window ?? window;
    }
    if (event.type === 'diversity.advised' && embeddingModel !== undefined) {
      cycles ??= before.cycles.slice();
      takeNovelty(cycles, event);
    }
    const open = (cycles ?? before.cycles).at(-1);
    if (event.type === 'cycle.started') {
      cycles ??= before.cycles.slice();
      cycles.push(begun(event));
    } else if (open && open.endedBy === undefined) {
      cycles ??= before.cycles.slice();
      cycles[cycles.length - 1] = within(
        open,
        event,
        embeddingModel === undefined ? { cycles, window } : undefined,
      );
    } else if (open && isModelCall(event)) {
      // The summary for a handover between two cycles counts with the one it follows.
      cycles ??= before.cycles.slice();
      cycles[cycles.length - 1] = withCall(open, event);
    }
    if (event.type === 'memory.changed') {
      changes ??= before.changes.slice();
      changes.push(changeOf(event));
    }
    if (event.type === 'run.forked') {
      const edited = editsOf(event);
      if (edited.length > 0) changes = [...(changes ?? before.changes), ...edited];
    }
  }
  if (seq === before.seq) return before;
  return {
    seq,
    window,
    ...(embeddingModel === undefined ? {} : { embeddingModel }),
    cycles: cycles ?? before.cycles,
    changes: changes ?? before.changes,
  };
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

/** The memories that a person edited in a fork. */
function editsOf({ seq, at, cycle, edits }: EventOf<'run.forked'>): MemoryChange[] {
  return edits.flatMap((edit) =>
    edit.target === 'memory' ? [{ seq, at, cycle, key: edit.key, value: edit.after }] : [],
  );
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

/** Takes the novelty of the last reflection from the comparison, by embeddings unless these failed, and its vectors. */
function takeNovelty(
  cycles: Cycle[],
  { similarity, measure, vectors = [] }: EventOf<'diversity.advised'>,
): void {
  const last = cycles.findLastIndex(({ reflection }) => reflection !== undefined);
  const cycle = cycles[last];
  if (cycle) cycles[last] = { ...cycle, novelty: 1 - similarity, noveltyMeasure: measure };
  for (const { cycle: number, vector } of vectors) {
    const index = cycles.findIndex((each) => each.number === number);
    const found = cycles[index];
    if (found) cycles[index] = { ...found, vector };
  }
}

type ModelCallEvent = EventOf<'model-call.started' | 'model-call.ended' | 'model-call.failed'>;

function isModelCall(event: RunEvent): event is ModelCallEvent {
  return (
    event.type === 'model-call.started' ||
    event.type === 'model-call.ended' ||
    event.type === 'model-call.failed'
  );
}

function withCall(cycle: Cycle, event: ModelCallEvent): Cycle {
  const moved = { ...cycle, until: event.at };
  return event.type === 'model-call.started'
    ? { ...moved, modelCalls: cycle.modelCalls + 1 }
    : { ...moved, ...addUsage(cycle, event) };
}

/** @param byWords the cycles so far and how many reflections to compare by words; omitted if embeddings are used */
function within(
  cycle: Cycle,
  event: RunEvent,
  byWords: { cycles: readonly Cycle[]; window: number } | undefined,
): Cycle {
  if (isModelCall(event)) return withCall(cycle, event);
  const moved = { ...cycle, until: event.at };
  switch (event.type) {
    case 'mcp-sampling.ended':
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
      return hasFailed(event.result) ? { ...moved, failedToolCalls: cycle.failedToolCalls + 1 } : moved;
    case 'memory.changed':
      return { ...moved, memoriesChanged: cycle.memoriesChanged + 1 };
    case 'agent.messaged':
      return { ...moved, messagesToOperator: cycle.messagesToOperator + 1 };
    case 'diversity.advised':
      return { ...moved, advice: event };
    case 'cycle.reflected': {
      const ended = { ...moved, endedBy: event.ended_by, endedSeq: event.seq };
      if (event.ended_by === 'call_limit') return ended;
      const novelty = byWords && noveltyByWords(event.text, byWords);
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

function noveltyByWords(
  text: string,
  { cycles, window }: { cycles: readonly Cycle[]; window: number },
): number | undefined {
  const earlier: { text: string }[] = [];
  for (let index = cycles.length - 1; index >= 0 && earlier.length < window; index -= 1) {
    const { reflection } = cycles[index] ?? {};
    if (reflection !== undefined) earlier.push({ text: reflection });
  }
  const found = nearestReflection({ text }, earlier, 'ngram');
  return found && 1 - found.similarity;
}

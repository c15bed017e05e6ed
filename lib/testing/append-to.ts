import { foldAll } from '../events/fold-run.ts';
import { placeEvents } from '../events/place-events.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { growthOf } from '../store/growth-of.ts';
import type { LogGrowth } from '../store/log-growth.ts';
import type { RunStore } from '../store/run-store.ts';
import type { SharedRunStore } from '../store/shared-run-store.ts';
import { steadyNow } from '../util/steady-clock.ts';

type LogStore = Pick<RunStore, 'read' | 'append'>;

interface NewEvents {
  /** The last event that the caller knows. */
  expectedSeq: number;
  events: readonly NewEvent[];
}

/** Appends to a stored run the way its worker does, for tests without a worker. */
export async function appendTo(
  store: LogStore,
  runId: string,
  { epoch, ...added }: NewEvents & { epoch: number },
): Promise<RunEvent[]> {
  const { placed, ...growth } = await growthAfter(store, runId, added);
  await store.append(runId, { epoch, ...growth });
  return placed;
}

/** Appends a person's action, like a process that doesn't hold the run. */
export async function interveneIn(
  store: LogStore & Pick<SharedRunStore, 'intervene'>,
  runId: string,
  added: NewEvents,
): Promise<RunEvent[]> {
  const { placed, ...growth } = await growthAfter(store, runId, added);
  await store.intervene(runId, growth);
  return placed;
}

/** The last states that were appended, so that many appends don't read the log as often. */
const lastStates = new WeakMap<LogStore, RunState>();

/** The data that an append of these events writes, and the numbered events. */
export async function growthAfter(
  store: LogStore,
  runId: string,
  { expectedSeq, events }: NewEvents,
): Promise<LogGrowth & { placed: RunEvent[] }> {
  const last = lastStates.get(store);
  const before =
    last?.runId === runId && last.seq === expectedSeq ? last : await stateAt(store, runId, expectedSeq);
  const placed = placeEvents(before, events, steadyNow());
  const state = foldAll(before, placed);
  lastStates.set(store, state);
  return { placed, ...growthOf(placed, state) };
}

async function stateAt(store: LogStore, runId: string, seq: number): Promise<RunState> {
  const known = await store.read(runId, { afterSeq: 0, limit: Math.max(1, seq) });
  return { ...foldAll(emptyRunState(runId), known), seq };
}

import { createStore } from 'zustand/vanilla';
import type { RunDelta } from '../../events/delta.ts';
import { foldAll } from '../../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { noPrompts, PromptFold } from '../../events/prompt-roles.ts';
import { emptyRunState, type RunState } from '../../events/run-state.ts';
import type { ShownEvent } from '../../events/timeline.ts';
import { mayWaitForSlot } from './activity.ts';
import { type ConnectionSignal, newConnection, reduceConnection } from './connection.ts';
import { applyDelta, emptyLive, type Live } from './live-text.ts';
import type { RunSource, RunView } from './run-view.ts';

/** Schedules `work` once, soon, and returns a function that cancels it. In a browser: before the next frame. */
export type Schedule = (work: () => void) => () => void;

/** One run in the browser. Events and deltas go in as they come; the stores change at most once per frame. */
export interface RunStore extends RunSource {
  receive(events: readonly ShownEvent[]): void;
  receiveDelta(delta: RunDelta): void;
  signal(signal: ConnectionSignal): void;
  /** Applies all received events immediately. */
  flush(): void;
  /** The last event received, applied or not; a stream resumes after it. */
  readonly cursor: number;
  /** All applied events from the first, for the replay. The rows reference most of them anyway. */
  readonly events: readonly ShownEvent[];
  dispose(): void;
}

/** This many events are folded at once instead of before the next frame, so that a long log takes many short tasks. */
const FOLDED_AT_ONCE = 200;
/** If this far behind the log, render less often, because each render delays the catch-up. */
const FAR_BEHIND = 200;
const FAR_BEHIND_MS = 1000;

/**
 * Creates the store of a run. Events are applied by number: known ones are skipped and those after a gap are dropped,
 * so that the stream can be reopened at `cursor` and nothing is lost or applied twice (D20).
 */
export function createRunStore(runId: string, schedule: Schedule, now: () => number): RunStore {
  const view = createStore<RunView>(() => ({
    run: emptyRunState(runId),
    ...noPrompts,
    timeline: emptyTimeline,
    connection: newConnection(now()),
  }));
  const live = createStore<Live>(() => emptyLive);
  const applied: ShownEvent[] = [];
  /** Folded state that is not shown yet. */
  let ahead: Omit<RunView, 'connection'> | undefined;
  let waiting: ShownEvent[] = [];
  let deltas: RunDelta[] = [];
  let cursor = 0;
  let cancel: (() => void) | undefined;
  let drawnAt = now();

  const fold = () => {
    const events = waiting;
    waiting = [];
    if (events.length === 0) return;
    for (const event of events) applied.push(event);
    const before = ahead ?? view.getState();
    const prompts = new PromptFold(before);
    ahead = {
      run: foldAll(before.run, events, (state, event) => prompts.take(state, event)),
      timeline: foldTimeline(before.timeline, events),
      ...prompts.history,
    };
  };
  const flush = () => {
    cancel?.();
    cancel = undefined;
    drawnAt = now();
    const pieces = deltas;
    deltas = [];
    fold();
    const folded = ahead;
    ahead = undefined;
    if (folded) {
      const { phase, seq } = folded.run;
      view.setState(({ connection }) => ({
        ...folded,
        connection: reduceConnection(
          connection,
          phase === 'ended' ? { type: 'finished' } : { type: 'received', seq },
          now(),
        ),
      }));
    }
    const { run } = view.getState();
    const before = live.getState();
    let after = folded ? settle(before, run) : before;
    for (const delta of pieces) if (isOpen(delta, run)) after = applyDelta(after, delta);
    if (after !== before) live.setState(after, true);
  };
  const draw = () => {
    cancel?.();
    cancel = undefined;
    const { head } = view.getState().connection;
    if (head - cursor > FAR_BEHIND && now() - drawnAt < FAR_BEHIND_MS) soon();
    else flush();
  };
  const soon = () => {
    cancel ??= schedule(draw);
  };

  return {
    view,
    live,
    flush,
    events: applied,
    get cursor() {
      return cursor;
    },
    receive(events) {
      for (const event of events) {
        if (event.seq !== cursor + 1) continue;
        cursor = event.seq;
        waiting.push(event);
      }
      if (waiting.length === 0) return;
      if (waiting.length >= FOLDED_AT_ONCE) fold();
      soon();
    },
    receiveDelta(delta) {
      deltas.push(delta);
      soon();
    },
    signal(signal) {
      view.setState(({ connection }) => {
        const after = reduceConnection(connection, signal, now());
        return after === connection ? {} : { connection: after };
      });
    },
    dispose() {
      cancel?.();
      cancel = undefined;
    },
  };
}

/** Live text belongs to the open call; an ended call has its text in its event. */
function isOpen(delta: RunDelta, run: RunState): boolean {
  switch (delta.type) {
    case 'text':
    case 'thinking':
      return run.openCall?.call === delta.call;
    case 'tool-output':
      return (
        run.reply?.calls.some((call) => call.callId === delta.call_id && call.status === 'running') ?? false
      );
    case 'queue':
      return run.phase !== 'ended';
    case 'server-wait':
      return run.phase === 'awaiting-server';
    case 'load':
      return run.phase === 'loading';
  }
}

/** Drops live text of calls that have ended. */
function settle(live: Live, run: RunState): Live {
  let settled = live;
  if (live.call !== 0 && run.openCall?.call !== live.call) {
    settled = {
      ...settled,
      call: 0,
      text: undefined,
      thinking: undefined,
      textSince: undefined,
      thinkingSince: undefined,
    };
  }
  const running =
    run.reply?.calls.filter((call) => call.status === 'running').map((call) => call.callId) ?? [];
  if (Object.keys(live.toolOutput).some((callId) => !running.includes(callId))) {
    settled = {
      ...settled,
      toolOutput: Object.fromEntries(
        Object.entries(live.toolOutput).filter(([callId]) => running.includes(callId)),
      ),
    };
  }
  if (live.serverWait && run.phase !== 'awaiting-server') settled = { ...settled, serverWait: undefined };
  if (live.load && run.phase !== 'loading') settled = { ...settled, load: undefined };
  return live.queue && !mayWaitForSlot(run) ? { ...settled, queue: undefined } : settled;
}

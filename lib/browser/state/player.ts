import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ShownEvent } from '../../events/timeline.ts';
import { emptyLive } from './live-text.ts';
import { createRecording, type Mark, type Pace, paceOf, seqAt, timeOf, trackOf, wallAt } from './playback.ts';
import type { RunSource, RunView } from './run-view.ts';

export const SPEEDS = [1, 4, 16] as const;
type Speed = (typeof SPEEDS)[number];

/** Waits longer than this are cut to it while waiting is skipped, in milliseconds. */
const LONGEST_WAIT_MS = 800;
/** Skipping waits is offered if it saves at least this share of the duration. */
const WORTH_SKIPPING = 0.25;

interface PlayerState {
  /** The event up to which the run is shown. */
  readonly cursor: number;
  /** The playback position in milliseconds of its pace. */
  readonly ms: number;
  readonly playing: boolean;
  readonly speed: Speed;
  /** Whether long waits are cut short. */
  readonly skips: boolean;
}

/** A recorded run with a cursor that is moved by playing, stepping and seeking. What it shows is a `RunSource`. */
export interface Player {
  readonly source: RunSource;
  readonly state: StoreApi<PlayerState>;
  readonly events: readonly ShownEvent[];
  readonly track: ReturnType<typeof trackOf>;
  /** The pace that is played at now. */
  pace: () => Pace;
  /** The lengths with and without long waits, when leaving them out is worth it. */
  readonly offer: { readonly wholeMs: number; readonly skippedMs: number } | undefined;
  /** The time at the cursor, in milliseconds since 1970. */
  wall: () => number;
  /** Starts over if it is at the end. */
  play: () => void;
  pause: () => void;
  seek: (seq: number) => void;
  seekTime: (ms: number) => void;
  /** Moves by a number of events. */
  step: (by: 1 | -1) => void;
  /** Seeks to the next or previous iteration or cycle, or to the end or beginning. */
  stepMark: (by: 1 | -1) => void;
  setSpeed: (speed: Speed) => void;
  /** Keeps the event at the cursor. */
  setSkips: (skips: boolean) => void;
  /** Advances by this many milliseconds of real time; stops at the end. */
  advance: (elapsedMs: number) => void;
}

/**
 * @param events a complete log, numbered from 1
 * @throws {RangeError} when a number is missing
 */
export function createPlayer(events: readonly ShownEvent[]): Player {
  const recording = createRecording(events);
  const track = trackOf(events);
  const steps = track.marks.filter(({ kind }) => kind === 'step');
  const recorded = paceOf(events);
  const skipped = paceOf(events, LONGEST_WAIT_MS);
  const saved = recorded.lengthMs - skipped.lengthMs;
  const view = createStore<RunView>(() => ({
    ...recording.at(recording.last),
    connection: {
      status: 'closed',
      since: events.at(-1)?.at ?? 0,
      tries: 0,
      head: recording.last,
      seen: recording.last,
    },
  }));
  const live = createStore(() => emptyLive);
  const state = createStore<PlayerState>(() => ({
    cursor: recording.last,
    ms: recorded.lengthMs,
    playing: false,
    speed: 1,
    skips: false,
  }));
  const pace = () => (state.getState().skips ? skipped : recorded);
  const show = (cursor: number, changes: Partial<PlayerState>) => {
    if (view.getState().run.seq !== cursor) view.setState(recording.at(cursor));
    state.setState({ ...changes, cursor });
  };
  const seek = (seq: number) => {
    const cursor = Math.min(recording.last, Math.max(Math.min(1, recording.last), Math.trunc(seq)));
    show(cursor, { ms: timeOf(pace(), cursor) });
  };
  const seekTime = (wanted: number) => {
    const ms = Math.min(pace().lengthMs, Math.max(0, wanted));
    show(seqAt(pace(), ms), { ms });
  };
  return {
    source: { view, live },
    state,
    events,
    track,
    pace,
    offer:
      saved > 2000 && saved / recorded.lengthMs >= WORTH_SKIPPING
        ? { wholeMs: recorded.lengthMs, skippedMs: skipped.lengthMs }
        : undefined,
    wall: () => wallAt(recording, pace(), state.getState().ms),
    play() {
      if (state.getState().cursor >= recording.last) seek(1);
      state.setState({ playing: true });
    },
    pause: () => state.setState({ playing: false }),
    seek,
    seekTime,
    step(by) {
      state.setState({ playing: false });
      seek(state.getState().cursor + by);
    },
    stepMark(by) {
      const { cursor } = state.getState();
      seek(by === 1 ? nextStep(steps, cursor, recording.last) : stepBefore(steps, cursor));
    },
    setSpeed: (speed) => state.setState({ speed }),
    setSkips(skips) {
      state.setState({ skips });
      seek(state.getState().cursor);
    },
    advance(elapsedMs) {
      const { playing, speed, ms } = state.getState();
      if (!playing) return;
      seekTime(ms + elapsedMs * speed);
      if (state.getState().ms >= pace().lengthMs) state.setState({ playing: false });
    },
  };
}

function nextStep(steps: readonly Mark[], cursor: number, last: number): number {
  return steps.find(({ seq }) => seq > cursor)?.seq ?? last;
}

function stepBefore(steps: readonly Mark[], cursor: number): number {
  return steps.findLast(({ seq }) => seq < cursor)?.seq ?? 1;
}

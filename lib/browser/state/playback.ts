import { foldAll } from '../../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import type { PromptHistory } from '../../events/prompt-history.ts';
import { noPrompts, PromptFold } from '../../events/prompt-roles.ts';
import { emptyRunState, type RunState } from '../../events/run-state.ts';
import type { ShownEvent, Timeline } from '../../events/timeline.ts';

/** The state of a run after one of its events. */
interface Moment extends PromptHistory {
  readonly run: RunState;
  readonly timeline: Timeline;
}

/** A complete log that can be viewed after any of its events. */
export interface Recording {
  readonly events: readonly ShownEvent[];
  /** The number of the last event; 0 for an empty log. */
  readonly last: number;
  /**
   * The run after event `seq`: the fold of the log up to there, and nothing else. Numbers outside of the log count as its
   * ends. Costs at most the folding of the events since the checkpoint before.
   */
  at: (seq: number) => Moment;
}

/** The most events to fold on the way to any place of a log that was once read to its end. */
const CHECKPOINT = 64;

/** @throws {RangeError} from `at`, when the events are not numbered from 1 without a gap */
export function createRecording(events: readonly ShownEvent[]): Recording {
  const runId = events[0]?.run_id ?? '';
  const checkpoints: Moment[] = [{ run: emptyRunState(runId), timeline: emptyTimeline, ...noPrompts }];
  let latest = 0;
  let held: Moment | undefined;
  const foldOn = (from: Moment, to: number): Moment => {
    const more = events.slice(from.run.seq, to);
    const prompts = new PromptFold(from);
    const run = foldAll(from.run, more, (state, event) => prompts.take(state, event));
    return { run, timeline: foldTimeline(from.timeline, more), ...prompts.history };
  };
  const start = (): Moment => {
    const first = checkpoints[0];
    if (!first) throw new RangeError('A recording has a beginning');
    return first;
  };
  return {
    events,
    last: events.length,
    at(wanted) {
      const seq = clamp(Math.trunc(wanted), 0, events.length);
      if (held?.run.seq === seq) return held;
      while (latest + CHECKPOINT <= seq) {
        checkpoints.push(foldOn(checkpoints.at(-1) ?? start(), latest + CHECKPOINT));
        latest += CHECKPOINT;
      }
      const before = checkpoints[Math.floor(seq / CHECKPOINT)] ?? start();
      // Playing forward continues from the shown state, so that unchanged rows keep their identity.
      const from = held && held.run.seq < seq && held.run.seq >= before.run.seq ? held : before;
      held = foldOn(from, seq);
      return held;
    },
  };
}

/** When each event of a log is played. */
export interface Pace {
  /** Milliseconds from the first event, one per event, never falling. */
  readonly times: readonly number[];
  readonly lengthMs: number;
}

/**
 * The pace at which a log was recorded; with `longestWaitMs`, every longer wait between two events takes that long.
 * Events keep their order regardless of timestamps: an event stamped earlier than its predecessor appears together with
 * it.
 */
export function paceOf(events: readonly ShownEvent[], longestWaitMs = Number.POSITIVE_INFINITY): Pace {
  const times: number[] = [];
  let at = events[0]?.at ?? 0;
  let played = 0;
  for (const event of events) {
    played += Math.min(longestWaitMs, Math.max(0, event.at - at));
    at = Math.max(at, event.at);
    times.push(played);
  }
  return { times, lengthMs: played };
}

/** The last event that has happened at a time of a pace; at least the first one. */
export function seqAt(pace: Pace, ms: number): number {
  let low = 0;
  let high = pace.times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pace.times[middle] ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return Math.max(Math.min(1, pace.times.length), low);
}

/** When an event is played, in milliseconds from the first. */
export function timeOf(pace: Pace, seq: number): number {
  return pace.times[clamp(seq, 1, pace.times.length) - 1] ?? 0;
}

/**
 * What the clocks said at a time of a pace, in milliseconds since 1970. A wait that is played faster runs its clock
 * faster.
 */
export function wallAt(recording: Recording, pace: Pace, ms: number): number {
  const seq = seqAt(pace, ms);
  const event = recording.events[seq - 1];
  if (!event) return 0;
  const next = recording.events[seq];
  if (!next) return event.at;
  const from = timeOf(pace, seq);
  const span = timeOf(pace, seq + 1) - from;
  const share = span > 0 ? clamp((ms - from) / span, 0, 1) : 0;
  return event.at + share * Math.max(0, next.at - event.at);
}

/** A stretch of a run in which the model wrote or a tool ran. */
export interface Span {
  readonly kind: 'model' | 'tool';
  readonly from: number;
  readonly to: number;
}

/** A place of a run that is worth going to. */
export interface Mark {
  readonly kind: 'step' | 'failure' | 'decision';
  readonly seq: number;
}

/** The track of a player: activity ranges by event, and marks to seek to. */
export function trackOf(events: readonly ShownEvent[]): { spans: readonly Span[]; marks: readonly Mark[] } {
  const spans: Span[] = [];
  const marks: Mark[] = [];
  const tools = new Map<string, number>();
  let call: number | undefined;
  // The steps are cycles in an exploration, iterations or turns otherwise.
  const stepType = events.some(({ type }) => type === 'cycle.started')
    ? 'cycle.started'
    : 'iteration.started';
  for (const event of events) {
    const { seq } = event;
    if (event.type === stepType) marks.push({ kind: 'step', seq });
    switch (event.type) {
      case 'model-call.started':
        call = seq;
        break;
      case 'model-call.ended':
      case 'model-call.failed':
        if (call !== undefined) spans.push({ kind: 'model', from: call, to: seq });
        call = undefined;
        if (event.type === 'model-call.failed') marks.push({ kind: 'failure', seq });
        break;
      case 'tool-call.started':
        tools.set(event.call_id, seq);
        break;
      case 'tool-call.ended':
      case 'tool-call.interrupted': {
        const from = tools.get(event.call_id);
        if (from !== undefined) spans.push({ kind: 'tool', from, to: seq });
        tools.delete(event.call_id);
        if (!event.result.success) marks.push({ kind: 'failure', seq });
        break;
      }
      case 'answer.checked':
        if (!event.fits) marks.push({ kind: 'failure', seq });
        break;
      case 'policy.nudged':
      case 'policy.retried':
      case 'policy.compacted':
      case 'policy.warned':
      case 'server-wait.started':
      case 'run.resumed':
        marks.push({ kind: 'decision', seq });
    }
  }
  return { spans, marks };
}

/**
 * Stretches of one kind as shares of the whole pace, 0 to 1, in order; those that touch at `width` places are one. A
 * track of any length is thus drawn in a bounded number of pieces.
 */
export function laneOf(
  spans: readonly Span[],
  pace: Pace,
  width: number,
): readonly { readonly from: number; readonly to: number }[] {
  const lane: { from: number; to: number }[] = [];
  if (pace.lengthMs === 0) return lane;
  for (const span of spans) {
    const from = timeOf(pace, span.from) / pace.lengthMs;
    const to = Math.max(from, timeOf(pace, span.to) / pace.lengthMs);
    const before = lane.at(-1);
    if (before && from - before.to < 1 / width) before.to = Math.max(before.to, to);
    else lane.push({ from, to });
  }
  return lane;
}

/** The marks of a track that is `width` pixels wide: at most one per pixel, the earliest. */
export function marksByPixel(
  marks: readonly Mark[],
  pace: Pace,
  width: number,
): readonly (Mark & { at: number })[] {
  const byPixel = new Map<number, Mark & { at: number }>();
  for (const mark of marks) {
    const at = pace.lengthMs === 0 ? 0 : timeOf(pace, mark.seq) / pace.lengthMs;
    const pixel = Math.round(at * width);
    if (!byPixel.has(pixel)) byPixel.set(pixel, { ...mark, at });
  }
  return [...byPixel.values()];
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

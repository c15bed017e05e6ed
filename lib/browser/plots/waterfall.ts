import type {
  CallRow,
  PreparationRow,
  TimelineRow,
  ToolRow,
  VerificationRow,
} from '../../events/timeline.ts';
import { phasesOf } from '../words/call-phases.ts';
import type { CallTime, TimeKind, TimeSegment } from './series.ts';

/** What a row of the timeline contributes, before gaps are filled. Rows are immutable, so each is read once. */
const piecesOfRow = new WeakMap<TimelineRow, readonly TimeSegment[]>();

/**
 * The time of a run by model call. The segments of all calls together cover the run from its creation to `until`
 * without gaps or overlaps: what neither the model nor a tool explains is waiting. Only the time between a run and its
 * fork is left out. Pure.
 *
 * @param until end of the run or the current time, in milliseconds since 1970; open calls and tools last until then
 */
export function callTimes(rows: readonly TimelineRow[], until: number): CallTime[] {
  const [first] = rows;
  if (!first) return [];
  const times: CallTime[] = [];
  let open = opening(first);
  for (const row of rows) {
    if (row.kind === 'call') {
      const closed = closeAt(open, row.at);
      if (closed.segments.length > 0 || closed.call > 0) times.push(closed);
      open = { row, call: row.call, from: Math.max(row.at, closed.to), pieces: [] };
    }
    if (row.kind === 'forked') {
      // The time between the original run and its fork belongs to neither.
      const copied = closeAt(open, endOf(open));
      if (copied.segments.length > 0 || copied.call > 0) times.push(copied);
      open = opening(row);
    }
    for (const piece of piecesOf(row, until)) open.pieces.push(piece);
  }
  const last = closeAt(open, until);
  if (last.segments.length > 0 || last.call > 0) times.push(last);
  return times;
}

interface OpenTime {
  readonly row: TimelineRow;
  readonly call: number;
  readonly from: number;
  readonly pieces: TimeSegment[];
}

function opening(row: TimelineRow): OpenTime {
  return { row, call: 0, from: row.at, pieces: [] };
}

/** The end of its last piece. */
function endOf({ from, pieces }: OpenTime): number {
  return pieces.reduce((end, { to }) => Math.max(end, to), from);
}

/** Fills the gaps between the pieces with waiting, and cuts what overlaps. */
function closeAt({ row, call, from, pieces }: OpenTime, until: number): CallTime {
  const segments: TimeSegment[] = [];
  let at = from;
  const wait = (to: number, seq: number) => {
    if (to <= at) return;
    segments.push({ kind: 'waiting', from: at, to, seq });
    at = to;
  };
  for (const piece of pieces) {
    const to = Math.min(piece.to, until);
    wait(Math.min(piece.from, until), piece.seq);
    if (to <= at) continue;
    segments.push({ ...piece, from: at, to });
    at = to;
  }
  wait(until, segments.at(-1)?.seq ?? row.seq);
  return {
    call,
    seq: row.seq,
    iteration: row.iteration,
    attempt: row.attempt,
    status: row.kind === 'call' ? row.status : 'before',
    from,
    to: at,
    segments,
  };
}

function piecesOf(row: TimelineRow, until: number): readonly TimeSegment[] {
  const known = piecesOfRow.get(row);
  if (known) return known;
  const open = isOpen(row);
  const pieces = readPieces(row, until);
  if (!open) piecesOfRow.set(row, pieces);
  return pieces;
}

/** Whether the row's time still grows with the clock. */
function isOpen(row: TimelineRow): boolean {
  return (
    (row.kind === 'call' && row.status === 'open') ||
    (row.kind === 'tool' &&
      (row.status === 'running' || row.status === 'awaiting approval' || row.status === 'awaiting answer')) ||
    (row.kind === 'verification' && !row.checked) ||
    (row.kind === 'preparation' && row.loadStarted !== undefined && !row.loaded)
  );
}

function readPieces(row: TimelineRow, until: number): readonly TimeSegment[] {
  switch (row.kind) {
    case 'preparation':
      return loadPieces(row, until);
    case 'call':
      return modelPieces(row, until);
    case 'tool':
      return toolPieces(row, until);
    case 'verification':
      return checkPieces(row, until);
    default:
      return [];
  }
}

function loadPieces({ loadStarted, loaded }: PreparationRow, until: number): TimeSegment[] {
  if (!loadStarted || loaded?.already_loaded) return [];
  return [{ kind: 'load', from: loadStarted.at, to: loaded?.at ?? until, seq: loadStarted.seq }];
}

/** The phases as measured by Ollama, one after another; they are scaled where they exceed the time between the events. */
function modelPieces(row: CallRow, until: number): TimeSegment[] {
  const { seq, at, ended, failed, status } = row;
  const end = ended ?? failed;
  if (!end) {
    // A call that was lost with its server has no recorded end.
    return status === 'open' ? [{ kind: 'model', from: at, to: until, seq }] : [];
  }
  const phases = phasesOf(row);
  const total = phases.reduce((sum, { ms }) => sum + ms, 0);
  const span = Math.min(end.at - at, end.duration_ms);
  if (total === 0) return [{ kind: 'model', from: at, to: at + span, seq }];
  const scale = Math.min(1, span / total);
  let from = at;
  return phases.map(({ kind, ms }) => {
    const to = from + ms * scale;
    const piece: TimeSegment = { kind: kindOfPhase(kind), from, to, seq };
    from = to;
    return kind === 'wait' ? { ...piece, detail: 'Ollama' } : piece;
  });
}

function kindOfPhase(kind: ReturnType<typeof phasesOf>[number]['kind']): TimeKind {
  if (kind === 'wait') return 'waiting';
  return kind === 'reply' ? 'model' : kind;
}

function toolPieces(row: ToolRow, until: number): TimeSegment[] {
  const { seq, startedAt, durationMs, requested, decided, name } = row;
  const pieces: TimeSegment[] = [];
  if (requested) {
    const to = decided?.at ?? (row.status === 'awaiting approval' ? until : requested.at);
    pieces.push({ kind: 'waiting', from: requested.at, to, seq: requested.seq, detail: 'approval' });
  }
  if (startedAt !== undefined) {
    const asked = askedPieces(row, until);
    // The duration of a call is without the waits for a person and the model.
    const pausedMs = asked.reduce((sum, { from, to }) => sum + to - from, 0);
    const isOpen = row.status === 'running' || row.status === 'awaiting answer';
    const to = durationMs === undefined ? (isOpen ? until : startedAt) : startedAt + durationMs + pausedMs;
    let from = startedAt;
    for (const piece of asked) {
      pieces.push({ kind: 'tool', from, to: piece.from, seq, detail: name }, piece);
      from = piece.to;
    }
    pieces.push({ kind: 'tool', from, to: Math.max(from, to), seq, detail: name });
  }
  return pieces;
}

/** The waits during a call, for the person and then for the model that its server asked. */
function askedPieces({ asked = [], resultSeq }: ToolRow, until: number): TimeSegment[] {
  return asked.flatMap(({ received, answered, sampled }): TimeSegment[] => {
    const { at: from, seq, server } = received;
    const to = answered?.at ?? (resultSeq === undefined ? until : from);
    const wait: TimeSegment = { kind: 'waiting', from, to, seq, detail: server };
    return sampled ? [wait, { kind: 'model', from: to, to: sampled.at, seq, detail: server }] : [wait];
  });
}

function checkPieces({ started, checked }: VerificationRow, until: number): TimeSegment[] {
  return [{ kind: 'tool', from: started.at, to: checked?.at ?? until, seq: started.seq, detail: 'checks' }];
}

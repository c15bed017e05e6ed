/**
 * How the page is connected to its run.
 *
 * - `connecting`: the first answer is awaited
 * - `catching-up`: the log is being replayed; the picture is older than the run
 * - `live`: everything stored has been seen
 * - `reconnecting`: the stream broke; a new one is being opened
 * - `offline`: the server does not answer
 * - `refused`: the server answers and will not give this run (unknown, deleted, or not signed in)
 * - `closed`: the run has ended and was received completely
 */
export type ConnectionStatus =
  | 'connecting'
  | 'catching-up'
  | 'live'
  | 'reconnecting'
  | 'offline'
  | 'refused'
  | 'closed';

export interface Connection {
  readonly status: ConnectionStatus;
  /** When the status began, in milliseconds since 1970. */
  readonly since: number;
  /** Attempts since the stream was last open. */
  readonly tries: number;
  /** The highest sequence number known to exist; 0 while unknown. */
  readonly head: number;
  /** The highest sequence number received. */
  readonly seen: number;
  readonly problem?: { code: string; message: string; hint?: string };
}

export type ConnectionSignal =
  | { type: 'opening' }
  | { type: 'opened' }
  | { type: 'head'; seq: number }
  | { type: 'received'; seq: number }
  | { type: 'lost' }
  | { type: 'unreachable' }
  | { type: 'refused'; problem: { code: string; message: string; hint?: string } }
  | { type: 'finished' }
  /** Somebody deleted the run, here or elsewhere. */
  | { type: 'deleted' };

const DELETED = {
  code: 'run_deleted',
  message: 'This run was deleted.',
  hint: 'Its log is gone and its share links no longer work. Files in its workspace are still there.',
};

export function newConnection(at: number): Connection {
  return { status: 'connecting', since: at, tries: 0, head: 0, seen: 0 };
}

/** Applies a signal of the transport. Pure and idempotent. */
export function reduceConnection(connection: Connection, signal: ConnectionSignal, at: number): Connection {
  const next = step(connection, signal);
  if (next === connection) return connection;
  return next.status === connection.status ? next : { ...next, since: at };
}

function step(connection: Connection, signal: ConnectionSignal): Connection {
  if (signal.type === 'deleted') {
    return connection.problem === DELETED
      ? connection
      : { ...connection, status: 'refused', problem: DELETED };
  }
  if (connection.status === 'closed') return connection;
  switch (signal.type) {
    case 'opening':
      return { ...connection, tries: connection.tries + 1 };
    case 'opened':
      return { ...connection, tries: 0, problem: undefined, status: caughtUp(connection) };
    case 'head': {
      if (signal.seq <= connection.head) return connection;
      const moved = { ...connection, head: signal.seq };
      return isOpen(connection) ? { ...moved, status: caughtUp(moved) } : moved;
    }
    case 'received': {
      if (signal.seq <= connection.seen && isOpen(connection)) return connection;
      const moved = {
        ...connection,
        seen: Math.max(connection.seen, signal.seq),
        head: Math.max(connection.head, signal.seq),
        tries: 0,
        problem: undefined,
      };
      return { ...moved, status: caughtUp(moved) };
    }
    case 'lost':
      return connection.status === 'reconnecting' ? connection : { ...connection, status: 'reconnecting' };
    case 'unreachable':
      return connection.status === 'offline' ? connection : { ...connection, status: 'offline' };
    case 'refused':
      return { ...connection, status: 'refused', problem: signal.problem };
    case 'finished':
      return { ...connection, status: 'closed', problem: undefined };
  }
}

function isOpen(connection: Connection): boolean {
  return connection.status === 'live' || connection.status === 'catching-up';
}

function caughtUp(connection: Connection): ConnectionStatus {
  return connection.seen >= connection.head && connection.seen > 0 ? 'live' : 'catching-up';
}

/**
 * How long to wait before the next attempt, in milliseconds: 0.25 s, 0.5 s, 1 s … up to 8 s, each spread by a fifth so
 * that the tabs of a browser do not all reconnect at the same time.
 */
export function retryDelayMs(tries: number, random: number): number {
  const delay = Math.min(8000, 250 * 2 ** Math.max(0, tries - 1));
  return Math.round(delay * (0.9 + random * 0.2));
}

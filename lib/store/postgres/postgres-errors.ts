import { AppError } from '../../errors/app-error.ts';
import { errno } from '../../util/errno.ts';
import { StorageFullError } from '../store-errors.ts';

/** Node's codes for a connection that failed or was lost. */
const LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  // The name of a container resolves only while it runs.
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** pg's messages for the same, which have no code. */
const LOST_MESSAGE = /^(Connection terminated|Client has encountered a connection error)/;
/** pg's messages when it gives up waiting for a connection or an answer. */
const TIMEOUT_MESSAGE =
  /^(timeout e(xceeded|xpired)|Connection terminated due to connection timeout|Query read timeout)/;

/** The operating system's messages for a full disk or quota that PostgreSQL does not report as `disk_full` (53100). */
const FULL_MESSAGE = /: (No space left on device|Disk quota exceeded)$/;

const FULL_HINT =
  'Free space on the disk of the database server, or delete runs: PostgreSQL reuses their space after its next vacuum.';

/**
 * Explains errors of PostgreSQL, naming the database. Other errors pass unchanged.
 *
 * A database that does not respond, or takes no writes, as after a failover, is reported as `store_busy`, so that writes
 * are retried.
 *
 * @param place the database without its password
 */
export function postgresError(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const code = errno(error) ?? '';
  if (code === '53100' || FULL_MESSAGE.test(error.message)) {
    return new StorageFullError(`the PostgreSQL database ${place}`, { hint: FULL_HINT, cause: error });
  }
  const lost = isLost(error, code);
  if (lost || isRefusedForNow(code)) {
    return new AppError({
      code: 'store_busy',
      message: lost
        ? `The PostgreSQL database ${place} does not answer.`
        : `The PostgreSQL database ${place} cannot be used at the moment: ${error.message}.`,
      hint: 'Look at the PostgreSQL server and try again: runs wait for it, and nothing is lost.',
      cause: error,
    });
  }
  if (isReadOnly(error)) return takesNoWrites(place, error);
  if (code === '42501') return notWritable(error, place);
  if (code === 'XX001' || code === 'XX002') return damagedDatabase(place, error);
  return error;
}

/** Why a database could not be opened, if waiting would not help. */
export function openingError(error: unknown, place: string): unknown {
  const known = postgresError(error, place);
  if (known instanceof AppError && known.code !== 'store_busy') return known;
  const reason = error instanceof AppError ? error.cause : error;
  if (reason instanceof Error && isReadOnly(reason)) return notWritable(reason, place);
  const why =
    reason instanceof Error
      ? reason.message || ('code' in reason ? String(reason.code) : reason.name)
      : String(reason);
  return new AppError({
    code: 'store_unreachable',
    message: `The PostgreSQL database ${place} cannot be opened: ${why}.`,
    hint: 'Check LOUPE_DATABASE_URL (postgres://user:password@host:port/database), and that PostgreSQL is running there.',
    cause: error,
  });
}

/** Whether pg gave up waiting for a connection or an answer. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && (TIMEOUT_MESSAGE.test(error.message) || errno(error) === 'ETIMEDOUT');
}

/** Whether a statement failed because its connection leads to a database that takes no writes. */
export function isReadOnly(error: unknown): boolean {
  return errno(error) === '25006';
}

/** @param cause PostgreSQL's error for a write, if there was one */
export function takesNoWrites(place: string, cause?: Error): AppError {
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new AppError({
    code: 'store_busy',
    message: `The PostgreSQL database ${place} takes no writes at the moment${why}.`,
    hint: 'It may have become a standby. Look at the PostgreSQL server and try again: runs wait for it, and nothing is lost.',
    cause,
  });
}

function notWritable(error: Error, place: string): AppError {
  return new AppError({
    code: 'store_not_writable',
    message: `The PostgreSQL database ${place} cannot be written: ${error.message}.`,
    hint: 'LOUPE_DATABASE_URL must name a primary server and a role that owns the tables.',
    cause: error,
  });
}

function isLost(error: Error, code: string): boolean {
  return LOST.has(code) || LOST_MESSAGE.test(error.message) || isTimeout(error);
}

/** Whether the server itself said so, with a code after which another attempt may succeed. */
function isRefusedForNow(code: string): boolean {
  // 08: connection; 25P03, 25P04: the transaction took too long, as when this process was suspended in it; 57P: the
  // server stops or starts; 57014: took too long; 53200, 53300: out of memory or connections; 40: try again
  return /^(08|25P03|25P04|57P|57014|53200|53300|55P03|40)/.test(code);
}

/** A damaged database is left untouched: it may contain runs that can be rescued. */
export function damagedDatabase(place: string, cause: unknown, where = ''): AppError {
  return new AppError({
    code: 'store_corrupt',
    message: `The PostgreSQL database ${place} is damaged${where}. It was not changed.`,
    hint: 'Restore it from a backup, or set LOUPE_DATABASE_URL to another one.',
    cause,
  });
}

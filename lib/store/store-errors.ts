import { AppError } from '../errors/app-error.ts';

const MEGABYTE = 1024 * 1024;

/** The disk is full, and nothing was written. The API answers with 507; a run ends with its work kept. */
export class StorageFullError extends AppError {
  /**
   * @param path the path or database on the full disk
   * @param options.freeBytes free space there
   * @param options.missingBytes space to free before writes are accepted again
   */
  constructor(
    path: string,
    options: { freeBytes?: number; missingBytes?: number; cause?: unknown; hint?: string } = {},
  ) {
    const { freeBytes, missingBytes, cause, hint } = options;
    const free = freeBytes === undefined ? '' : `: ${megabytes(freeBytes, Math.floor)} free`;
    const amount = missingBytes === undefined ? 'space' : megabytes(missingBytes, Math.ceil);
    super({
      code: 'storage_full',
      message: `The disk that holds ${path} is full${free}.`,
      hint: hint ?? `Loupe is read-only until you delete runs or free ${amount} on that disk.`,
      cause,
    });
    this.name = 'StorageFullError';
  }
}

/** The disk accepts writes, but has less space than a new run needs. */
export function tooLittleRoom(
  path: string,
  { freeBytes, minFreeBytes }: { freeBytes: number; minFreeBytes: number },
): AppError {
  return new AppError({
    code: 'storage_full',
    message: `The disk that holds ${path} has ${megabytes(freeBytes, Math.floor)} free; new runs need ${megabytes(minFreeBytes, Math.ceil)}.`,
    hint: 'Delete runs or free space on that disk, or lower LOUPE_MIN_FREE_MB.',
  });
}

function megabytes(bytes: number, round: (value: number) => number): string {
  return `${Math.max(0, round(bytes / MEGABYTE))} MB`;
}

/** A run that does not exist. */
export class RunNotFoundError extends AppError {
  constructor(runId: string) {
    super({
      code: 'run_not_found',
      message: `There is no run "${runId}".`,
      hint: 'Check the ID: the run may have been deleted.',
    });
    this.name = 'RunNotFoundError';
  }
}

/** A sequence number that a run's log does not have (yet). */
export function missingEvent(runId: string, seq: number): AppError {
  return new AppError({ code: 'event_not_found', message: `Run ${runId} has no event ${seq}.` });
}

/** A run that has ended accepts no more events. */
export class RunEndedError extends AppError {
  constructor(runId: string) {
    super({ code: 'run_ended', message: `Run ${runId} has ended.`, hint: 'Start a new run.' });
    this.name = 'RunEndedError';
  }
}

/** Only ended runs can be deleted. */
export class RunNotEndedError extends AppError {
  constructor(runId: string) {
    super({
      code: 'run_not_ended',
      message: `Run ${runId} has not ended.`,
      hint: 'Stop it first, then delete it.',
    });
    this.name = 'RunNotEndedError';
  }
}

/** Whether the run does not exist or has ended. */
export function isOver(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'run_ended' || error.code === 'run_not_found');
}

/** Whether the database was locked the whole time, so that a retry may succeed. */
export function isStoreBusy(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'store_busy';
}

/** The database did not answer, and may have created the run all the same. */
export class RunMayExistError extends AppError {
  constructor(runId: string, cause: AppError) {
    super({
      code: 'store_busy',
      message: cause.message,
      hint: `Run ${runId} may have been created. Look for it in the list of runs before you try again.`,
      cause,
    });
    this.name = 'RunMayExistError';
  }
}

/** Whether the disk was full. Compared by code, because classes are lost between threads. */
export function isStorageFull(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'storage_full';
}

/** Whether the log had grown since it was read. */
export function isSeqConflict(error: unknown): boolean {
  return error instanceof AppError && error.code === 'seq_conflict';
}

/** Whether another worker had taken over the run. */
export function isStaleEpoch(error: unknown): boolean {
  return error instanceof AppError && error.code === 'stale_epoch';
}

/** Explains errors of SQLite, naming the file. Other errors pass unchanged. */
export function storeError(error: unknown, path: string): unknown {
  switch (sqliteCode(error)) {
    case 'SQLITE_FULL':
    case 'SQLITE_IOERR_WRITE':
    case 'SQLITE_IOERR_SHMSIZE':
    case 'SQLITE_IOERR_TRUNCATE':
    case 'SQLITE_IOERR_FSYNC':
      return new StorageFullError(path, { cause: error });
    case 'SQLITE_BUSY':
    case 'SQLITE_BUSY_SNAPSHOT':
    case 'SQLITE_LOCKED':
      return new AppError({
        code: 'store_busy',
        message: `The database ${path} is locked by another program.`,
        hint: 'Close the other program and try again.',
        cause: error,
      });
    case 'SQLITE_CORRUPT':
    case 'SQLITE_CORRUPT_INDEX':
    case 'SQLITE_CORRUPT_VTAB':
    case 'SQLITE_NOTADB':
      return corruptStore(path, error);
    case 'SQLITE_READONLY':
    case 'SQLITE_READONLY_DIRECTORY':
    case 'SQLITE_READONLY_DBMOVED':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_PERM':
      return new AppError({
        code: 'store_not_writable',
        message: `The database ${path} cannot be written.`,
        hint: 'Check the owner and the permissions of the folder, or set LOUPE_DATA_DIR to another one.',
        cause: error,
      });
    default:
      return error;
  }
}

/** A damaged database is left untouched: it may contain runs that can be rescued. */
export function corruptStore(path: string, cause?: unknown, where = ''): AppError {
  return new AppError({
    code: 'store_corrupt',
    message: `The database ${path} is damaged${where}. It was not changed.`,
    hint: `Move it away to begin with an empty one, or try to rescue it: sqlite3 ${path} .recover`,
    cause,
  });
}

/** SQLite's extended result code (`SQLITE_FULL`), if the error came from SQLite. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : undefined;
}

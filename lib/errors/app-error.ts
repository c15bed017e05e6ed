/** An error shown to a user or returned to a script: what went wrong and what to do about it. */
export class AppError extends Error {
  /** Stable, machine-readable, snake_case: `model_missing`. */
  readonly code: string;
  /** The next step, as a sentence. */
  readonly hint: string | undefined;

  constructor(options: { code: string; message: string; hint?: string; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.name = 'AppError';
    this.code = options.code;
    this.hint = options.hint;
  }
}

/** The parts of an error that replies and events contain. */
export function errorParts({
  code,
  message,
  hint,
}: Pick<AppError, 'code' | 'message'> & { hint?: string | undefined }): {
  code: string;
  message: string;
  hint?: string;
} {
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

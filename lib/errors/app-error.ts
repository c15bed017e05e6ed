/** Every error that a person or a script may see: what happened, and what to do next. */
export class AppError extends Error {
  /** Stable, machine-readable, snake_case: `model_missing`. */
  readonly code: string;
  /** The next step for the reader, as a sentence. */
  readonly hint: string | undefined;

  constructor(options: { code: string; message: string; hint?: string; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.name = 'AppError';
    this.code = options.code;
    this.hint = options.hint;
  }
}

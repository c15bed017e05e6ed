/** An error to show to a person: what happened and what to do next. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  /** HTTP status; 0 if the server did not respond. */
  readonly status: number;

  constructor(options: { code: string; message: string; hint?: string; status: number; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = options.code;
    this.hint = options.hint;
    this.status = options.status;
  }
}

/** Any failure in the form the interface shows. Anything but an `ApiError` is a bug in Loupe, so the console gets it as well. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  console.error(error);
  return new ApiError({ code: 'unexpected', message: String(error), status: 0, cause: error });
}

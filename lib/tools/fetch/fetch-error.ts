/** Why a URL was not fetched; the message is for the model. */
export class FetchError extends Error {
  /** Known facts about the response. */
  readonly detail: Readonly<Record<string, string | number>>;

  constructor(message: string, options: { detail?: Record<string, string | number>; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.detail = options.detail ?? {};
  }
}

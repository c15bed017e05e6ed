/** The body of every error: what went wrong and what to do about it. */
export interface ErrorReply {
  error: { code: string; message: string; hint?: string };
}

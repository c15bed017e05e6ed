/** The error code in place of an answer that can no longer arrive. No server has a reason to send it. */
export const ANSWER_LOST = Number.MIN_SAFE_INTEGER;

/** The problem of an answer that has neither a result nor an error. */
export const INVALID_ANSWER = 'Its answer is not valid JSON-RPC.';

/** The problem of an answer whose stream of events ended without it. */
export const STREAM_ENDED = 'The response stream ended before the answer came.';

/** The time limit of a wait for an answer. */
export class AnswerTimeoutError extends Error {}

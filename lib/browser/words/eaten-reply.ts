import type { CallRow } from '../../events/timeline.ts';

/** A reply whose whole limit went into thinking, so that no answer came (OL18). */
export interface EatenReply {
  readonly thinkingTokens: number;
  /** What cut it: the limit of the reply, or the end of the window. */
  readonly by: 'num_predict' | 'window';
  /** That limit in tokens. */
  readonly limit: number;
}

/** `undefined` for every reply that says or calls something, or that was not cut. Pure. */
export function eatenReply({ started, ended }: Pick<CallRow, 'started' | 'ended'>): EatenReply | undefined {
  if (ended?.done_reason !== 'length' || ended.reply_tokens === undefined) return undefined;
  const { content, thinking, tool_calls } = ended.message;
  if (content.trim() !== '' || !thinking?.trim() || (tool_calls ?? []).length > 0) return undefined;
  const predict = Number(started.options.num_predict);
  const byPredict = ended.reply_tokens >= predict;
  return {
    thinkingTokens: ended.reply_tokens,
    by: byPredict ? 'num_predict' : 'window',
    limit: byPredict ? predict : Number(started.options.num_ctx),
  };
}

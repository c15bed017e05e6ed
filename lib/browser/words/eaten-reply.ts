import type { CallRow } from '../../events/timeline.ts';

/** A reply that used its entire limit for thinking and has no answer (OL18). */
export interface EatenReply {
  readonly thinkingTokens: number;
  /** What cut it off: the reply limit or the window. */
  readonly by: 'num_predict' | 'window';
  /** That limit in tokens. */
  readonly limit: number;
}

/** `undefined` for replies with text or calls, and for those not cut off. Pure. */
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

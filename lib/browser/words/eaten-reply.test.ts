import { expect, it } from 'vitest';
import type { CallRow } from '../../events/timeline.ts';
import { eatenReply } from './eaten-reply.ts';

type Ended = NonNullable<CallRow['ended']>;
const call = (message: Partial<Ended['message']>, change: Partial<Ended> = {}) =>
  ({
    started: { options: { num_ctx: 4096, num_predict: 344 } },
    ended: {
      message: { role: 'assistant', content: '', thinking: 'Let me think.', ...message },
      done_reason: 'length',
      reply_tokens: 344,
      ...change,
    },
  }) as unknown as Pick<CallRow, 'started' | 'ended'>;

it('says that all tokens went into thinking, and what cut them off [OL18]', () => {
  expect(eatenReply(call({}))).toEqual({ thinkingTokens: 344, by: 'num_predict', limit: 344 });
  expect(eatenReply(call({}, { reply_tokens: 120 }))).toEqual({
    thinkingTokens: 120,
    by: 'window',
    limit: 4096,
  });
});

it.each([
  ['an answer', call({ content: 'Yes.' })],
  ['a call', call({ tool_calls: [{}] })],
  ['silence without a thought', call({ thinking: undefined })],
  ['a reply that ended by itself', call({}, { done_reason: 'stop' })],
  ['a reply that nobody counted', call({}, { reply_tokens: undefined })],
])('says nothing of %s [OL18]', (_, row) => {
  expect(eatenReply(row)).toBeUndefined();
});

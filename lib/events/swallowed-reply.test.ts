import { expect, it } from 'vitest';
import { SampleLog } from '../testing/sample-logs.ts';
import { foldAll } from './fold-run.ts';
import { emptyTimeline, foldTimeline } from './fold-timeline.ts';
import type { RunEvent } from './registry.ts';
import { emptyRunState } from './run-state.ts';
import { lossOf } from './swallowed-reply.ts';

const parsed = { outcome: 'empty', thinking: '', malformed: false } as const;
const ended = (message: object, reply_tokens?: number) => ({
  message: { role: 'assistant', content: '', ...message },
  reply_tokens,
});

it.each([
  ['dropped tokens', ended({}, 27), 27, true],
  ['tokens dropped after blanks', ended({ content: '\n\n' }, 27), 27, true],
  ['the end mark only', ended({}, 1), 0, false],
  ['no count', ended({}), 0, false],
  ['blanks that account for their tokens', ended({ content: '\n\n\n' }, 4), 0, false],
  ['a call without a name, which did arrive', ended({ tool_calls: [{}] }, 27), 0, true],
])('derives the loss of an empty reply with %s from an older log', (_what, call, tokens, malformed) => {
  expect(lossOf(parsed, call, true)).toEqual({ swallowedTokens: tokens, malformed });
  expect(lossOf(parsed, call, false)).toEqual({ swallowedTokens: tokens, malformed: false });
});

it('attributes tokens to thinking, and prefers recorded values', () => {
  expect(lossOf({ ...parsed, thinking: 'Hm.' }, ended({ thinking: 'Hm.' }, 300), true).swallowedTokens).toBe(
    0,
  );
  expect(lossOf({ ...parsed, swallowed_tokens: 0 }, ended({}, 27), true).swallowedTokens).toBe(0);
});

it('shows and counts the dropped calls of older logs', () => {
  const log = new SampleLog({ runId: 'r' }).prepare().iteration().callStarts().reply({ text: '' });
  const old = log.events.map((event): RunEvent => {
    if (event.type === 'model-call.started') return { ...event, tool_count: 3 };
    return event.type === 'model-call.ended' ? { ...event, ...ended({}, 27) } : event;
  });
  expect(old.at(-1)).toMatchObject({ type: 'reply.parsed', outcome: 'empty', malformed: false });
  expect(foldAll(emptyRunState('r'), old)).toMatchObject({
    parsed: { malformed: 1 },
    lastReplyLoss: { swallowedTokens: 27, malformed: true },
  });
  const { rows } = foldTimeline(emptyTimeline, old);
  expect(rows.find(({ kind }) => kind === 'call')).toMatchObject({
    parsed: { swallowed_tokens: 27, malformed: true },
  });
});

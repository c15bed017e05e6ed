import { expect, it } from 'vitest';
import type { RerunUpdate } from '../../api/rerun-call.ts';
import type { CallRow } from '../../events/timeline.ts';
import { newRerunDraft } from '../drafts/rerun-draft.ts';
import {
  afterUpdate,
  createRerunStore,
  isUnderWay,
  replyTexts,
  rowOfTry,
  withChange,
  withTry,
} from './rerun-tries.ts';

const body = {
  model: 'm',
  messages: [],
  options: { num_ctx: 4096, num_predict: 64 },
  think: false,
  stream: true,
};
const draft = newRerunDraft({ body });
const row = {
  kind: 'call',
  key: 'call-3',
  seq: 12,
  call: 3,
  tryNumber: 2,
  status: 'failed',
  setAside: 'malformed',
  started: { run_id: 'r', seq: 12, at: 1 },
  failed: { partial_text: 'So', partial_thinking: 'Hm' },
} as unknown as CallRow;
const ended = {
  type: 'model-call.ended' as const,
  call: 3,
  message: { role: 'assistant', content: 'Hi' },
  duration_ms: 5,
  timings: {},
};

it('follows a try through the queue to its reply', () => {
  const visit = withTry(createRerunStore(draft).getState(), { draft, changes: ['seed'], at: 7 });
  expect(visit).toMatchObject({ shown: 1, against: 0, tries: [{ number: 1, phase: 'waiting' }] });
  const updates: RerunUpdate[] = [
    { type: 'waiting', position: 2 },
    { type: 'loading' },
    { type: 'sent' },
    { type: 'thinking', text: 'H' },
    { type: 'thinking', text: 'm' },
    { type: 'text', text: 'Hi' },
  ];
  const written = updates.reduce(
    (now, update) => withChange(now, 1, (each) => afterUpdate(each, update)),
    visit,
  );
  expect(written.tries).toMatchObject([{ phase: 'sent', thinking: 'Hm', text: 'Hi' }]);
  expect(written.tries.every(isUnderWay)).toBe(true);
  expect(written.tries.map((each) => rowOfTry(row, each))).toEqual([undefined]);

  const result = { window_tokens: 4096, load_ms: 0, ended };
  const over = withChange(written, 1, (each) => afterUpdate(each, { type: 'result', result }));
  expect(over.tries.some(isUnderWay)).toBe(false);
  const [reply] = over.tries.map((each) => rowOfTry(row, each));
  expect(reply).toMatchObject({ status: 'ended', tryNumber: 1, ended: { ...ended, run_id: 'r', at: 7 } });
  expect([reply?.failed, reply?.setAside]).toEqual([undefined, undefined]);
  expect(reply && replyTexts(reply)).toEqual({ text: 'Hi', thinking: '', calls: '' });
});

it('keeps the reason for a missing reply, and compares a partial one', () => {
  const { tries } = withTry(createRerunStore(draft).getState(), { draft, changes: [], at: 7 });
  const error = { code: 'model_missing', message: 'It is missing.', hint: 'Pull it.' };
  expect(tries.map((each) => afterUpdate(each, { type: 'error', error }))).toMatchObject([
    { phase: 'ended', problem: { message: 'It is missing.', hint: 'Pull it.' } },
  ]);
  expect(replyTexts(row)).toEqual({ text: 'So', thinking: 'Hm', calls: '' });
});

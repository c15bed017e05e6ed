import { describe, expect, it } from 'vitest';
import type { ForkDraftReply } from '../../api/fork-run.ts';
import type { SentRequestReply } from '../../api/sent-request.ts';
import { sampleConfig } from '../../testing/sample-logs.ts';
import { newRerunDraft, type RerunDraft, withMessageAfter } from './rerun-draft.ts';
import { forkOfRerun } from './rerun-fork.ts';

const config = sampleConfig({ num_predict: [512, 1024], model_options: { temperature: 0.2 } });
const sent: SentRequestReply = {
  call: 2,
  seq: 9,
  body: {
    model: config.model,
    messages: [
      { role: 'system', content: 'Rules.' },
      { role: 'user', content: 'Do it.' },
      { role: 'tool', content: 'short…', tool_name: 'read_file' },
    ],
    tools: [{ type: 'function', function: { name: 'a', description: '', parameters: { type: 'object' } } }],
    options: { temperature: 0.2, num_ctx: config.window_tokens, num_predict: 512 },
    think: false,
    stream: true,
  },
  messages: [
    { estimated_tokens: 1 },
    { estimated_tokens: 1 },
    { estimated_tokens: 1, whole: 'the whole result' },
  ],
  tools_estimated_tokens: 1,
};
const point: ForkDraftReply = {
  seq: 7,
  mode: 'task',
  attempt: 1,
  iteration: 1,
  cycle: 0,
  messages: [
    { index: 0, role: 'system', text: 'Rules.' },
    { index: 1, role: 'user', text: 'Do it.' },
    { index: 2, role: 'tool', tool_name: 'read_file', text: 'the whole result' },
  ],
  calls: [],
  memory: [],
  config,
};
const place = { before_iteration: 2, attempt: 1 };
const draft = newRerunDraft(sent);
const fork = (
  changes: Partial<RerunDraft>,
  at: Partial<ForkDraftReply> = {},
  where: Parameters<typeof forkOfRerun>[2]['place'] = place,
) => forkOfRerun(sent, { ...draft, ...changes }, { place: where, point: { ...point, ...at } });
const edited = (index: number, changes: Partial<RerunDraft['messages'][number]>) =>
  draft.messages.map((message, at) => (at === index ? { ...message, ...changes } : message));
const added = (content: string, role: 'user' | 'system' = 'user') => ({
  messages: withMessageAfter(draft, 2, role).messages.map((message) =>
    message.sent === undefined ? { ...message, content } : message,
  ),
});

it('an unchanged request is a fork without changes', () => {
  expect(fork({})).toEqual({ ok: true, request: { at: place } });
});

it('edits messages in place, including shortened ones', () => {
  expect(fork({ messages: edited(2, { content: 'another result' }) })).toEqual({
    ok: true,
    request: { at: place, edits: [{ target: 'message', index: 2, content: 'another result' }] },
  });
});

it('adds a message of the user at the end', () => {
  expect(fork(added('Be brief.'))).toEqual({ ok: true, request: { at: place, message: 'Be brief.' } });
});

it('changes the settings behind the options', () => {
  const numbers = {
    ...draft.numbers,
    temperature: '',
    seed: '3',
    predict_first: '2048',
    window_tokens: '4096',
  };
  expect(fork({ numbers, think: 'on', stream: false, model: 'other' })).toEqual({
    ok: true,
    request: {
      at: place,
      settings: {
        model: 'other',
        model_options: { temperature: null, seed: 3 },
        window_tokens: 4096,
        num_predict: [2048, 2048],
        think: true,
        live_tokens: false,
      },
    },
  });
});

describe('explains why no such fork is possible', () => {
  const elsewhere = {
    messages: [{ index: 0, role: 'system', text: 'Other rules.' }, ...point.messages.slice(1)],
  };
  const explore = { mode: 'explore' as const };
  it.each<[string, ReturnType<typeof fork>, RegExp]>([
    ['other tools', fork({ tools: [] }), /offers the tools/],
    ['a removed message', fork({ messages: draft.messages.slice(1) }), /not remove/],
    ['another role', fork({ messages: edited(1, { role: 'system' }) }), /not its role/],
    [
      'a message that is regenerated for each call',
      fork({ messages: edited(1, { content: 'x' }) }, elsewhere),
      /Message 2 is regenerated/,
    ],
    ['a system message at the end', fork(added('x', 'system')), /with the role "user"/],
    ['a long message', fork(added('x'.repeat(8001))), /at most 8 ?[, ]?000/],
    ['a message to an exploration', fork(added('x'), explore), /reads messages only/],
    ['a message to a repeated try', fork(added('x'), {}, { seq: 8 }), /discarded/],
    ['a field that is wrong', fork({ model: '' }), /correction/],
  ])('%s', (_, result, words) => {
    expect(result).toEqual({ ok: false, reason: expect.stringMatching(words) });
  });
});

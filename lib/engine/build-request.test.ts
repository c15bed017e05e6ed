import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import { isReady, type ReadyState } from '../policies/rule.ts';
import { completedLog } from '../testing/sample-logs.ts';
import { buildRequest } from './build-request.ts';

const { events } = completedLog();
const begun = events.findIndex(({ type }) => type === 'model-call.started') + 1;
const state = foldAll(emptyRunState('run'), events.slice(0, begun));

type Conversation = Pick<ReadyState, 'messages' | 'folded'>;

function sent(conversation: Conversation): readonly ChatMessage[] {
  if (!isReady(state)) throw new Error('The sample has no configuration');
  return buildRequest({ ...state, ...conversation }, {}).messages;
}

const shortenedEach = ({ messages, folded }: Conversation) =>
  messages.map((message, index) => ({ ...message, content: folded[index] ?? message.content }));

const step = fc.oneof(
  fc.record({ type: fc.constant('message' as const), content: fc.string() }),
  fc.record({ type: fc.constant('fold' as const), at: fc.nat(30), content: fc.string() }),
  fc.record({ type: fc.constant('edit' as const), at: fc.nat(30), content: fc.string() }),
);

it('sends the shortened contents of a growing conversation, and of one that was edited', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let messages: readonly ChatMessage[] = [{ role: 'system', content: 'Rules.' }];
      let folded: Conversation['folded'] = {};
      for (const { type, content, ...rest } of steps) {
        const at = 'at' in rest ? rest.at % messages.length : messages.length;
        if (type === 'fold') folded = { ...folded, [at]: content };
        else if (type === 'edit') messages = messages.with(at, { role: 'tool', content });
        else messages = [...messages, { role: 'tool', content }];
        expect(sent({ messages, folded })).toEqual(shortenedEach({ messages, folded }));
      }
    }),
  );
});

it('sends a shortened message as the same object each time', () => {
  const messages: readonly ChatMessage[] = ['a', 'b', 'c'].map((content) => ({ role: 'tool', content }));
  const first = sent({ messages, folded: { 1: 'short' } });
  const second = sent({ messages: [...messages, { role: 'tool', content: 'd' }], folded: { 1: 'short' } });
  expect(second[1]).toBe(first[1]);
});

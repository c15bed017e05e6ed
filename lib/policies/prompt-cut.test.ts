import { expect, it } from 'vitest';
import type { ChatMessage } from '../model/chat-model.ts';
import { lostMessages } from './prompt-cut.ts';

const message = (role: ChatMessage['role'], tokens: number, begin = ''): ChatMessage => ({
  role,
  content: begin.padEnd(tokens * 4, 'x'),
});
const conversation = [
  message('system', 100),
  message('user', 200, 'The task'),
  message('assistant', 300, 'A plan'),
  message('tool', 400, 'A result'),
  message('user', 100, 'The last'),
];
const lost = (evaluated: number) =>
  lostMessages({ messages: conversation, tools: [] }, evaluated).map(({ index }) => index);

it('OL2: the task goes first, the system prompt and the last message never', () => {
  expect(lost(1100)).toEqual([]);
  expect(lost(1000)).toEqual([1]);
  expect(lost(700)).toEqual([1, 2]);
  expect(lost(300)).toEqual([1, 2, 3]);
  expect(lost(10)).toEqual([1, 2, 3]);
});

it('OL2: names what is lost by how it begins', () => {
  const [first] = lostMessages({ messages: conversation, tools: [] }, 950);
  expect(first).toMatchObject({ role: 'user', tokens: 200 });
  expect(first?.excerpt).toMatch(/^The taskx+…$/);
});

it('names a message without text by its calls', () => {
  const call = { function: { name: 'read_file', arguments: { path: 'a'.repeat(4000) } } };
  const messages: ChatMessage[] = [
    { role: 'assistant', content: '', tool_calls: [call] },
    message('user', 10),
  ];
  expect(lostMessages({ messages, tools: [] }, 20)).toMatchObject([{ index: 0, excerpt: 'read_file' }]);
});

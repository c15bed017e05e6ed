import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { headAndTail, planCompaction } from './compaction.ts';
import { estimateTokens } from './estimate.ts';

const tools: ToolDefinition[] = [
  {
    type: 'function',
    function: {
      name: 'read_file',
      description: 'Reads.',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  },
];
const opening: ChatMessage[] = [
  { role: 'system', content: 'Rules.' },
  { role: 'user', content: 'Task.' },
];

function round(path: string, output: string, success = true): ChatMessage[] {
  const result = success
    ? { success, tool: 'read_file', output }
    : { success, tool: 'read_file', output: { error: output } };
  return [
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ function: { name: 'read_file', arguments: { path } } }],
    },
    { role: 'tool', tool_name: 'read_file', content: JSON.stringify(result) },
  ];
}

const rounds = (count: number, chars: number) =>
  Array.from({ length: count }, (_, index) => round(`${index + 1}.md`, 'x'.repeat(chars))).flat();
const plan = (
  messages: ChatMessage[],
  limitTokens: number,
  more: { force?: boolean; folded?: Record<number, string> } = {},
) => planCompaction({ messages, tools, folded: {}, limitTokens, keepRounds: 3, resultChars: 8000, ...more });

it('counts characters / 4 over messages, calls and tool definitions [C1]', () => {
  const call = { name: 'abcd', arguments: { a: 1 } };
  const messages: ChatMessage[] = [
    { role: 'user', content: 'x'.repeat(100) },
    { role: 'assistant', content: '', tool_calls: [{ function: call }] },
  ];
  expect(estimateTokens(messages, [])).toBe(Math.ceil((100 + 4 + '{"a":1}'.length) / 4));
  expect(estimateTokens([], tools)).toBe(Math.ceil(JSON.stringify(tools[0]).length / 4));
  expect(estimateTokens(messages, [], { 0: 'xx' })).toBe(Math.ceil((2 + 4 + 7) / 4));
});

it('folds a result to one line that is no longer a result, because a fork edited it', () => {
  const messages = [...opening, ...rounds(6, 2000)].map((message, index) =>
    index === 3 ? { ...message, content: 'The file is empty. '.repeat(100) } : message,
  );
  const folded = plan(messages, 100)?.folded ?? [];
  expect(folded.map(({ message }) => message)).toContain(3);
  expect(folded[0]).toEqual({
    ...{ message: 3, kind: 'one-line', before_chars: 1900 },
    content: 'read_file 1.md: 1.9 KB',
  });
});

it('does nothing at the limit and folds above it [C2]', () => {
  const messages = [...opening, ...rounds(6, 2000)];
  const size = estimateTokens(messages, tools);
  expect(plan(messages, size)).toBeUndefined();
  expect(plan(messages, size - 1)).toBeDefined();
});

it('keeps three rounds, folds each older result to one line, and leaves order and other messages unchanged [C3, C4]', () => {
  const messages = [...opening, ...round('fail.md', 'no such file. '.repeat(20), false), ...rounds(5, 2000)];
  const compaction = plan(messages, estimateTokens(messages, tools) - 1);
  expect(compaction?.folded.map((fold) => fold.message)).toEqual([3, 5, 7]);
  for (const fold of compaction?.folded ?? []) {
    expect(fold.kind).toBe('one-line');
    expect(fold.content).not.toMatch(/[\n\r\u2028\u2029]/);
    expect(fold.content.length).toBeLessThanOrEqual(160);
  }
  expect(compaction?.folded[0]?.content).toMatch(/^read_file fail\.md: failed/);
  expect(compaction?.folded[1]?.content).toMatch(/^read_file 1\.md: ok/);
  expect(compaction?.after_tokens).toBeLessThan(compaction?.before_tokens ?? 0);
});

it('cuts results within the kept rounds only when folding is not enough [C6]', () => {
  const messages = [...opening, ...rounds(1, 200_000)];
  const compaction = plan(messages, 24_576);
  expect(compaction?.folded).toMatchObject([
    { message: 3, kind: 'head-and-tail', before_chars: messages[3]?.content.length },
  ]);
  expect(compaction?.folded[0]?.content.length).toBeLessThanOrEqual(8000);
  expect(compaction?.folded[0]?.content).toContain('characters are left out here');
  expect(compaction?.after_tokens).toBeLessThan(24_576);
});

it('has nothing left to shorten once everything is folded, forced or not', () => {
  const messages = [...opening, ...rounds(6, 10_000)];
  const first = plan(messages, 100, { force: true });
  const folded = Object.fromEntries((first?.folded ?? []).map((fold) => [fold.message, fold.content]));
  expect(Object.keys(folded)).toHaveLength(6);
  expect(plan(messages, 100, { force: true, folded })).toBeUndefined();
  expect(plan(opening, 1, { force: true })).toBeUndefined();
});

it('folds below the limit when forced: old rounds first, then the kept ones', () => {
  const messages = [...opening, ...rounds(5, 9000)];
  const first = plan(messages, 1_000_000, { force: true });
  expect(first?.folded.map((fold) => [fold.message, fold.kind])).toEqual([
    [3, 'one-line'],
    [5, 'one-line'],
  ]);
  const folded = Object.fromEntries((first?.folded ?? []).map((fold) => [fold.message, fold.content]));
  const second = plan(messages, 1_000_000, { force: true, folded });
  expect(second?.folded.map((fold) => fold.kind)).toEqual([
    'head-and-tail',
    'head-and-tail',
    'head-and-tail',
  ]);
});

it('compacts rarely enough to preserve the prompt cache: several rounds pass between compactions', () => {
  const messages: ChatMessage[] = [...opening];
  let folded: Record<number, string> = {};
  const shortenings: number[] = [];
  for (let index = 0; index < 40; index += 1) {
    messages.push(...round(`${index}.md`, 'x'.repeat(3000)));
    const compaction = plan(messages, 10_000, { folded });
    if (!compaction) continue;
    shortenings.push(index);
    folded = {
      ...folded,
      ...Object.fromEntries(compaction.folded.map((fold) => [fold.message, fold.content])),
    };
  }
  const gaps = shortenings.slice(1).map((at, index) => at - (shortenings[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5);
});

it('never exceeds the limit and splits no surrogate pair', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 0, maxLength: 2000 }),
      fc.integer({ min: 100, max: 600 }),
      (text, max) => {
        const cut = headAndTail(text, max);
        expect(cut.length).toBeLessThanOrEqual(Math.max(max, Math.min(text.length, max)));
        expect(cut.isWellFormed()).toBe(true);
      },
    ),
  );
});

it('measures and compacts a growing conversation as if it were new each time [C1, C2]', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 200, max: 4000 }), (outputs, limitTokens) => {
      let messages: readonly ChatMessage[] = opening;
      let folded: Readonly<Record<number, string>> = {};
      for (const [index, chars] of outputs.entries()) {
        messages = [...messages, ...round(`${index}.md`, 'x'.repeat(chars))];
        const input = { messages, tools, folded, limitTokens, keepRounds: 3, resultChars: 800 };
        const compaction = planCompaction(input);
        // A copy shares no objects with the conversation, so nothing is cached for it.
        expect(compaction).toEqual(planCompaction(structuredClone(input)));
        for (const fold of compaction?.folded ?? []) folded = { ...folded, [fold.message]: fold.content };
        const sent = messages.map((message, at) => ({ ...message, content: folded[at] ?? message.content }));
        const estimate = estimateTokens(sent, structuredClone(tools));
        expect(estimateTokens(messages, tools, folded)).toBe(estimate);
        if (compaction) expect(compaction.after_tokens).toBe(estimate);
      }
    }),
  );
});

const picture = {
  hash: 'a'.repeat(64),
  type: 'png' as const,
  width: 560,
  height: 560,
  bytes: 9000,
  name: 'shot.png',
};
/** A round whose result has an image of 400 tokens. */
const roundWithImage = (path: string): ChatMessage[] => {
  const [asked, result] = round(path, 'A picture.');
  return [asked, result && { ...result, images: [picture] }].filter((message) => message !== undefined);
};
const planImages = (messages: ChatMessage[], limitTokens: number, keepRounds = 3) =>
  planCompaction({
    messages,
    tools,
    folded: {},
    limitTokens,
    keepRounds,
    resultChars: 8000,
    hasImages: true,
  });

it('leaves out the images of old results first, and says what they were', () => {
  const messages = [...opening, ...[1, 2, 3, 4, 5].flatMap((index) => roundWithImage(`${index}.png`))];
  const text = estimateTokens(messages, tools);
  const compaction = planImages(messages, text + 5 * 400 - 1);
  expect(compaction?.before_tokens).toBe(text + 5 * 400);
  expect(compaction?.folded.map(({ message, kind }) => [message, kind])).toEqual([
    [3, 'images'],
    [5, 'images'],
  ]);
  expect(JSON.parse(compaction?.folded[0]?.content ?? '')).toEqual({
    success: true,
    tool: 'read_file',
    output: 'A picture.',
    note: 'Images left out to save room: shot.png (PNG, 560 × 560, 9 kB).',
  });
  expect(compaction?.after_tokens).toBeLessThan(text + 3 * 400 + 100);
});

it('leaves out the images of recent results only when nothing else is left', () => {
  const messages = [...opening, ...roundWithImage('1.png'), ...roundWithImage('2.png')];
  const compaction = planImages(messages, 500);
  expect(compaction?.folded.map(({ message, kind }) => [message, kind])).toEqual([
    [3, 'images'],
    [5, 'images'],
  ]);
});

it('keeps the images that a person attached', () => {
  const messages: ChatMessage[] = [
    ...opening,
    { role: 'user', content: 'Look.', images: [picture] },
    ...rounds(5, 2000),
  ];
  expect(planImages(messages, 100)?.folded.map(({ message }) => message)).not.toContain(2);
});

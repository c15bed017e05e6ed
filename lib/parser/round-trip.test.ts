import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../util/json.ts';
import { UNSAFE_KEYS } from './json/json-reader.ts';
import { parseToolCalls } from './parse-tool-calls.ts';
import { RENDERERS } from './testing/renderers.ts';
import { TOOLS, tool } from './testing/tools.ts';
import type { ToolCall } from './types.ts';

const TYPED = tool(
  'make_note',
  {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    done: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    extra: { type: 'object' },
  },
  ['text'],
);
const tools = [...TOOLS, TYPED];

/** Pieces that parsers trip over, within otherwise ordinary text. */
const TRAPS = [
  '"',
  "'",
  '\\',
  '\n',
  '\t',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  ',',
  ':',
  '<',
  '>',
  '`',
  '```',
  '```json\n',
  '//',
  '/*',
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '[TOOL_CALLS]',
  '{"name": "read_file", "arguments": {"path": "x"}}',
  '<tool_call>{"name": "read_file", "arguments": {"path": "x"}}</tool_call>',
  "[read_file(path='x')]",
  '[TOOL_CALLS]read_file{}',
  '<function=read_file><parameter=path>x</parameter></function>',
  '<read_file><path>x</path></read_file>',
  'read_file\n{"path": "x"}',
  '</parameter>',
  '“',
  '”',
  'true',
  '12',
  'ü',
  '你好',
  '🚀',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...TRAPS), fc.string({ unit: 'grapheme', maxLength: 8 })), { maxLength: 8 })
  .map((parts) => parts.join(''));
const key = fc.stringMatching(/^[a-z_]{1,8}$/).filter((name) => !UNSAFE_KEYS.has(name));
const noNegativeZero = (value: number) => (Object.is(value, -0) ? 0 : value);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map(noNegativeZero);
const data: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue>(null, true, false),
    number,
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }).map((entries) => ({ ...entries })),
  ),
})).value;
const extra = fc.dictionary(key, data, { maxKeys: 3 }).map((entries) => ({ ...entries }));
const call: fc.Arbitrary<ToolCall> = fc
  .record(
    {
      text,
      count: fc.maxSafeInteger().map(noNegativeZero),
      ratio: number,
      done: fc.boolean(),
      tags: fc.array(text, { maxLength: 3 }),
      extra,
    },
    { requiredKeys: ['text'] },
  )
  .map((args) => ({ name: 'make_note', arguments: { ...args } }));
const prose = fc
  .array(
    fc.constantFrom('I will', 'note', 'this', 'now.', 'Done,', 'really', '5 > 4', "it's", '\n', '\n\n', '–'),
    { maxLength: 8 },
  )
  .map((words) => words.join(' '));
const space = fc.stringMatching(/^[ \n\t]{0,4}$/);

function texts(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(texts);
}

const callsIn = (content: string) => {
  const reply = parseToolCalls({ content }, { tools });
  return reply.type === 'tool_calls' ? reply.calls : [];
};

/** Whether a value is what was read of another before it was cut: whole texts and numbers, perhaps not all of them. */
function isPartOf(part: JsonValue | undefined, whole: JsonValue | undefined): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((item, index) => isPartOf(item, whole[index]));
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false;
  return Object.entries(part).every(([name, value]) => isPartOf(value, whole[name]));
}

describe.each(
  RENDERERS.map((renderer, index) => ({ ...renderer, title: `${index + 1} ${renderer.format}` })),
)('$title [P6, P7]', ({ render, place, canHold = () => true }) => {
  const fitting = call.filter((candidate) => texts(candidate.arguments).every(canHold));

  it('comes back equal from any prose and white space', () => {
    fc.assert(
      fc.property(fitting, prose, prose, space, (given, before, after, blank) => {
        const written = render(given);
        const content =
          place === 'alone'
            ? blank + written + blank
            : place === 'line'
              ? `${before}\n${written}\n${after}`
              : before + blank + written + blank + after;
        expect(callsIn(content)).toEqual([given]);
      }),
      { numRuns: 150 },
    );
  });

  it('is never completed with anything else when it is cut off [P15]', () => {
    fc.assert(
      fc.property(fitting, fc.nat(), (given, where) => {
        const written = render(given);
        for (const read of callsIn(written.slice(0, where % written.length))) {
          expect(read.name).toBe(given.name);
          expect(isPartOf(read.arguments, given.arguments), JSON.stringify(read)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseToolCalls } from './parse-tool-calls.ts';
import { RENDERERS } from './testing/renderers.ts';
import { TOOLS } from './testing/tools.ts';
import type { ParsedReply } from './types.ts';
import { validateArguments } from './validate-arguments.ts';

/** Pieces of every format, so that chance puts broken calls together. */
const PIECES = RENDERERS.flatMap(({ render }) => {
  const written = render({ name: 'read_file', arguments: { path: 'a "b" \\ <c>', start_line: 3 } });
  return written.match(/<[^<>]*>|\[[A-Z_]+\]|[{}[\](),:"'`]+|[^<>{}[\](),:"'`]+/g) ?? [];
});
const THINK = [
  '<think>',
  '</think>',
  '<|channel|>',
  '[THINK]',
  '[/THINK]',
  '<|END_THINKING|>',
  '```',
  '`',
  '\n',
  '\\',
  '/*',
  '//',
];
const pieces = fc
  .array(fc.constantFrom(...PIECES, ...THINK), { maxLength: 40 })
  .map((parts) => parts.join(''));
const anything = fc.oneof(
  pieces,
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.tuple(pieces, fc.string(), pieces).map((parts) => parts.join('')),
);

function expectSound(reply: ParsedReply, content: string): void {
  const { type, origins, refusals, visibleText, thinking } = reply;
  expect(['tool_calls', 'final_answer', 'empty']).toContain(type);
  expect(visibleText.length).toBeLessThanOrEqual(content.length + 2 * origins.length + 2);
  expect(typeof thinking).toBe('string');
  const calls = type === 'tool_calls' ? reply.calls : [];
  expect(origins).toHaveLength(calls.length);
  for (const call of calls) {
    expect(Object.keys(call)).toEqual(['name', 'arguments']);
    expect(call.name).not.toBe('');
    expect(Object.getPrototypeOf(call.arguments)).toBe(Object.prototype);
  }
  for (const { span } of [...origins, ...refusals]) {
    if (span?.in !== 'content') continue;
    expect(span.start).toBeGreaterThanOrEqual(0);
    expect(span.end).toBeGreaterThan(span.start);
    expect(span.end).toBeLessThanOrEqual(content.length);
  }
}

it('never throws on any text and returns a consistent result [P14]', () => {
  fc.assert(
    fc.property(anything, (content) => expectSound(parseToolCalls({ content }, { tools: TOOLS }), content)),
    { numRuns: 3000 },
  );
});

it('never throws on any message [P14]', () => {
  const value = fc.anything({
    withNullPrototype: true,
    withBigInt: true,
    withDate: true,
    withMap: true,
    maxDepth: 4,
  });
  const message = fc.oneof(
    value,
    fc.record(
      {
        content: value,
        thinking: value,
        tool_calls: fc.array(
          fc.oneof(value, fc.record({ function: fc.record({ name: fc.string(), arguments: value }) })),
        ),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(message, (given) => {
      expect(['tool_calls', 'final_answer', 'empty']).toContain(parseToolCalls(given, { tools: TOOLS }).type);
    }),
    { numRuns: 1000 },
  );
});

it('never throws on any schema of a tool', () => {
  const schema = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.constantFrom(null, true, 5, 'string', [], ['string', null]),
      fc.record(
        {
          type: fc.constantFrom('object', 'array', 'integer', ['string', 'null'], 5, null),
          properties: fc.oneof(tie('schema'), fc.record({ path: tie('schema'), n: tie('schema') })),
          required: fc.constantFrom(true, ['path'], [null], {}, 'path'),
          items: tie('schema'),
          enum: fc.constantFrom(['a'], 'a', 5, {}),
          anyOf: fc.oneof(tie('schema'), fc.array(tie('schema'))),
          allOf: fc.oneof(tie('schema'), fc.array(tie('schema'))),
        },
        { requiredKeys: [] },
      ),
    ),
  })).schema;
  const value = fc.constantFrom('a', '5', null, ['5'], { path: '5', n: [{ path: null }] });
  const args = fc.record({ path: value, n: value }, { requiredKeys: [] });
  fc.assert(
    fc.property(schema, args, fc.constantFrom(...RENDERERS), (written, given, { render }) => {
      const parameters = JSON.parse(JSON.stringify({ properties: { path: written, n: written } }));
      const top = typeof written === 'object' && written !== null ? JSON.parse(JSON.stringify(written)) : {};
      for (const each of [parameters, top]) {
        const offered = [
          { type: 'function' as const, function: { name: 'read_file', description: '', parameters: each } },
        ];
        const native = { tool_calls: [{ function: { name: 'read_file', arguments: given } }] };
        const content = render({ name: 'read_file', arguments: { path: 'a', n: '5' } });
        for (const message of [native, { content }]) parseToolCalls(message, { tools: offered });
        expect(Array.isArray(validateArguments(given, each))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

it('reads a call from unmarked text only if its name was offered [P16]', () => {
  const name = fc
    .stringMatching(/^[a-z_]{3,12}$/)
    .filter((word) => TOOLS.every((tool) => tool.function.name !== word));
  const unmarked = RENDERERS.filter(({ format }) =>
    ['json', 'fenced-json', 'pythonic', 'kimi-k2-bare', 'react', 'tool-named-xml'].includes(format),
  );
  fc.assert(
    fc.property(name, fc.constantFrom(...unmarked), fc.string(), (written, { render }, prose) => {
      const content = `${prose}\n${render({ name: written, arguments: { path: 'a' } })}\n`;
      expect(parseToolCalls({ content }, { tools: TOOLS }).type).not.toBe('tool_calls');
    }),
    { numRuns: 1000 },
  );
});

it('is deterministic and does not modify the message', () => {
  fc.assert(
    fc.property(anything, (content) => {
      const message = Object.freeze({ content, tool_calls: Object.freeze([]) });
      expect(parseToolCalls(message, { tools: TOOLS })).toEqual(parseToolCalls(message, { tools: TOOLS }));
    }),
    { numRuns: 500 },
  );
});

it('never modifies a prototype', () => {
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    for (const { render } of RENDERERS) {
      const written = render({
        name: 'read_file',
        arguments: { path: 'a', zzzz: { polluted: true } },
      }).replaceAll('zzzz', key);
      const reply = parseToolCalls({ content: written }, { tools: TOOLS });
      const calls = reply.type === 'tool_calls' ? reply.calls : [];
      for (const call of calls) expect(Object.keys(call.arguments)).not.toContain(key);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    }
  }
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ToolDefinition } from '../parser/types.ts';
import type { ChatMessage } from './chat-model.ts';
import { wireBody, wireRequest } from './wire-request.ts';

const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({
    role: fc.constantFrom('system' as const, 'user' as const),
    content: fc.string({ unit: 'binary' }),
  }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.string(),
    thinking: fc.string(),
    tool_calls: fc.array(
      fc.record({
        function: fc.record({ name: fc.string(), arguments: fc.dictionary(fc.string(), fc.integer()) }),
      }),
    ),
  }),
  fc.record({ role: fc.constant('tool' as const), tool_name: fc.string(), content: fc.string() }),
);

const tools: fc.Arbitrary<ToolDefinition[]> = fc.array(
  fc.record({
    type: fc.constant('function' as const),
    function: fc.record({
      name: fc.string(),
      description: fc.string({ unit: 'binary' }),
      parameters: fc.record({ type: fc.constant('object'), properties: fc.constant({}) }),
    }),
  }),
);

const sampleRequest = {
  model: 'm',
  tools: [],
  options: { num_ctx: 4096, num_predict: 64 },
  think: false,
  stream: false,
  keepAlive: '5m',
};

it('the JSON body equals the serialized request, even if its messages and tools are cached', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(message), tools, fc.boolean(), (model, messages, tools, stream) => {
      for (let end = 0; end <= messages.length; end += 1) {
        const request = {
          model,
          messages: messages.slice(0, end),
          tools,
          options: { num_ctx: 4096, num_predict: 64 },
          think: false,
          stream,
          keepAlive: '5m',
        };
        expect(Buffer.concat(wireBody(request)).toString()).toBe(JSON.stringify(wireRequest(request)));
      }
    }),
  );
});

it('a body does not change when the conversation grows, is cut or diverges', () => {
  const step = fc.record({ kept: fc.nat(6), added: fc.array(message, { maxLength: 3 }) });
  fc.assert(
    fc.property(message, fc.array(step, { maxLength: 12 }), (first, steps) => {
      let messages: ChatMessage[] = [first];
      const made = steps.map(({ kept, added }) => {
        messages = [first, ...messages.slice(1, 1 + kept), ...added];
        const request = { ...sampleRequest, messages };
        return { body: wireBody(request), text: JSON.stringify(wireRequest(request)) };
      });
      for (const { body, text } of made) expect(Buffer.concat(body).toString()).toBe(text);
    }),
  );
});

it('keeps only what Ollama reads of a parameter in the items of lists, at every depth [OL34]', () => {
  const text = { type: 'string', pattern: '\\d+', maxLength: 5000, description: 'A tag.' };
  const properties = {
    name: text,
    tags: { type: 'array', maxItems: 9, items: text },
    rows: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['cells'],
        properties: { cells: { type: 'array', minItems: 1, items: { anyOf: [text, { type: 'null' }] } } },
      },
    },
    deep: { type: 'object', properties: { tags: { type: 'array', items: { enum: ['a'], default: 'a' } } } },
  };
  const plain = { type: 'string', description: 'A tag.' };
  const tool: ToolDefinition = {
    type: 'function',
    function: { name: 'tag', description: '', parameters: { type: 'object', properties } },
  };
  expect(
    wireRequest({ ...sampleRequest, messages: [], tools: [tool] }).tools?.[0]?.function.parameters,
  ).toEqual({
    type: 'object',
    properties: {
      name: text,
      tags: { type: 'array', maxItems: 9, items: plain },
      rows: {
        type: 'array',
        items: {
          type: 'object',
          required: ['cells'],
          properties: { cells: { type: 'array', items: { anyOf: [plain, { type: 'null' }] } } },
        },
      },
      deep: { type: 'object', properties: { tags: { type: 'array', items: { enum: ['a'] } } } },
    },
  });
});

it('gives a tool without parameters an empty object of them, which llama-server asks for [OL34]', () => {
  const tool: ToolDefinition = {
    type: 'function',
    function: { name: 'now', description: '', parameters: { type: 'object' } },
  };
  expect(
    wireRequest({ ...sampleRequest, messages: [], tools: [tool] }).tools?.[0]?.function.parameters,
  ).toEqual({
    type: 'object',
    properties: {},
  });
});

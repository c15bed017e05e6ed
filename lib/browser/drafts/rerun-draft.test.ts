import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rerunRequest } from '../../api/rerun-call.ts';
import type { JsonObject } from '../../util/json.ts';
import { newRerunDraft, type RerunDraft, readRerunDraft, withMessageAfter } from './rerun-draft.ts';

const readFile = {
  type: 'function',
  function: {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
};
const listDirectory = {
  type: 'function',
  function: { name: 'list_directory', description: 'Lists.', parameters: { type: 'object' } },
};
const call = { function: { name: 'read_file', arguments: { path: 'a.md' } } };
const body: JsonObject = {
  model: 'qwen3:8b',
  messages: [
    { role: 'system', content: 'Rules.' },
    { role: 'user', content: 'Read a.md.' },
    { role: 'assistant', content: '', thinking: 'Hm.', tool_calls: [call] },
    { role: 'tool', content: '', tool_name: 'read_file', tool_call_id: 'x1' },
  ],
  tools: [readFile, listDirectory],
  options: { temperature: 0.2, num_gpu: 4, num_ctx: 8192, num_predict: 512 },
  think: false,
  stream: true,
};
const sent = { body };
const draft = newRerunDraft(sent);
const read = (changes: Partial<RerunDraft>) => readRerunDraft(sent, { ...draft, ...changes });
const withMessage = (index: number, changes: Partial<RerunDraft['messages'][number]>) =>
  draft.messages.map((message, at) => (at === index ? { ...message, ...changes } : message));

const withTool = (index: number, changes: Partial<RerunDraft['tools'][number]>) =>
  draft.tools.map((tool, at) => (at === index ? { ...tool, ...changes } : tool));

it('sends nothing if nothing was changed', () => {
  expect(readRerunDraft(sent, draft)).toEqual({ ok: true, request: {}, changes: [] });
  expect(draft.numbers).toMatchObject({
    temperature: '0.2',
    seed: '',
    window_tokens: '8192',
    predict_first: '512',
  });
  expect(draft.otherOptions).toBe('{\n  "num_gpu": 4\n}');
});

it('sends changed messages, and refers to the others by index', () => {
  const changed = read({ messages: withMessage(1, { content: 'Read b.md.' }) });
  expect(changed).toEqual({
    ok: true,
    request: {
      messages: [{ as_sent: 0 }, { role: 'user', content: 'Read b.md.' }, { as_sent: 2 }, { as_sent: 3 }],
    },
    changes: ['messages'],
  });
  expect(read({ messages: draft.messages.slice(0, 2) })).toMatchObject({
    request: { messages: [{ as_sent: 0 }, { as_sent: 1 }] },
  });
  const moved = read({ messages: draft.messages.toReversed() });
  expect(moved).toMatchObject({
    request: { messages: [{ as_sent: 3 }, { as_sent: 2 }, { as_sent: 1 }, { as_sent: 0 }] },
  });
});

it('keeps what belongs to the role of a message, and leaves out the rest', () => {
  const asUser = withMessage(2, { role: 'user', content: 'I read it.' });
  const changed = read({
    messages: asUser.map((message) => (message.role === 'tool' ? { ...message, content: 'text' } : message)),
  });
  expect(changed).toMatchObject({
    request: {
      messages: [
        { as_sent: 0 },
        { as_sent: 1 },
        { role: 'user', content: 'I read it.' },
        { role: 'tool', content: 'text', tool_name: 'read_file', tool_call_id: 'x1' },
      ],
    },
  });
  const inserted = withMessageAfter(draft, -1, 'assistant').messages;
  expect(inserted[0]).toMatchObject({ key: 4, role: 'assistant' });
  expect(read({ messages: inserted })).toMatchObject({
    ok: false,
    problems: { 'message:4': expect.any(String) },
  });
});

it('merges options: changed ones, and null for those that were removed', () => {
  const numbers = { ...draft.numbers, temperature: '', seed: '7', window_tokens: '4096' };
  expect(read({ numbers, otherOptions: '{"mirostat": 1}' })).toEqual({
    ok: true,
    request: { options: { temperature: null, seed: 7, num_ctx: 4096, num_gpu: null, mirostat: 1 } },
    changes: ['temperature', 'num_gpu', 'num_ctx', 'seed', 'mirostat'],
  });
  expect(read({ otherOptions: '{"num_gpu": 4, "stop": ["END"]}' })).toMatchObject({
    request: { options: { stop: ['END'] } },
  });
  expect(read({ think: 'high', stream: false, model: ' other ' })).toMatchObject({
    request: { think: 'high', stream: false, model: 'other' },
  });
});

it('offers the tools that are switched on, with their changed definitions', () => {
  expect(read({ tools: withTool(1, { isOffered: false }) })).toMatchObject({
    request: { tools: [readFile] },
  });
  expect(read({ tools: draft.tools.map((tool) => ({ ...tool, isOffered: false })) })).toMatchObject({
    request: { tools: [] },
  });
});

describe('says what is wrong, and where', () => {
  const tool = (text: string) => ({ tools: withTool(0, { text }) });
  it.each<[string, Partial<RerunDraft>, string, RegExp]>([
    ['no messages', { messages: [] }, 'messages', /at least one/],
    ['an empty message', { messages: withMessage(1, { content: '  ' }) }, 'message:1', /Write a text/],
    ['calls that are no JSON', { messages: withMessage(2, { calls: '[{' }) }, 'calls:2', /^Not JSON: /],
    [
      'calls of another shape',
      { messages: withMessage(2, { calls: '[{"name": "x"}]' }) },
      'calls:2',
      /list of calls/,
    ],
    ['a schema that is no JSON', tool('{"name": '), 'tool:0', /^Not JSON: /],
    ['a tool without a name', tool('{"parameters": {}}'), 'tool:0', /"name"/],
    ['a tool without parameters', tool('{"name": "a"}'), 'tool:0', /JSON Schema/],
    [
      'parameters of another type',
      tool('{"name": "a", "parameters": {"type": "array"}}'),
      'tool:0',
      /"object"/,
    ],
    [
      'properties that are no schemas',
      tool('{"name": "a", "parameters": {"properties": []}}'),
      'tool:0',
      /properties/,
    ],
    [
      'required names that are none',
      tool('{"name": "a", "parameters": {"required": [1]}}'),
      'tool:0',
      /required/,
    ],
    ['two tools of one name', tool('{"name": "list_directory", "parameters": {}}'), 'tool:1', /Another tool/],
    [
      'a number out of range',
      { numbers: { ...draft.numbers, temperature: '9' } },
      'temperature',
      /from 0 to 5/,
    ],
    ['no window', { numbers: { ...draft.numbers, window_tokens: '' } }, 'window_tokens', /needed/],
    ['options that are no object', { otherOptions: '[1]' }, 'otherOptions', /object/],
    [
      'a list of other values',
      { otherOptions: '{"stop": [1]}' },
      'otherOptions',
      /stop must be a list of strings/,
    ],
    [
      'a list for another option',
      { otherOptions: '{"num_gpu": []}' },
      'otherOptions',
      /whole number, not \[\]/,
    ],
    ['a text for a number', { otherOptions: '{"min_p": "low"}' }, 'otherOptions', /min_p must be a number/],
    ['no model', { model: ' ' }, 'model', /Choose/],
  ])('%s', (_, changes, field, words) => {
    const result = read(changes);
    expect(result.ok).toBe(false);
    expect(result.ok ? {} : result.problems).toEqual({ [field]: expect.stringMatching(words) });
  });
});

it('creates only requests that the server accepts, whatever is entered', () => {
  const text = fc.oneof(fc.string(), fc.json(), fc.constantFrom('[]', '{}', '1', ''));
  const message = fc.record({
    role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const, 'tool' as const),
    content: text,
    thinking: text,
    calls: fc.oneof(text, fc.constant(JSON.stringify([call]))),
    toolName: text,
    sent: fc.constantFrom(undefined, 0, 2, 3),
  });
  const tool = fc.record({
    name: text,
    isOffered: fc.boolean(),
    text: fc.oneof(
      text,
      fc.json().map((parameters) => `{"name": "a", "parameters": ${parameters}}`),
      fc.json().map((properties) => `{"name": "b", "parameters": {"properties": ${properties}}}`),
    ),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(message, { maxLength: 4, selector: ({ sent }) => sent ?? {} }),
      fc.array(tool, { maxLength: 3 }),
      text,
      (messages, tools, otherOptions) => {
        const result = read({
          messages: messages.map((each, key) => ({ ...each, key })),
          tools: tools.map((each, key) => ({ ...each, key })),
          otherOptions,
        });
        if (result.ok) expect(rerunRequest.safeParse(result.request)).toMatchObject({ success: true });
      },
    ),
  );
});

import { describe, expect, it } from 'vitest';
import type { ForkDraftReply } from '../../api/fork-run.ts';
import { kindFacts } from '../../events/modes.ts';
import { sampleConfig } from '../../testing/sample-logs.ts';
import { resultText } from '../words/result-text.ts';
import { type ForkDraft, focusedText, forkTexts, newForkDraft, readForkDraft } from './fork-draft.ts';

const result = JSON.stringify({ success: true, tool: 'read_file', output: { content: 'one', lines: 1 } });
const point: ForkDraftReply = {
  seq: 12,
  mode: 'task',
  attempt: 1,
  iteration: 2,
  cycle: 0,
  messages: [
    { index: 0, role: 'system', text: 'Rules.' },
    { index: 1, role: 'user', text: 'Do it.' },
    { index: 2, role: 'tool', tool_name: 'read_file', text: result },
  ],
  calls: [],
  memory: [],
  config: sampleConfig({ model_options: { seed: 7, temperature: 0.2 } }),
};
const place = { seq: 12 };
const read = (changes: Partial<ForkDraft>, at: ForkDraftReply = point) =>
  readForkDraft(at, place, { ...newForkDraft(at, { imported: false }), ...changes });

it('sends only the fork point when nothing is changed', () => {
  const { workspace } = point.config;
  const request = { at: place, workspace: 'copy', copy_from: workspace };
  expect(read({})).toEqual({ ok: true, changes: 0, request });
  expect(newForkDraft(point, { imported: true }).workspace).toBe('empty');
  expect(read({ workspace: 'empty' })).toMatchObject({ request: { at: place, workspace: 'empty' } });
});

it('edits the text of a result and keeps the JSON around it', () => {
  const changed = read({ texts: { 'message:2': 'two' } });
  expect(changed).toMatchObject({ ok: true, changes: 1 });
  const content = changed.ok ? changed.request.edits?.[0] : undefined;
  expect(content).toEqual({
    target: 'message',
    index: 2,
    content: JSON.stringify({ success: true, tool: 'read_file', output: { content: 'two', lines: 1 } }),
  });
  expect(read({ texts: { 'message:2': 'one' } })).toMatchObject({ changes: 0 });
});

describe('calls that have not begun', () => {
  const schema = { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } };
  const waiting: ForkDraftReply = {
    ...point,
    calls: [
      { call_id: 'c1', tool: 'read_file', arguments: { path: 'a.txt' }, parameters: schema },
      { call_id: 'c2', tool: 'write_file', chars: 900_000 },
    ],
  };

  it('are edited argument by argument, those left out too', () => {
    const changed = read({ texts: { 'call:c1:path': 'b.txt', 'call:c1:limit': '5' } }, waiting);
    expect(changed).toMatchObject({
      ok: true,
      changes: 1,
      request: { edits: [{ target: 'call', call_id: 'c1', arguments: { path: 'b.txt', limit: 5 } }] },
    });
    expect(read({ texts: { 'call:c1:path': 'a.txt' } }, waiting)).toMatchObject({ changes: 0 });
    expect(focusedText(waiting, 'arguments')).toBe('call:c1:path');
  });

  it('say what is not JSON', () => {
    expect(read({ texts: { 'call:c1:limit': 'many' } }, waiting)).toMatchObject({
      ok: false,
      problems: { 'call:c1:limit': expect.stringContaining('JSON') },
    });
  });
});

it('sends changed settings, and removes emptied ones', () => {
  expect(read({ model: ' other ', seed: '', temperature: '0,5', limit: '20', message: ' Look. ' })).toEqual({
    ok: true,
    changes: 5,
    request: {
      at: place,
      workspace: 'copy',
      copy_from: point.config.workspace,
      message: 'Look.',
      settings: { model: 'other', max_iterations: 20, model_options: { seed: null, temperature: 0.5 } },
    },
  });
});

it('thinking, the window and the length of replies are settings of a fork', () => {
  const { window_tokens: window, num_predict: reply } = point.config;
  const more = { think: 'low', window: String(window * 2), reply: String(reply[1] * 2) } as const;
  expect(read(more)).toMatchObject({
    ok: true,
    changes: 3,
    request: {
      settings: { think: 'low', window_tokens: window * 2, num_predict: [reply[1] * 2, reply[1] * 2] },
    },
  });
  expect(read({ reply: '10' })).toMatchObject({ request: { settings: { num_predict: [10, reply[1]] } } });
  expect(read({ window: '', reply: '' })).toMatchObject({ ok: true, changes: 0 });
});

it('sends only the new window; the server derives the settings that depend on it', () => {
  const config = sampleConfig({ mode: 'session', session: { context_limit: 8192, turn_delay: 0 } });
  const session: ForkDraftReply = { ...point, mode: 'session', config: { ...config, window_tokens: 8192 } };
  const changed = read({ window: '16384' }, session);
  expect(changed.ok && changed.request.settings).toEqual({ window_tokens: 16_384 });
});

it('keeps a second reply limit that a person set, and raises one that was a default', () => {
  const limits = (config: Partial<ForkDraftReply['config']>) => {
    const changed = read({ reply: '6000' }, { ...point, config: sampleConfig(config) });
    return changed.ok && changed.request.settings?.num_predict;
  };
  expect(limits({})).toEqual([6000, 6000]);
  expect(limits({ num_predict: [2048, 9000] })).toEqual([6000, 9000]);
});

it('says what is wrong with each field', () => {
  expect(read({ temperature: 'hot', seed: '1.5', limit: '101', model: ' ', window: '9' })).toEqual({
    ok: false,
    problems: {
      temperature: 'A number from 0 to 5.',
      seed: 'A whole number from 0 to 2,147,483,647.',
      limit: 'A whole number from 1 to 100.',
      window: 'A whole number from 256 to 2,000,000.',
      model: 'Choose a model.',
    },
  });
});

it('writes, adds and deletes memories of an exploration', () => {
  const at: ForkDraftReply = {
    ...point,
    mode: 'explore',
    memory: [
      { key: 'a', text: 'one' },
      { key: 'b', text: 'two' },
    ],
  };
  const changed = read(
    {
      texts: { 'memory:a': 'changed', 'memory:b': 'lost' },
      deleted: ['memory:b'],
      newMemory: { key: 'c', value: 'new' },
    },
    at,
  );
  expect(changed).toMatchObject({
    request: {
      edits: [
        { target: 'memory', key: 'a', value: 'changed' },
        { target: 'memory', key: 'b', value: null },
        { target: 'memory', key: 'c', value: 'new' },
      ],
    },
  });
  expect(read({ newMemory: { key: 'c', value: '' } }, at)).toMatchObject({ ok: false });
});

it('empties a memory', () => {
  const at: ForkDraftReply = { ...point, mode: 'explore', memory: [{ key: 'a', text: 'one' }] };
  expect(read({ texts: { 'memory:a': '' } }, at)).toMatchObject({
    request: { edits: [{ target: 'memory', key: 'a', value: '' }] },
  });
});

describe('what is open at once', () => {
  it.each([
    ['result', 'message:2'],
    ['message', 'message:1'],
    ['reply', undefined],
    ['settings', undefined],
  ] as const)('%s', (focus, key) => expect(focusedText(point, focus)).toBe(key));

  it('offers a reply only once if it is also the last message', () => {
    const at = {
      ...point,
      messages: [...point.messages, { index: 3, role: 'assistant', text: 'Said.' }],
      reply: { text: 'Said.', calls: [] },
    };
    expect(forkTexts(at).map(({ key }) => key)).toEqual(['reply', 'message:2', 'message:1', 'message:0']);
  });
});

it.each([
  ['plain text', 'message', 'plain text'],
  ['[1]', 'message', '[1]'],
  ['{"success":true,"output":"text"}', 'output', 'text'],
  ['{"success":false,"output":{"error":"no"}}', 'error', 'no'],
  ['{"success":true,"output":{"entries":[]}}', 'message', '{"success":true,"output":{"entries":[]}}'],
])('of the message %s the %s is edited, and unchanged it is the same message', (content, part, text) => {
  const found = resultText(content);
  expect(found).toMatchObject({ part, text });
  expect(found.whole(found.text)).toBe(content);
});

it('changes the offered tools, and needs at least one', () => {
  const { tools } = newForkDraft(point, { imported: false });
  expect(tools).toEqual(kindFacts('task').tools);
  expect(read({ tools: tools.filter((name) => name !== 'run_command') })).toMatchObject({
    changes: 1,
    request: { settings: { tools: tools.filter((name) => name !== 'run_command') } },
  });
  expect(read({ tools: [...tools].reverse() })).toMatchObject({ changes: 0 });
  expect(read({ tools: [] })).toMatchObject({ ok: false, problems: { tools: 'Choose at least one tool.' } });
  const few = { ...point, config: { ...point.config, tools: ['read_file'] } };
  expect(newForkDraft(few, { imported: false }).tools).toEqual(['read_file']);
});

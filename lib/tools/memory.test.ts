import { expect, it } from 'vitest';
import { resultText } from '../events/conversation.ts';
import { cpuMs } from '../testing/cpu-time.ts';
import type { JsonObject } from '../util/json.ts';
import { createExploreTools } from './explore-tools.ts';
import { findPattern, MAX_KEY_CHARS, MAX_MEMORIES, MAX_VALUE_CHARS } from './memory.ts';
import type { ToolFact } from './tool.ts';
import { MAX_RESULT_BYTES } from './tool-results.ts';

/** The six tools on a memory that applies facts as the run's state does. */
function tools(begin: Record<string, string> = {}, queued: { id: string; text: string }[] = []) {
  const memory = new Map(Object.entries(begin).map(([key, value]) => [key, { value }]));
  const facts: ToolFact[] = [];
  const record = (fact: ToolFact) => {
    facts.push(fact);
    if (fact.kind === 'memory-written') memory.set(fact.key, { value: fact.value });
    if (fact.kind === 'memory-deleted') memory.delete(fact.key);
  };
  const toolbox = createExploreTools();
  /** The text that the model gets. */
  const call = async (name: string, args: JsonObject) =>
    resultText(
      await toolbox.execute(
        { name, arguments: args },
        { signal: new AbortController().signal, run: { memory, queued, record } },
      ),
    );
  return { toolbox, memory, facts, call };
}

it('offers six tools, none for files, commands or the network [O11, O16]', () => {
  const names = tools().toolbox.definitions.map((tool) => tool.function.name);
  expect(names).toEqual(['write', 'read', 'list', 'delete', 'pattern_search', 'send_message_to_operator']);
});

it('writes, reads, lists, replaces and deletes [O12]', async () => {
  const { call, facts } = tools();
  expect(await call('list', {})).toBe('There are no memories yet.');
  expect(await call('write', { key: 'a', value: 'x' })).toBe('Stored "a" (1 character).');
  expect(await call('write', { key: 'a', value: 'xy' })).toBe('Replaced "a" (2 characters).');
  expect(await call('read', { key: 'a' })).toBe('xy');
  expect(await call('list', {})).toBe('a (2 characters)');
  expect(await call('delete', { key: 'a' })).toBe('Deleted "a".');
  expect(await call('delete', { key: 'a' })).toMatch(/^Error: There is no memory "a"/);
  expect(facts.map(({ kind }) => kind)).toEqual(['memory-written', 'memory-written', 'memory-deleted']);
});

it('returns an error text that says why something failed [O15]', async () => {
  const { call, facts } = tools({ idea: 'x' });
  const failures = [
    await call('read', { key: 'ideas' }),
    await call('write', { key: ' ', value: '' }),
    await call('write', { key: 'k'.repeat(MAX_KEY_CHARS + 1), value: '' }),
    await call('write', { key: 'k', value: 'v'.repeat(MAX_VALUE_CHARS + 1) }),
    await call('write', { key: 'k' }),
    await call('nothing', {}),
    await call('send_message_to_operator', { message: '  ' }),
  ];
  for (const text of failures) expect(text).toMatch(/^Error: /);
  expect(failures[0]).toContain('Did you mean "idea"?');
  expect(facts).toEqual([]);
});

it('bounds the memory, and allows keys such as __proto__ [O12]', async () => {
  const full = Object.fromEntries(Array.from({ length: MAX_MEMORIES }, (_, index) => [`k${index}`, 'v']));
  const { call } = tools(full);
  expect(await call('write', { key: 'one more', value: '' })).toMatch(
    /^Error: There are already 1000 memories/,
  );
  expect(await call('write', { key: 'k1', value: 'new' })).toMatch(/^Replaced/);
  const odd = tools();
  expect(await odd.call('read', { key: '__proto__' })).toMatch(/^Error:/);
  await odd.call('write', { key: '__proto__', value: 'kept' });
  expect(await odd.call('read', { key: '__proto__' })).toBe('kept');
});

it('bounds results and says what is missing [O9]', async () => {
  const long = Object.fromEntries(
    Array.from({ length: 900 }, (_, index) => [`${'k'.repeat(150)}${index}`, 'v'.repeat(200)]),
  );
  const { call } = tools(long);
  const listed = await call('list', {});
  expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThan(MAX_RESULT_BYTES);
  expect(listed).toMatch(/\(\d+ more are not shown\)$/);
  const shown = listed.split('\n').length - 1;
  expect(Number(/\((\d+) more/.exec(listed)?.[1]) + shown).toBe(900);
  const broken = Object.fromEntries(
    Array.from({ length: 900 }, (_, index) => [`${'k\n'.repeat(90)}${index}`, 'v']),
  );
  const first = await tools(broken).call('list', {});
  const entries = first.match(/\(1 character\)/g)?.length ?? 0;
  expect(first).toMatch(/\(1 character\)\n\(\d+ more are not shown\)$/);
  expect(Number(/\((\d+) more/.exec(first)?.[1]) + entries).toBe(900);
  // Only a fork can create one this long.
  const read = await tools({ book: 'é'.repeat(100_000) }).call('read', { key: 'book' });
  const [text = '', rest = ''] = read.split('\n');
  expect(
    Number(/^\(([\d,]+) more characters not shown\)$/.exec(rest)?.[1]?.replace(',', '')) + text.length,
  ).toBe(100_000);
});

it('pattern_search matches parts of keys and values, case-insensitively, with asterisks [K-42]', async () => {
  const { call } = tools({ Sky: 'It is BLUE\nin the morning.', sea: 'green' });
  expect(await call('pattern_search', { pattern: 'blue' })).toBe('Sky: It is BLUE in the morning.');
  expect(await call('pattern_search', { pattern: 'it*morning' })).toMatch(/^Sky: /);
  expect(await call('pattern_search', { pattern: 'sea' })).toBe('sea: green');
  expect(await call('pattern_search', { pattern: 'red' })).toBe('Nothing matches "red".');
  expect((await call('pattern_search', { pattern: '*' })).split('\n')).toHaveLength(2);
});

it('searches in linear time', () => {
  const text = 'a'.repeat(200_000);
  const took = cpuMs(() => expect(findPattern(text, `${'a*'.repeat(500)}b`)).toBeUndefined());
  expect(took).toBeLessThan(10_000);
});

it('a message returns the queued answers, as many as fit into one result [O14]', async () => {
  const { call, facts } = tools({}, [
    { id: 'm1', text: 'First.' },
    { id: 'm2', text: '\u0001'.repeat(10_580) },
    { id: 'm3', text: 'Third.' },
  ]);
  expect(await call('send_message_to_operator', { message: 'Hello.' })).toBe(
    'The message was sent. The operator said:\n\nFirst.\n\n'.concat('\u0001'.repeat(10_580)),
  );
  expect(facts).toEqual([
    { kind: 'said-to-operator', text: 'Hello.' },
    { kind: 'messages-read', ids: ['m1', 'm2'] },
  ]);
});

it('there is no memory outside a run', async () => {
  const result = await createExploreTools().execute(
    { name: 'read', arguments: { key: 'a' } },
    { signal: new AbortController().signal },
  );
  expect(resultText(result)).toMatch(/^Error: .*only within a run/);
});

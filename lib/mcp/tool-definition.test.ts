import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../util/json.ts';
import { MAX_NAME_CHARS, MAX_SCHEMA_NODES } from './limits.ts';
import { type Secret, SecretMask } from './secrets.ts';
import { type ListedTool, readTools } from './tool-definition.ts';

const empty = { type: 'object' };
const tool = (listed: Partial<ListedTool>, secrets: readonly Secret[] = []) =>
  readTools('files', [{ name: 'read', inputSchema: empty, ...listed }], new SecretMask(secrets))[0];
const parameters = (inputSchema: Record<string, JsonValue>) =>
  tool({ inputSchema })?.definition?.function.parameters;

describe('readTools', () => {
  it('names tools so that templates can read them, each one once', () => {
    const names = ['read', 'read', 'Read!', 'a b', '***', 'x'.repeat(80)];
    const read = readTools(
      'files',
      names.map((name) => ({ name, inputSchema: empty })),
      new SecretMask([]),
    );
    const offered = read.map((each) => each.offered);
    expect(offered.slice(0, 1)).toEqual(['files__read']);
    expect(offered).toHaveLength(5);
    expect(new Set(offered.map((name) => name.toLowerCase())).size).toBe(5);
    for (const name of offered) expect(name).toMatch(/^files__[A-Za-z0-9_]{1,57}$/);
    expect(read.map(({ definition, offered: name }) => definition?.function.name === name)).not.toContain(
      false,
    );
  });

  it('cleans descriptions, and falls back to the title', () => {
    expect(tool({ description: 'Reads\u200b it.' })).toMatchObject({
      description: 'Reads it.',
      hiddenChars: 1,
    });
    const titled = tool({ title: 'Reader', annotations: { readOnlyHint: true, title: 'T', other: 1 } });
    expect(titled?.definition?.function.description).toBe('Reader');
    expect(titled?.annotations).toEqual({ readOnlyHint: true, title: 'T' });
  });

  it('masks secrets before texts are cut, and does not change with them', () => {
    const said = (value: string) => {
      const description = `${'x'.repeat(3990)}${value} and more`;
      const key = { type: 'string', description: `${'y'.repeat(990)}${value}` };
      const listed = {
        title: `Uses ${value}`,
        description,
        inputSchema: { type: 'object', properties: { key } },
        outputSchema: { type: 'object', description: value },
        annotations: { title: value },
      };
      return tool(listed, [{ name: 'TOKEN', value }]);
    };
    const first = said('first-secret-value');
    expect(JSON.stringify(first)).not.toContain('first');
    expect(first?.title).toBe('Uses [secret TOKEN]');
    expect(first?.description.slice(3990)).toBe('[secret TO');
    expect(said('other-secret-value')).toEqual(first);
    // This includes an unusable tool, whose cut description is hashed.
    const unusable = (value: string) =>
      tool({ description: `${'x'.repeat(3990)}${value}`, inputSchema: [] }, [{ name: 'TOKEN', value }]);
    expect(unusable('other-secret-value')).toEqual(unusable('first-secret-value'));
  });

  it('changes the hash with anything that the server says', () => {
    const first = tool({})?.hash;
    expect(tool({})?.hash).toBe(first);
    for (const change of [
      { description: 'x' },
      { inputSchema: { type: 'object', required: ['a'] } },
      { title: 'x' },
    ]) {
      expect(tool(change)?.hash).not.toBe(first);
    }
  });

  it.each([
    ['no schema', { inputSchema: undefined }, /input schema is missing/],
    ['another type', { inputSchema: { type: 'string' } }, /does not describe an object/],
    ['a bad output schema', { outputSchema: 7 }, /output schema is missing/],
    ['a call as a task', { execution: { taskSupport: 'required' } }, /does not support tasks/],
    ['a long name', { name: 'n'.repeat(MAX_NAME_CHARS + 1) }, /name has \d+ characters/],
    [
      'a hidden parameter',
      { inputSchema: { type: 'object', properties: { 'a\u202e': {} } } },
      /cannot be used/,
    ],
    [
      'too many parts',
      { inputSchema: { type: 'object', anyOf: Array.from({ length: MAX_SCHEMA_NODES + 1 }, () => ({})) } },
      /more than/,
    ],
  ])('has a problem instead of a definition for %s', (_, listed, problem) => {
    const read = tool(listed);
    expect(read?.definition).toBeUndefined();
    expect(read?.problem).toMatch(problem);
  });
});

describe('schemas for models', () => {
  it('resolve references, and end circles', () => {
    const read = parameters({
      type: 'object',
      $defs: {
        node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } },
        'a/b': { type: 'string' },
      },
      properties: {
        first: { $ref: '#/$defs/node', description: 'Where it begins' },
        slash: { $ref: '#/$defs/a~1b' },
        far: { $ref: 'https://example.org/schema' },
      },
    });
    expect(read?.properties).toEqual({
      first: { type: 'object', properties: { next: {} }, description: 'Where it begins' },
      slash: { type: 'string' },
      far: {},
    });
  });

  it('keep what templates understand, and merge what must hold together', () => {
    const read = parameters({
      type: 'object',
      allOf: [
        {
          properties: {
            a: {
              type: ['string', 'null'],
              enum: ['x', { deep: 1 }],
              default: 'x',
              minLength: 1,
              pattern: 'p',
            },
          },
          required: ['a'],
        },
        { properties: { b: { const: 4 } }, required: ['b', 7] },
      ],
      additionalProperties: false,
      properties: {
        c: {
          oneOf: [
            { type: 'integer', minimum: 1 },
            { type: 'array', items: { type: 'number' } },
          ],
        },
      },
    });
    expect(read).toMatchObject({
      type: 'object',
      required: ['a', 'b'],
      additionalProperties: false,
      properties: {
        c: {
          anyOf: [
            { type: 'integer', minimum: 1 },
            { type: 'array', items: { type: 'number' } },
          ],
        },
      },
    });
  });
});

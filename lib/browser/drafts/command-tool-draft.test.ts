import { describe, expect, it } from 'vitest';
import type { CommandTool } from '../../events/command-tool.ts';
import { commandToolDraftOf, commandToolOf, emptyCommandToolDraft, rowsOf } from './command-tool-draft.ts';

const tool: CommandTool = {
  name: 'first_lines',
  description: 'Show the first lines.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file' },
      lines: { type: 'integer' },
      others: { type: 'array', items: { type: 'string' } },
    },
    required: ['path'],
  },
  command: ['head', '--lines={lines}', '--', '{path}', '{others}'],
  stdin: 'none',
  access: 'read',
  timeout_seconds: 5,
};

describe('the form of a custom tool', () => {
  it('reproduces the tool that it was created from', () => {
    const draft = commandToolDraftOf(tool);
    expect(draft.parameters).toHaveLength(3);
    expect(draft.schema).toBeUndefined();
    expect(commandToolOf(draft)).toEqual({ ok: true, tool });
  });

  it('keeps a schema as JSON if rows cannot express it', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string', enum: ['x', 'y'] } } };
    const draft = commandToolDraftOf({ ...tool, parameters });
    expect(draft.parameters).toEqual([]);
    expect(commandToolOf(draft)).toMatchObject({ ok: true, tool: { parameters } });
    expect(
      rowsOf({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }),
    ).toBe(undefined);
    expect(rowsOf({ type: 'object' })).toEqual([]);
  });

  it('names what is missing or wrong, by field', () => {
    expect(commandToolOf(emptyCommandToolDraft)).toEqual({
      ok: false,
      problems: {
        name: expect.stringContaining('lowercase letters'),
        description: expect.stringContaining('models choose by this'),
        command: 'Enter the program.',
      },
    });
    const draft = commandToolDraftOf(tool);
    const row = { name: 'path', type: 'string', description: '', required: false } as const;
    const problem = (changes: object) => {
      const read = commandToolOf({ ...draft, ...changes });
      return read.ok ? {} : read.problems;
    };
    expect(problem({ parameters: [row, row] })).toEqual({ parameters: 'path is used twice.' });
    expect(problem({ parameters: [{ ...row, name: 'a b' }] }).parameters).toContain('letters');
    expect(problem({ schema: '[1]' })).toEqual({ schema: 'This is not a JSON object.' });
    expect(problem({ timeoutSeconds: '4000' }).timeoutSeconds).toContain('1 to 3600');
  });
});

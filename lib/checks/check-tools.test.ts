import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suite } from '../api/suite.ts';
import { summarizeToolCheck, type ToolCheck, toolCheck } from '../api/tool-check.ts';
import { argumentProblems, confusionRows } from '../browser/words/tool-check-words.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { validateArguments } from '../parser/validate-arguments.ts';
import type { JsonObject } from '../util/json.ts';
import { judgeToolCall } from './judge-tool-call.ts';
import type { ProbeTranscript } from './probe-transcript.ts';
import { suiteOfCheck } from './suite-of-check.ts';
import { toolTasks } from './tool-tasks.ts';

const read: ToolDefinition = {
  type: 'function',
  function: {
    name: 'files__read_text_file',
    description: 'Read a text file. Use it for text only.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where it is' },
        lines: { type: 'integer', minimum: 10, maximum: 20 },
        encoding: { type: 'string', enum: ['utf8', 'latin1', 'ascii'], default: 'utf8' },
      },
      required: ['path'],
    },
  },
};
const sum: ToolDefinition = {
  type: 'function',
  function: {
    name: 'files__sum',
    description: '',
    parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  },
};

describe('requests for calls', () => {
  it('are generated from name, description and parameters, the same each time [O26]', () => {
    const tasks = toolTasks([read, sum]);
    expect(tasks.map(({ id, expected }) => [id, expected])).toEqual([
      ['files__read_text_file:required', { path: 'notes/plan.txt' }],
      ['files__read_text_file:all', { path: 'notes/plan.txt', lines: 10, encoding: 'utf8' }],
      ['files__read_text_file:choice:3', { path: 'notes/plan.txt', encoding: 'latin1' }],
      ['files__read_text_file:choice:4', { path: 'notes/plan.txt', encoding: 'ascii' }],
      ['files__read_text_file:name', { path: 'notes/plan.txt' }],
      ['files__sum:required', { a: 7 }],
    ]);
    expect(tasks[0]?.prompt).toContain('\nRead a text file.\n');
    expect(tasks[0]?.prompt).toContain('- path (Where it is): "notes/plan.txt"');
    expect(tasks[4]?.prompt).toContain('\nread text file\n');
    expect(tasks.every(({ prompt }) => !prompt.includes('files__'))).toBe(true);
    expect(toolTasks([read, sum])).toEqual(tasks);
  });

  it('name all parameters if a schema requires one of several', () => {
    const parameters = {
      type: 'object',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    };
    const tasks = toolTasks([
      { type: 'function', function: { name: 'a__b', description: 'Finds it.', parameters } },
    ]);
    expect(tasks.map(({ id }) => id)).toEqual(['a__b:all', 'a__b:name']);
    expect(Object.keys(tasks[0]?.expected ?? {})).toEqual(['id', 'name']);
  });

  it('match any schema', () => {
    const leaf = fc.oneof(
      fc.record(
        {
          type: fc.constantFrom('string', 'integer', 'number', 'boolean'),
          minimum: fc.integer(),
          maximum: fc.integer(),
          minLength: fc.nat(40),
          maxLength: fc.nat(40),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }) }),
      fc.record({ type: fc.constant('string'), pattern: fc.string() }),
    );
    const schema = fc.oneof(
      leaf,
      fc.record({ type: fc.constant('array'), items: leaf, minItems: fc.nat(12) }),
      fc.record({ anyOf: fc.array(leaf, { minLength: 1 }) }),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), schema),
        fc.array(fc.string()),
        (properties, required) => {
          const parameters = { type: 'object', properties, required };
          const tool: ToolDefinition = {
            type: 'function',
            function: { name: 'a__b', description: 'x', parameters },
          };
          for (const { expected } of toolTasks([tool]))
            expect(validateArguments(expected, parameters)).toEqual([]);
        },
      ),
    );
  });

  it('accept any format of a string, even one named like an object property', () => {
    const parameters = {
      type: 'object',
      properties: { code: { type: 'string', format: 'constructor' } },
      required: ['code'],
    };
    const [task] = toolTasks([
      { type: 'function', function: { name: 'a__b', description: 'x', parameters } },
    ]);
    expect(task?.expected).toEqual({ code: 'harbor' });
  });

  it.each([
    [{ type: 'integer', minimum: 0, exclusiveMaximum: 5 }, 0],
    [{ type: 'integer', exclusiveMinimum: 2, exclusiveMaximum: 4 }, 3],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'number', maximum: -2 }, -2],
    [{ type: 'array', items: { type: 'string' }, maxItems: 1 }, ['harbor1']],
  ])('keep to the limits of %o', (value, expected) => {
    const parameters = { type: 'object', properties: { value }, required: ['value'] };
    const [task] = toolTasks([
      { type: 'function', function: { name: 'a__b', description: 'x', parameters } },
    ]);
    expect(task?.expected).toEqual({ value: expected });
  });

  it('leave out a tool whose required values cannot be made up', () => {
    const parameters = {
      type: 'object',
      properties: { code: { type: 'string', pattern: '^[A-Z]{3}$' } },
      required: ['code'],
    };
    expect(
      toolTasks([{ type: 'function', function: { name: 'a__b', description: 'x', parameters } }]),
    ).toEqual([]);
  });
});

function reply(...calls: [name: string, args: JsonObject][]): ProbeTranscript {
  return {
    replies: [
      {
        calls: calls.map(([name, args]) => ({ name, arguments: args, offered: true, problems: [] })),
        text: '',
        thought: false,
        malformed: false,
        swallowedTokens: 0,
        cut: false,
      },
    ],
  };
}

describe('the judgment of a call', () => {
  const task = { tool: 'files__read_text_file', expected: { path: 'a.txt', lines: 12 } };
  const { parameters } = read.function;
  const judged = (transcript: ProbeTranscript) => judgeToolCall(transcript, task, parameters);
  const call = (args: JsonObject) => judged(reply([task.tool, args]));

  it('accepts the right call, even with blanks, null and defaults', () => {
    expect(call({ path: 'a.txt', lines: 12 }).outcome).toBe('right');
    expect(call({ path: ' a.txt ', lines: 12, encoding: 'utf8' }).outcome).toBe('right');
    expect(call({ path: 'a.txt', lines: 12, encoding: null }).outcome).toBe('right');
  });

  it('accepts a default that is an object, with its fields in any order', () => {
    const preset = { unit: 'cm', scale: 2 };
    const sized = { type: 'object', properties: { size: { type: 'object', default: preset } } };
    const given = judgeToolCall(
      reply(['draw', { size: { scale: 2, unit: 'cm' } }]),
      { tool: 'draw', expected: {} },
      sized,
    );
    expect(given.outcome).toBe('right');
  });

  it('names each wrong argument and the kind of error', () => {
    expect(call({ path: 'b.txt', encoding: 'latin1' }).arguments).toEqual([
      { name: 'path', problem: 'wrong_value' },
      { name: 'lines', problem: 'missing' },
      { name: 'encoding', problem: 'extra' },
    ]);
    expect(call({ path: 7, lines: 12, other: 1 })).toMatchObject({
      outcome: 'wrong_arguments',
      arguments: [
        { name: 'path', problem: 'wrong_type' },
        { name: 'other', problem: 'extra' },
      ],
    });
  });

  it('distinguishes other tools, missing calls, unreadable calls and failures', () => {
    const right: [string, JsonObject] = [task.tool, task.expected];
    expect(judged(reply(['files__sum', {}])).outcome).toBe('wrong_tool');
    expect(judged(reply(right, ['files__sum', {}])).outcome).toBe('wrong_tool');
    expect(judged(reply(right, right)).outcome).toBe('wrong_arguments');
    expect(judged(reply()).outcome).toBe('no_call');
    const [empty] = reply().replies;
    expect(judged({ replies: empty ? [{ ...empty, malformed: true }] : [] }).outcome).toBe('unreadable');
    expect(judged({ replies: [], failure: { kind: 'malformed_call', message: 'x' } }).outcome).toBe(
      'unreadable',
    );
    expect(judged({ replies: [], failure: { kind: 'timeout', message: 'x' } }).outcome).toBe('failed');
  });
});

const conditions = { temperature: 0, seed: 1, window_tokens: 8192, num_predict: 512 };
const measured = {
  ...{ replies: 0, calls: 0, layers: { native: 0, json: 0, xml: 0 }, formats: {}, repaired: 0, coerced: 0 },
  ...{ refused: 0, malformed: 0, timed_tokens: 0, eval_ms: 0, thinking_replies: 0, thinking_chars: 0 },
};

function checkOf(probes: Partial<ToolCheck['probes'][number]>[]): ToolCheck {
  const [first] = toolTasks([read]);
  return toolCheck.parse({
    ...{ id: 'a', server: 'files', model: 'm', digest: '', started_at: 1, ended_at: 2, conditions, measured },
    tools: [read, sum].map(({ function: { name, description } }) => ({ name, description })),
    probes: probes.map((probe, index) => ({
      ...{
        id: `files__read_text_file:${index}`,
        title: 'x',
        task: first?.prompt,
        verdict: 'pass',
        criteria: [],
      },
      ...{ exchanges: [], duration_ms: 1, tool: 'files__read_text_file', kind: 'required' },
      ...{
        expected: first?.expected,
        outcome: 'right',
        called: ['files__read_text_file'],
        arguments: [],
        ...probe,
      },
    })),
  });
}

it('counts right calls, confusions and wrong arguments; failures of the model server are not judged', () => {
  const check = checkOf([
    {},
    { outcome: 'wrong_tool', called: ['files__sum'] },
    { outcome: 'no_call', called: [] },
    { outcome: 'failed', called: [] },
    { outcome: 'wrong_arguments', arguments: [{ name: 'path', problem: 'missing' }] },
  ]);
  expect(summarizeToolCheck(check)).toMatchObject({
    right: 1,
    judged: 4,
    tools: [
      { name: 'files__read_text_file', right: 1, judged: 4 },
      { name: 'files__sum', right: 0, judged: 0 },
    ],
  });
  expect(confusionRows(check)).toEqual([
    {
      asked: 'files__read_text_file',
      called: [
        { name: 'files__read_text_file', count: 2, isTool: true },
        { name: 'files__sum', count: 1, isTool: true },
        { name: 'no call', count: 1, isTool: false },
      ],
    },
  ]);
  expect(argumentProblems(check.probes, 'files__read_text_file')).toEqual([
    { name: 'path', problem: 'missing', count: 1 },
  ]);
});

it('becomes a suite whose checks are the calls', () => {
  const parsed = suite.parse(suiteOfCheck(checkOf([{}])));
  expect(parsed).toMatchObject({
    name: 'Tools of files',
    cases: [
      {
        tools: ['files__read_text_file', 'files__sum'],
        checks: [
          { type: 'tool_called', tool: 'files__read_text_file', arguments: { path: 'notes/plan.txt' } },
        ],
      },
    ],
  });
});

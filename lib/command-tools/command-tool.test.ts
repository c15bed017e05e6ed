import { expect, it } from 'vitest';
import { saveCommandToolRequest } from '../api/command-tool.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import { readCommandTools } from './tools-file.ts';

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, lines: { type: 'integer' } },
  required: ['path'],
};
const tool = {
  name: 'first_lines',
  description: 'Show the first lines of a file.',
  parameters,
  command: ['head', '--lines={lines}', '--', '{path}'],
};

function problems(changes: Record<string, unknown>): string[] {
  const parsed = saveCommandToolRequest.safeParse({ tool: { ...tool, ...changes } }, IN_WORDS);
  return describeFieldProblems(parsed.error?.issues ?? [], 'body');
}

it('accepts a sound tool and fills in its defaults [O25]', () => {
  expect(saveCommandToolRequest.parse({ tool }).tool).toEqual({
    ...tool,
    stdin: 'none',
    access: 'write',
    timeout_seconds: 60,
  });
});

it.each([
  ['a name that is not plain', { name: 'First Lines' }, 'tool.name: Use lowercase letters'],
  ['a name of a server tool', { name: 'files__read' }, 'tool.name: Use lowercase letters'],
  ['a name that is too long', { name: 'a'.repeat(60) }, 'tool.name: must have at most 56 characters.'],
  ['no description', { description: ' ' }, 'tool.description: Describe what it does'],
  ['no program', { command: [] }, 'tool.command: Enter the program.'],
  ['a program from the model', { command: ['{path}', '{lines}'] }, 'tool.command.0: The program cannot be'],
  [
    'an unknown parameter',
    { command: ['head', '{lines}', '{pth}'] },
    'tool.command.2: There is no parameter "pth". Did you mean {path}?',
  ],
  [
    'a parameter that goes nowhere',
    { command: ['head', '{path}'] },
    'tool.command: The parameter "lines" reaches no argument.',
  ],
  [
    'code from the model',
    { command: ['/bin/sh', '-c', 'head {path} {lines}'] },
    'tool.command.2: A shell would read this as code',
  ],
  [
    'code from the model behind joined options',
    { command: ['bash', '-euc', '{path}', '{lines}'] },
    'tool.command.2: A shell would read this as code',
  ],
  ...[
    ['env', 'sh', '-c', '{path} {lines}'],
    ['nice', '-n', '5', 'sh', '-c', '{path} {lines}'],
    ['xargs', '/bin/bash', '-c', '{path} {lines}'],
    ['find', '.', '-exec', 'sh', '-c', '{path} {lines}', ';'],
    ['pwsh', '-Command', '{path} {lines}'],
    ['pwsh', '-ExecutionPolicy', 'Bypass', '-Command', '{path} {lines}'],
    ['pwsh', '-c', 'Get-Content', '{path} {lines}'],
    ['bash', '-c', '-x', '{path} {lines}'],
    ['bash', '-c', '--', '{path} {lines}'],
    ['bash', '-c', '-o', 'pipefail', '-e', '{path} {lines}'],
    ['bash', '-euco', 'pipefail', '{path} {lines}'],
    ['fish', '--command', '{path} {lines}'],
    ['flock', 'lock', '-c', '{path} {lines}'],
    ['script', '-qec', '{path} {lines}', '/dev/null'],
    ['script', '--command={path} {lines}'],
    ['su', '-c', '{path} {lines}'],
    ['nice', 'runuser', '-l', 'ada', '-c', '{path} {lines}'],
    ['watch', '-n', '1', 'head', '{path} {lines}'],
    ['fish', '--command={path} {lines}'],
    ['/usr/bin/env', '-S', 'sh -c {path} {lines}'],
    ['env', '-iS', '{path} {lines}'],
    ['env', '--split-string={path} {lines}'],
  ].map((command): [string, Record<string, unknown>, string] => [
    `code from the model behind ${command.slice(0, -1).join(' ')}`,
    { command },
    'A shell would read this as code',
  ]),
  ['a NUL character', { command: ['head', '{path}{lines}\0'] }, 'tool.command.1: This contains a NUL'],
  [
    'parameters that are no object',
    { parameters: { type: 'string' } },
    'tool.parameters: The schema must have "type": "object".',
  ],
  ['a schema that is none', { parameters: { ...parameters, required: 'path' } }, 'tool.parameters: '],
  ['an unknown field', { shell: true }, 'tool.shell: unknown field.'],
])('refuses %s', (_what, changes, message) => {
  expect(problems(changes).join('\n')).toContain(message);
});

it('lets parameters reach a script as its arguments or on the standard input', () => {
  expect(problems({ command: ['sh', '-c', 'head -n "$2" -- "$1"', 'sh', '{path}', '{lines}'] })).toEqual([]);
  expect(
    problems({ command: ['bash', '-o', 'pipefail', '-c', 'head -- "$@"', 'sh', '{path}', '{lines}'] }),
  ).toEqual([]);
  expect(
    problems({ command: ['pwsh', '-ExecutionPolicy', 'Bypass', '-File', 'a.ps1', '{path}', '{lines}'] }),
  ).toEqual([]);
  expect(problems({ command: ['python3', 'tool.py'], stdin: 'json' })).toEqual([]);
  expect(problems({ command: ['npm', 'run', 'watch', '{path}', '{lines}'] })).toEqual([]);
  expect(problems({ command: ['flock', 'lock', 'head', '--lines={lines}', '--', '{path}'] })).toEqual([]);
});

it('names the place and the reason of what is wrong in the file', () => {
  const { name, ...fields } = tool;
  const read = (value: unknown) =>
    readCommandTools(typeof value === 'string' ? value : JSON.stringify(value));
  expect(read({ tools: { [name]: fields } })).toMatchObject({ tools: [{ name, stdin: 'none' }] });
  for (const [value, problem] of [
    ['{"tools": ', 'This is not JSON: '],
    [{}, 'tools: '],
    [{ tools: { 'a b': fields } }, 'tools.a b: '],
    [{ tools: { [name]: { ...fields, timeout_seconds: 0 } } }, 'tools.first_lines.timeout_seconds: '],
    [
      { tools: { [name]: { ...fields, command: ['head', '{lines}', '{pth}'] } } },
      'tools.first_lines.command.2: There is no',
    ],
    [{ tools: { [name]: { ...fields, env: {} } } }, 'tools.first_lines.env: unknown field.'],
    [{ tools: { [name]: { ...fields, command: ['head', `{p${'x'.repeat(3000)}}`] } } }, 'no parameter "px'],
    [
      { tools: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`t${i}`, {}])) },
      'more than 100 tools',
    ],
    [
      { tools: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`t${i}`, fields])) },
      'more than 100 tools',
    ],
  ] as const) {
    expect(read(value)).toEqual({ problem: expect.stringContaining(problem) });
    expect(read(value)).toEqual({ problem: expect.stringMatching(/^.{1,600}$/s) });
  }
});

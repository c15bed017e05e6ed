import { expect, it } from 'vitest';
import { asPreset } from '../api/preset.ts';
import { readArguments } from './arguments.ts';
import { runOfPreset } from './run-of-preset.ts';

const presets = [
  asPreset({
    id: 'p1',
    name: 'Weekly report',
    run: {
      task: 'Summarise {file} for {reader}; keep {{braces}}',
      model: 'qwen3:8b',
      tier: 'complex',
      budget: { max_seconds: 60 },
      model_options: { temperature: 0, top_k: 5 },
    },
    created_at: 1,
    updated_at: 1,
  }),
];

function bodyOf(...args: string[]) {
  const command = readArguments(['run', ...args]);
  if (command.name !== 'run' || command.preset === undefined) throw new Error('not a run of a preset');
  return runOfPreset(presets, { ...command, preset: command.preset });
}

it('fills in the placeholders of the preset, and sends its fields', () => {
  expect(bodyOf('--preset', 'weekly REPORT', '--set', 'file=a=b {reader}.md', '--set', 'reader=Ada')).toEqual(
    {
      ...presets[0]?.run,
      task: 'Summarise a=b {reader}.md for Ada; keep {braces}',
    },
  );
});

it('lets options override single fields', () => {
  const filled = ['-p', 'Weekly report', '--set', 'file=a', '--set', 'reader=b'];
  expect(
    bodyOf(...filled, '-m', 'other', '--max-tokens', '500', '--option', 'top_k=9', '--set', 'think=true'),
  ).toMatchObject({
    model: 'other',
    tier: 'complex',
    budget: { max_seconds: 60, max_tokens_total: 500 },
    model_options: { temperature: 0, top_k: 9 },
    think: true,
  });
  expect(bodyOf('-p', 'Weekly report', 'Another {task}')).toMatchObject({ task: 'Another {task}' });
});

it('reports a placeholder without a value, an unknown preset and a setting that is not JSON', () => {
  expect(() => bodyOf('-p', 'Weekly report', '--set', 'file=a', '--set', 'reader= ')).toThrow(
    'needs --set reader=TEXT',
  );
  expect(() => bodyOf('-p', 'Weekly reprot')).toThrow('did you mean "Weekly report"?');
  expect(() =>
    bodyOf('-p', 'Weekly report', '--set', 'file=a', '--set', 'reader=b', '--set', 'tier=x'),
  ).toThrow('must be JSON');
  expect(() => runOfPreset([], { preset: 'x', body: {}, fields: [] })).toThrow('There is no preset "x"');
});

it('leaves out settings of the preset that have no effect without tools, but not the options', () => {
  const values = ['--set', 'file=a', '--set', 'reader=b'];
  const sent = bodyOf('-p', 'Weekly report', '--no-tools', '--max-iterations', '3', ...values);
  expect(sent).toMatchObject({ agentic: false, max_iterations: 3, budget: { max_seconds: 60 } });
  expect(sent).not.toHaveProperty('tier');
});

it('shortens the replies of the preset if an option asks for the first only, but not those of the options', () => {
  const run = { mode: 'explore', operator_policy: 'list', operator_replies: ['Yes.', 'No.'] } as const;
  const preset = asPreset({
    ...{ id: 'p2', name: 'Replies', created_at: 1, updated_at: 1 },
    run: { ...run, operator_replies: [...run.operator_replies] },
  });
  const fixed = { operator_policy: 'fixed' };
  const sent = (body: Record<string, unknown>) =>
    runOfPreset([preset], { preset: 'Replies', body, fields: [] });
  expect(sent(fixed)).toMatchObject({ ...fixed, operator_replies: ['Yes.'] });
  const given = { ...fixed, operator_replies: ['A.', 'B.'] };
  expect(sent(given)).toMatchObject(given);
});

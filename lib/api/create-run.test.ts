import { expect, it } from 'vitest';
import { createRunRequest } from './create-run.ts';
import { presetRecord, presetRequest } from './preset.ts';

const problems = (changes: object) =>
  createRunRequest
    .safeParse({ model: 'play', task: 'Do it', ...changes })
    .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

it('names an unknown mode along with all other problems', () => {
  const found = problems({ mode: 'foo', model: '' });
  expect(found).toEqual([expect.stringMatching(/^mode: /), 'model: Choose a model.']);
});

it('reports a missing task only in modes that need one', () => {
  expect(problems({ task: '' })).toEqual(['task: Say what the agent should do.']);
  expect(problems({ mode: 'session', task: '' })).toEqual([]);
});

it.each(['5m', '1h30m', '-1', -1, 0, 300, '2.5s'])(
  'takes %j as the time to keep a model loaded',
  (keep_alive) => {
    expect(problems({ keep_alive })).toEqual([]);
  },
);

it.each(['forever', '5 minutes', '', '5x'])('refuses %j as the time to keep a model loaded', (keep_alive) => {
  expect(problems({ keep_alive })).toEqual([
    expect.stringMatching(/^keep_alive: Enter a duration such as 30m/),
  ]);
});

it('refuses misspelled limits and model options, and accepts options that resemble none', () => {
  expect(problems({ budget: { max_token_total: 5 } })).toEqual([
    expect.stringMatching(/^budget: .*"max_token_total"/),
  ]);
  expect(problems({ mode: 'explore', task: '', diversity: { treshold: 0.5 } })).toEqual([
    expect.stringMatching(/^diversity: .*"treshold"/),
  ]);
  expect(problems({ model_options: { temprature: 1, newer_option: 2 } })).toEqual([
    'model_options: temprature: There is no such model option. Did you mean temperature?',
  ]);
});

it('repeats only the start of a long name of a model option', () => {
  expect(problems({ model_options: { ['k'.repeat(20_000)]: ['x'] } })).toEqual([
    expect.stringMatching(/^model_options: k{59}… must be a number, a string, true or false, not \["x"\]\.$/),
  ]);
});

it('refuses more than 100 model options without looking at their names', () => {
  const options = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`temperatur${at}`, 1]));
  expect(problems({ model_options: options(101) })).toEqual([
    'model_options: There can be at most 100 options.',
  ]);
  expect(problems({ model_options: options(100) })).toHaveLength(100);
});

it('a stored preset is readable though a newer rule refuses it', () => {
  const run = { model_options: { temprature: 1 } };
  const record = { id: 'a', name: 'Old', run, created_at: 0, updated_at: 0 };
  expect(presetRecord.parse(record)).toEqual(record);
  expect(presetRequest.safeParse({ name: 'Old', run }).success).toBe(false);
});

it.each([
  { stall_guard: true },
  { tier: 'complex' },
  { max_iterations: 3 },
  { compact_at: 0.5 },
  { distractor_tools: 3 },
  { shell_timeout_secs: 5 },
  { blocked_patterns: ['rm'] },
  { parser_layers: ['xml'] },
  { tools: ['read_file'] },
  { approval: { default: 'ask' } },
  { fetch_hosts: ['docs.example.com'] },
  { workspace: '/work' },
])('refuses %j for a single answer, which has no tools', (setting) => {
  const [name] = Object.keys(setting);
  expect(problems({ agentic: false, ...setting })).toEqual([
    `${name}: This has no effect on a single answer, which has no tools. Remove it, or start a task with tools.`,
  ]);
  expect(problems({ mode: 'session', agentic: false, autopilot: true })).toEqual([
    'agentic: Only a task can run without tools.',
  ]);
});

it.each([
  { system: 'Be terse.' },
  { live_tokens: true },
  { answer_schema: { type: 'object' } },
  { max_attempts: 1 },
  { checks: [{ type: 'answer_contains', text: 'x' }], max_attempts: 2 },
  { budget: { max_seconds: 9 } },
  { num_predict: [100, 200] },
])('takes %j for a single answer', (setting) => {
  expect(problems({ agentic: false, ...setting })).toEqual([]);
});

it('refuses to turn live tokens off for a single answer, which is always streamed', () => {
  expect(problems({ agentic: false, live_tokens: false })).toEqual([
    'live_tokens: A single answer is always streamed. Remove it, or start a task with tools.',
  ]);
});

it.each([
  [{ operator_replies: ['Yes.'] }, 'operator_replies: Replies are only sent if operator_policy is'],
  [{ operator_replies: ['Yes.'], operator_policy: 'wait' }, 'operator_replies: Replies are only sent'],
  [{ operator_model: 'm' }, 'operator_model: A model only replies if operator_policy is "model".'],
  [{ operator_prompt: 'Be kind.' }, 'operator_prompt: A model only replies if operator_policy is "model".'],
  [{ diversity_feedback: false }, 'diversity_feedback: Feedback is given only if diversity is measured.'],
])('refuses %j in an exploration, where it has no effect', (settings, message) => {
  expect(problems({ mode: 'explore', task: '', ...settings })).toEqual([expect.stringContaining(message)]);
  // The plan of an experiment, or the options of a command, may add what is missing.
  expect(presetRequest.safeParse({ name: 'x', run: { mode: 'explore', ...settings } }).success).toBe(true);
});

it.each([
  [{ max_attempts: 2 }, 'max_attempts: Another attempt follows only if a check fails.'],
  [{ max_attempts: 2, checks: [] }, 'max_attempts: Another attempt follows only if a check fails.'],
  [{ agentic: false, max_attempts: 2 }, 'max_attempts: Another attempt follows only if a check fails.'],
  [{ stall_guard: false, stall_threshold: 3 }, 'stall_threshold: The stall guard is off.'],
  [
    { mode: 'explore', task: '', operator_policy: 'fixed', operator_replies: ['Yes.', 'No.'] },
    'operator_replies: The policy "fixed" only sends the first reply.',
  ],
])('refuses %j, which has no effect', (settings, message) => {
  expect(problems(settings)).toEqual([expect.stringContaining(message)]);
  expect(presetRequest.safeParse({ name: 'x', run: settings }).success).toBe(true);
});

it('accepts rules for built-in tools that the run does not offer, so that one policy serves every run', () => {
  const approval = { tools: { run_command: 'ask', write: 'deny' } };
  expect(problems({ tools: ['read_file'], approval })).toEqual([]);
  expect(problems({ mode: 'explore', task: '', approval })).toEqual([]);
});

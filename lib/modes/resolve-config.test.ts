import { expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { runConfig } from '../events/config.ts';
import { modeOf } from './mode-of.ts';
import { resolveConfig } from './resolve-config.ts';

const facts = { workspace: '/w', offeredTools: ['read_file', 'write_file'] };
const resolve = (request: object, given = facts) =>
  resolveConfig(createRunRequest.parse({ task: 'Do it.', model: 'm', ...request }), given);

it('fills in every default', () => {
  expect(resolve({})).toEqual({
    mode: 'task',
    agentic: true,
    task: 'Do it.',
    model: 'm',
    workspace: '/w',
    tier: 'standard',
    max_iterations: 10,
    window_tokens: 32_768,
    compact_at: 0.75,
    keep_rounds: 3,
    result_chars: 8000,
    num_predict: [2048, 4096],
    call_timeout_ms: 120_000,
    load_timeout_ms: 600_000,
    server_wait_seconds: 600,
    repetition_threshold: 3,
    stall_guard: true,
    stall_threshold: 5,
    nudge_plans: true,
    max_nudges: 2,
    budget: {},
    checks: [],
    max_attempts: 3,
    live_tokens: true,
    think: false,
    keep_alive: '30m',
    model_options: {},
    parser_layers: ['native', 'json', 'xml'],
    asked: [],
  });
  expect(runConfig.safeParse(resolve({})).success).toBe(true);
});

it.each(['task', 'session', 'explore'] as const)('a configuration reads back as it is: %s', (mode) => {
  const config = resolve({
    mode,
    ...(mode === 'task' ? { tier: 'complex', max_iterations: 3 } : { task: '' }),
    ...{ think: 'high', keep_alive: -1, model_options: { temperature: 0.5, seed: 7 } },
    ...{ budget: { max_tokens_total: 1000 }, approval: { default: 'ask' } },
  });
  expect(runConfig.parse(config)).toEqual(config);
});

it('records which settings were set and which are defaults', () => {
  const config = resolve({ title: 'Sums', window_tokens: 8192, budget: {}, live_tokens: undefined });
  expect(config).toMatchObject({ asked: ['window_tokens', 'budget'], result_chars: 2048 });
});

it('sets the thresholds of the guards, and keeps sessions and explorations without nudges', () => {
  const asked = { repetition_threshold: 5, max_nudges: 0, keep_rounds: 6 };
  expect(resolve(asked)).toMatchObject(asked);
  expect(resolve({})).not.toHaveProperty('max_empty_replies');
  expect(resolve({ mode: 'session', task: '' })).toMatchObject({ max_nudges: 0, max_empty_replies: 3 });
  expect(resolve({ mode: 'explore', task: '', max_empty_replies: 7 }).max_empty_replies).toBe(7);
});

it('uses the limit of the tier or the override [G1, G3]', () => {
  expect(resolve({ tier: 'complex' }).max_iterations).toBe(20);
  expect(resolve({ tier: 'complex', max_iterations: 3 }).max_iterations).toBe(3);
});

it('turns the stall guard on for tools that only read, and off without tools [K-12]', () => {
  expect(resolve({}, { ...facts, offeredTools: ['read_file'] }).stall_guard).toBe(true);
  expect(resolve({}, { ...facts, offeredTools: [] }).stall_guard).toBe(false);
  expect(resolve({ stall_guard: true }, { ...facts, offeredTools: [] }).stall_guard).toBe(true);
  expect(resolve({ stall_guard: false }).stall_guard).toBe(false);
});

it('scales the result limit to a small window [C6]', () => {
  expect(resolve({ window_tokens: 4096 }).result_chars).toBe(1024);
  expect(resolve({ window_tokens: 4096, result_chars: 5000 }).result_chars).toBe(5000);
});

it('the single-shot path uses no files, parses no calls and accepts checks of the answer [T9, T10]', () => {
  expect(resolve({ agentic: false })).toMatchObject({ workspace: '', parser_layers: [] });
  const answers = { type: 'answer_equals', value: 42 } as const;
  expect(resolve({ agentic: false, checks: [answers] }).checks).toEqual([answers]);
  for (const check of [
    { type: 'file_exists', path: 'a' } as const,
    { type: 'tool_called', tool: 'read_file' } as const,
    { type: 'iterations_at_most', iterations: 2 } as const,
  ]) {
    expect(() => resolve({ agentic: false, checks: [answers, check] })).toThrow(
      expect.objectContaining({
        code: 'checks_need_tools',
        message: `The check ${check.type} needs tools, and a single answer has none.`,
      }),
    );
  }
  expect(modeOf(resolve({ agentic: false })).name).toBe('single-shot');
  expect(modeOf(resolve({})).name).toBe('task');
});

it.each(['true', 1, {}, null])('requires a boolean: rejects agentic %j [T9]', (agentic) => {
  const request = createRunRequest.safeParse({ task: 'Do it.', model: 'm', agentic });
  expect(request.error?.issues[0]?.path).toEqual(['agentic']);
});

it('fills in session settings [S16, S17, S6, S10]', () => {
  const config = resolve({ mode: 'session', task: '' });
  expect(config).toMatchObject({
    mode: 'session',
    task: '',
    workspace: '/w',
    max_iterations: 0,
    live_tokens: true,
    stall_guard: false,
    conversation: { replies: 'read', call_ids: true, results: 'json' },
    session: { context_limit: 32_768, turn_delay: 0 },
  });
  expect(runConfig.parse(config)).toEqual(config);
  expect(
    resolve({ mode: 'session', context_limit: 500, turn_delay: 200, shell_timeout_secs: 5 }),
  ).toMatchObject({ session: { context_limit: 500, turn_delay: 200 }, shell_timeout_secs: 5 });
  expect(modeOf(config).name).toBe('session');
});

it('fills in exploration settings [X18, X22, X23, K-22, K-39]', () => {
  const config = resolve({ mode: 'explore', task: '' });
  expect(config).toMatchObject({
    mode: 'explore',
    workspace: '',
    live_tokens: true,
    parser_layers: ['native', 'xml'],
    max_iterations: 1000,
    conversation: { replies: 'unchanged', call_ids: false, results: 'text' },
    explore: { max_cycles: 20, calls_per_cycle: 50, cycle_line: true },
  });
  expect(config.explore?.diversity).toBeUndefined();
  expect(runConfig.parse(config)).toEqual(config);
  expect(resolve({ mode: 'explore', task: '', max_cycles: null })).toMatchObject({
    max_iterations: 0,
    explore: { max_cycles: null },
  });
  expect(
    resolve({ mode: 'explore', task: '', diversity: {}, model_options: { num_ctx: 4096, num_predict: 99 } }),
  ).toMatchObject({
    explore: { diversity: { threshold: 0.6, window: 5 }, context_limit: 4096 },
    window_tokens: 4096,
    num_predict: [99, 99],
  });
  expect(() => resolve({ mode: 'explore', task: '', model_options: { num_predict: -1 } })).toThrow(
    /num_predict/,
  );
});

it.each([
  { mode: 'task' },
  { mode: 'task', agentic: false },
  { mode: 'session' },
  { mode: 'explore', task: '' },
])('uses num_ctx and num_predict from the model options as window and reply limits in %o (X18)', (mode) => {
  const options = { seed: 1, num_ctx: 4096, num_predict: 99 };
  const config = resolve({ ...mode, model_options: options });
  expect(config).toMatchObject({ window_tokens: 4096, num_predict: [99, 99], model_options: { seed: 1 } });
  // Each value is stored once.
  expect(Object.keys(config.model_options)).toEqual(['seed']);
});

it.each([
  [{ num_ctx: 8192 }, { window_tokens: 4096 }, /num_ctx is 8192, but window_tokens is 4096/],
  [{ num_ctx: '8k' }, {}, /num_ctx must be a whole number.*window_tokens/],
  [
    { num_predict: 50 },
    { num_predict: [60, 90] },
    /num_predict is 50, but the field num_predict is \[60, 90\]/,
  ],
  [{ num_predict: -1 }, {}, /num_predict must be a positive whole number.*\[first, second\]/],
  [{ stop: 'END' }, {}, /stop must be a list of strings/],
  [{ temperature: ['0'] }, {}, /temperature must be a number, not \[/],
])('rejects model options %o with %o, and names the field to use', (model_options, fields, problem) => {
  expect(() => resolve({ model_options, ...fields })).toThrow(problem);
  expect(() => resolve({ model_options: {}, ...fields })).not.toThrow();
});

it('takes the list of texts at which a reply ends', () => {
  expect(resolve({ model_options: { stop: ['END', '\n\n'] } }).model_options).toEqual({
    stop: ['END', '\n\n'],
  });
});

it.each([
  [{ task: '' }, 'task'],
  [{ mode: 'explore', task: 'Do it.' }, 'task'],
  [{ mode: 'explore', task: '', workspace: '/w' }, 'workspace'],
  [{ mode: 'session', agentic: false }, 'agentic'],
  [{ mode: 'session', tier: 'complex' }, 'tier'],
  [{ mode: 'session', max_cycles: null }, 'max_cycles'],
  [{ turn_delay: 5 }, 'turn_delay'],
  [{ mode: 'session', blocked_patterns: ['('] }, 'blocked_patterns'],
  [{ mode: 'explore', task: '', max_cycles: 1001 }, 'max_cycles'],
])('rejects %j and names %s', (request, field) => {
  const result = createRunRequest.safeParse({ task: 'Do it.', model: 'm', ...request });
  expect(result.error?.issues[0]?.path[0]).toBe(field);
});

it('keeps the chosen tools, and refuses a choice of which none is available', () => {
  expect(resolve({ tools: ['read_file'] })).toMatchObject({ tools: ['read_file'], asked: ['tools'] });
  expect(resolve({})).not.toHaveProperty('tools');
  expect(resolve({ tools: ['read_file', 'run_command'] }).tools).toEqual(['read_file', 'run_command']);
  expect(() => resolve({ tools: ['run_command'] })).toThrow(
    'tools: run_command cannot be used on this machine.',
  );
});

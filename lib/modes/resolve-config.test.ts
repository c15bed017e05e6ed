import { expect, it } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { runConfig } from '../events/config.ts';
import { isAgentic } from './is-agentic.ts';
import { modeOf } from './mode-of.ts';
import { resolveConfig } from './resolve-config.ts';
import { resolveWorkspace } from './resolve-workspace.ts';

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
    repetition_threshold: 3,
    stall_guard: true,
    stall_threshold: 5,
    nudge_plans: true,
    max_nudges: 2,
    budget: {},
    checks: [],
    max_attempts: 3,
    live_tokens: false,
    think: false,
    keep_alive: '30m',
    model_options: {},
    parser_layers: ['native', 'json', 'xml'],
  });
  expect(runConfig.safeParse(resolve({})).success).toBe(true);
});

it('G1, G3: takes the limit of the tier or the override', () => {
  expect(resolve({ tier: 'complex' }).max_iterations).toBe(20);
  expect(resolve({ tier: 'complex', max_iterations: 3 }).max_iterations).toBe(3);
});

it('K-12: the stall guard is off without a writing tool, unless asked for', () => {
  const readOnly = { ...facts, offeredTools: ['read_file'] };
  expect(resolve({}, readOnly).stall_guard).toBe(false);
  expect(resolve({ stall_guard: true }, readOnly).stall_guard).toBe(true);
  expect(resolve({ stall_guard: false }).stall_guard).toBe(false);
});

it('C6: keeps results in proportion to a small window', () => {
  expect(resolve({ window_tokens: 4096 }).result_chars).toBe(1024);
  expect(resolve({ window_tokens: 4096, result_chars: 5000 }).result_chars).toBe(5000);
});

it('T9, T10: the single-shot path touches no files, reads no calls and takes no checks', () => {
  expect(resolve({ agentic: false })).toMatchObject({ workspace: '', parser_layers: [] });
  expect(() => resolve({ agentic: false, checks: [{ type: 'file_exists', path: 'a' }] })).toThrow(
    /workspace/,
  );
  expect(modeOf(resolve({ agentic: false })).name).toBe('single-shot');
  expect(modeOf(resolve({})).name).toBe('task');
});

it.each([
  [{ _agentic: true }, true],
  [{ routing_decision: { agentic: true } }, true],
  [{ _agentic: 'true' }, false],
  [{ _agentic: 1 }, false],
  [{ routing_decision: { agentic: 'true' } }, false],
  [{ routing_decision: {} }, false],
  [{}, false],
])('T9: %j takes the loop: %s', (task, loop) => {
  expect(isAgentic(task)).toBe(loop);
});

it('T11: takes the first workspace that is set', () => {
  expect(resolveWorkspace({ repo_dir: '/r', workspace: '/w' }, '/cwd')).toBe('/r');
  expect(resolveWorkspace({ workspace: '/w' }, '/cwd')).toBe('/w');
  expect(resolveWorkspace({}, '/cwd')).toBe('/cwd');
});

it('S16, S17, S6, S10: fills in what a session has', () => {
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

it('X18, X22, X23, K-22, K-39: fills in what an exploration has', () => {
  const config = resolve({ mode: 'explore', task: '' });
  expect(config).toMatchObject({
    mode: 'explore',
    workspace: '',
    live_tokens: false,
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
  [{ task: '' }, 'task'],
  [{ mode: 'explore', task: 'Do it.' }, 'task'],
  [{ mode: 'explore', task: '', workspace: '/w' }, 'workspace'],
  [{ mode: 'session', agentic: false }, 'agentic'],
  [{ mode: 'session', tier: 'complex' }, 'tier'],
  [{ mode: 'session', max_cycles: null }, 'max_cycles'],
  [{ turn_delay: 5 }, 'turn_delay'],
  [{ mode: 'session', blocked_patterns: ['('] }, 'blocked_patterns'],
  [{ mode: 'explore', task: '', max_cycles: 1001 }, 'max_cycles'],
])('refuses %j and names %s', (request, field) => {
  const result = createRunRequest.safeParse({ task: 'Do it.', model: 'm', ...request });
  expect(result.error?.issues[0]?.path[0]).toBe(field);
});

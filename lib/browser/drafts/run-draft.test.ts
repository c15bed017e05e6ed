import { describe, expect, it } from 'vitest';
import { createRunRequest } from '../../api/create-run.ts';
import { sampleConfig } from '../../testing/sample-logs.ts';
import { approvalChoices, approvalTools, commandPlace, draftOf, emptyDraft, requestOf } from './run-draft.ts';

const filled = { ...emptyDraft, task: 'Do it', model: 'qwen3:8b' };
const request = (draft: Partial<typeof emptyDraft>) => {
  const read = requestOf({ ...filled, ...draft });
  return read.ok ? createRunRequest.parse(JSON.parse(JSON.stringify(read.request))) : read.problems;
};

describe('D10: the new-run form', () => {
  it('leaves to the server what was left empty', () => {
    expect(request({})).toMatchObject({
      task: 'Do it',
      model: 'qwen3:8b',
      tier: 'standard',
      live_tokens: false,
    });
    expect(request({})).not.toHaveProperty('workspace');
    expect(request({})).not.toHaveProperty('budget');
  });

  it('sends what was filled in, in the units of the interface', () => {
    expect(
      request({
        workspaceKind: 'folder',
        workspace: ' /home/ada/work ',
        maxIterations: '7',
        maxMinutes: '1.5',
        maxTokens: '60000',
        temperature: '0',
        seed: '42',
        think: 'high',
        stallGuard: 'off',
        predictSecond: '8192',
        checks: [{ type: 'command', command: 'npm test' }],
      }),
    ).toMatchObject({
      workspace: '/home/ada/work',
      max_iterations: 7,
      budget: { max_seconds: 90, max_tokens_total: 60_000 },
      model_options: { temperature: 0, seed: 42 },
      think: 'high',
      stall_guard: false,
      num_predict: [2048, 8192],
      checks: [{ type: 'command', command: 'npm test' }],
    });
  });

  it('sends a rule for each tool that does not simply run, as far as the mode has the tool', () => {
    const approval = { read_file: 'auto', write_file: 'ask', search_files: 'deny' } as const;
    expect(request({ approval })).toMatchObject({
      approval: { default: 'auto', tools: { write_file: 'ask', search_files: 'deny' } },
    });
    expect(request({ approval, kind: 'session' })).toMatchObject({
      approval: { tools: { write_file: 'ask' } },
    });
    expect(request({ approval, kind: 'prompt' })).not.toHaveProperty('approval');
    const again = draftOf(sampleConfig({ approval: { default: 'ask', tools: { read_file: 'auto' } } }), 'id');
    expect(again.approval).toMatchObject({ read_file: 'auto', write_file: 'ask', run_command: 'ask' });
  });

  it('names every field that is wrong', () => {
    expect(
      request({
        task: ' ',
        model: '',
        workspaceKind: 'folder',
        workspace: 'work',
        maxIterations: '0',
        seed: '1.5',
        temperature: 'hot',
        checks: [{ type: 'file_exists', path: '' }],
      }),
    ).toEqual({
      task: expect.any(String),
      model: expect.any(String),
      workspace: expect.any(String),
      maxIterations: expect.any(String),
      seed: expect.any(String),
      temperature: expect.any(String),
      checks: expect.any(String),
    });
  });

  it('starts the same run again from its configuration', () => {
    const config = sampleConfig({
      tier: 'complex',
      max_iterations: 25,
      budget: { max_seconds: 90 },
      model_options: { temperature: 0, mirostat: 1 },
      call_timeout_ms: 30_000,
      stall_guard: false,
      think: 'low',
    });
    const again = requestOf(draftOf(config, 'another-run'));
    expect(again).toMatchObject({
      ok: true,
      request: {
        task: config.task,
        model: config.model,
        workspace: config.workspace,
        tier: 'complex',
        max_iterations: 25,
        budget: { max_seconds: 90 },
        model_options: { temperature: 0, mirostat: 1 },
        call_timeout_seconds: 30,
        stall_guard: false,
        think: 'low',
      },
    });
  });

  it('does not use the folder twice that was made for a run', () => {
    const config = sampleConfig({ workspace: '/data/workspaces/run-1' });
    expect(draftOf(config, 'run-1')).toMatchObject({ workspaceKind: 'fresh', workspace: '' });
  });
});

describe('S16, X22: sessions and explorations in the form', () => {
  it('need no task, and send only the settings of their mode', () => {
    expect(request({ kind: 'session', task: '', turnDelay: '2.5', maxIterations: '7' })).toMatchObject({
      mode: 'session',
      turn_delay: 2500,
    });
    const explore = request({ kind: 'explore', task: 'ignored', untilStopped: true, diversity: true });
    expect(explore).toMatchObject({
      mode: 'explore',
      task: '',
      max_cycles: null,
      diversity: { threshold: 0.6, window: 5 },
    });
    expect(explore).not.toHaveProperty('max_iterations');
  });

  it('come back from the configuration of a run', () => {
    const config = sampleConfig({
      mode: 'explore',
      task: '',
      explore: { context_limit: 32_768, max_cycles: 40, calls_per_cycle: 9, cycle_line: false },
    });
    expect(draftOf(config, 'r1')).toMatchObject({
      kind: 'explore',
      maxCycles: '40',
      untilStopped: false,
      callsPerCycle: '9',
      cycleLine: false,
      diversity: false,
    });
  });
});

it('O8: offers a rule only for what this machine offers, and never to run unconfined commands unasked', () => {
  expect(approvalTools('task', 'off')).not.toContain('run_command');
  expect(approvalTools('session', 'off')).toEqual(['read_file', 'write_file']);
  expect(approvalChoices('run_command', 'unconfined')).toEqual(['ask', 'deny']);
  expect(approvalChoices('write_file', 'unconfined')).toContain('auto');
  const sandbox = { kind: 'none', protections: [] };
  expect(commandPlace({ ...sandbox, available: true, unconfined: true })).toBe('unconfined');
  expect(commandPlace({ ...sandbox, available: true, unconfined: false })).toBe('confined');
  expect(commandPlace({ ...sandbox, available: false, unconfined: false })).toBe('off');
});

import { describe, expect, it } from 'vitest';
import { createRunRequest } from '../../api/create-run.ts';
import type { RunConfig } from '../../events/config.ts';
import { kindFacts } from '../../events/modes.ts';
import { resolveConfig } from '../../modes/resolve-config.ts';
import { sampleConfig } from '../../testing/sample-logs.ts';
import { draftOfCheck, newCheck } from './check-draft.ts';
import {
  approvalChoices,
  approvalTools,
  commandPlace,
  draftDefaults,
  draftOf,
  emptyDraft,
  requestOf,
} from './run-draft.ts';

const filled = { ...emptyDraft, task: 'Do it', model: 'qwen3:8b' };
const request = (draft: Partial<typeof emptyDraft>) => {
  const read = requestOf({ ...filled, ...draft });
  return read.ok ? createRunRequest.parse(JSON.parse(JSON.stringify(read.request))) : read.problems;
};

/** The configuration that the server makes of a request. */
const resolved = (body: object): RunConfig =>
  resolveConfig(createRunRequest.parse({ model: 'm', ...body }), {
    workspace: '/work',
    offeredTools: ['write_file'],
  });

const again = (draft: typeof emptyDraft): RunConfig => {
  const read = requestOf(draft);
  return resolved(read.ok ? read.request : read.problems);
};

describe('the new-run form [D10]', () => {
  it('leaves empty fields to the server', () => {
    expect(request({})).toMatchObject({
      task: 'Do it',
      model: 'qwen3:8b',
      tier: 'standard',
      live_tokens: true,
    });
    expect(request({})).not.toHaveProperty('workspace');
    expect(request({})).not.toHaveProperty('budget');
  });

  it('sends the filled-in fields in the units of the API', () => {
    expect(
      request({
        workspaceKind: 'folder',
        workspace: ' /home/ada/work ',
        max_iterations: '7',
        max_seconds: '1.5',
        max_tokens_total: '60000',
        temperature: '0',
        seed: '42',
        think: 'high',
        stall_guard: 'off',
        predict_second: '8192',
        checks: [draftOfCheck({ type: 'command', command: 'npm test' })],
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

  it('works on a copy of an existing folder unless that is switched off', () => {
    const folder = { workspaceKind: 'folder', workspace: '~/notes' } as const;
    expect(requestOf({ ...emptyDraft, ...folder, task: 'Do it', model: 'm' })).toMatchObject({
      request: { workspace: '~/notes', workspace_copy: true },
    });
    const inPlace = requestOf({ ...emptyDraft, ...folder, workspace_copy: false, task: 'Do it', model: 'm' });
    expect(inPlace.ok && inPlace.request.workspace_copy).toBeUndefined();
    const fresh = requestOf({ ...emptyDraft, task: 'Do it', model: 'm' });
    expect(fresh.ok && fresh.request.workspace_copy).toBeUndefined();
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
    const again = draftOf(sampleConfig({ approval: { default: 'ask', tools: { read_file: 'auto' } } }), {
      id: 'id',
    });
    expect(again.approval).toMatchObject({ read_file: 'auto', write_file: 'ask', run_command: 'ask' });
  });

  it('names every field that is wrong', () => {
    expect(
      request({
        task: ' ',
        model: '',
        workspaceKind: 'folder',
        workspace: 'work',
        max_iterations: '0',
        seed: '1.5',
        temperature: 'hot',
        checks: [newCheck('file_exists')],
      }),
    ).toEqual({
      task: expect.any(String),
      model: expect.any(String),
      workspace: expect.any(String),
      max_iterations: expect.any(String),
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
    const again = requestOf(draftOf(config, { id: 'another-run' }));
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

  it.each([
    ['a log that records what was set', (config: RunConfig) => config],
    ['a log from before that was recorded', ({ asked: _, ...config }: RunConfig) => config],
  ])('computes defaults again that follow from a change: %s', (_, logged) => {
    const first = resolved({ task: 'Do it.', window_tokens: 8192 });
    expect(first.result_chars).toBe(2048);
    const draft = draftOf(logged(first), { id: 'r1' });
    expect(draft).toMatchObject({ window_tokens: '8192', result_chars: '', keep_alive: '' });
    expect(draftDefaults(draft).result_chars).toBe(2048);
    expect(again({ ...draft, window_tokens: '32768' })).toMatchObject({
      window_tokens: 32_768,
      result_chars: 8000,
    });
    const complex = again({ ...draft, tier: 'complex' });
    expect(complex.max_iterations).toBe(20);
  });

  it('keeps a value that a person set, even if it equals the default', () => {
    const first = resolved({ task: 'Do it.', window_tokens: 8192, result_chars: 2048, max_iterations: 10 });
    const changed = again({ ...draftOf(first, { id: 'r1' }), window_tokens: '32768', tier: 'complex' });
    expect(changed).toMatchObject({ result_chars: 2048, max_iterations: 10 });
  });

  it('lets the conversation of a session fill a new window, unless its limit was set', () => {
    const session = (request: object) =>
      again({ ...draftOf(resolved({ mode: 'session', ...request }), { id: 'r1' }), window_tokens: '16384' });
    expect(session({ window_tokens: 8192 }).session?.context_limit).toBe(16_384);
    expect(session({ window_tokens: 8192, context_limit: 8192 }).session?.context_limit).toBe(8192);
  });

  it('keeps settings for which it has no field', () => {
    const request = { shell_timeout_secs: 5, blocked_patterns: ['rm'], parser_layers: ['native'] };
    const approval = { default: 'ask', tools: { run_command: 'deny' } };
    const draft = draftOf(resolved({ mode: 'session', ...request, approval }), { id: 'r1' });
    expect(again(draft)).toMatchObject({ ...request, approval: { tools: approval.tools } });
    const rules = { default: 'auto', tools: { write: 'ask' } };
    expect(again(draftOf(resolved({ mode: 'explore', approval: rules }), { id: 'r1' })).approval).toEqual(
      rules,
    );
    expect(requestOf({ ...draft, kind: 'explore' })).toMatchObject({
      ok: true,
      request: { parser_layers: ['native'] },
    });
  });

  it('fills in the reply limit of the mode if only one is given', () => {
    expect(request({ kind: 'session', predict_second: '9000' })).toMatchObject({ num_predict: [4096, 9000] });
    expect(request({ predict_first: '6000' })).toMatchObject({ num_predict: [6000, 6000] });
    const draft = draftOf(resolved({ task: 'Do it.', num_predict: [6000, 6000] }), { id: 'r1' });
    expect(draft).toMatchObject({ predict_first: '6000', predict_second: '' });
  });

  it('does not reuse the folder that was created for a run', () => {
    const config = sampleConfig({ workspace: '/data/workspaces/run-1' });
    expect(draftOf(config, { id: 'run-1' })).toMatchObject({ workspaceKind: 'fresh', workspace: '' });
  });

  it('fills in the folder that was copied for a run, and how the run used it', () => {
    const config = sampleConfig({ workspace: '/data/workspaces/run-1', copied_from: '/home/ada/notes' });
    const notes = { workspaceKind: 'folder', workspace: '/home/ada/notes' };
    expect(draftOf(config, { id: 'run-1' })).toMatchObject({ ...notes, workspace_copy: true });
    const inPlace = sampleConfig({ workspace: '/home/ada/notes' });
    expect(draftOf(inPlace, { id: 'run-1' })).toMatchObject({ ...notes, workspace_copy: false });
    expect(draftOf(config, { id: 'run-1', imported_at: 1 })).toMatchObject({ workspaceKind: 'fresh' });
  });

  it('does not fill in the folder that the file of an imported run names', () => {
    const config = sampleConfig({ workspace: '/home/ada/.ssh' });
    expect(draftOf(config, { id: 'theirs' })).toMatchObject({ workspace: '/home/ada/.ssh' });
    const draft = draftOf(config, { id: 'theirs', imported_at: 1 });
    expect(draft).toMatchObject({ workspaceKind: 'fresh', workspace: '' });
    const read = requestOf(draft);
    expect(read.ok && read.request.workspace).toBeUndefined();
  });
});

describe('sessions and explorations in the form [S16, X22]', () => {
  it('need no task, and send only the settings of their mode', () => {
    expect(request({ kind: 'session', task: '', turn_delay: '2.5', max_iterations: '7' })).toMatchObject({
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
    expect(draftOf(config, { id: 'r1' })).toMatchObject({
      kind: 'explore',
      max_cycles: '40',
      untilStopped: false,
      calls_per_cycle: '9',
      cycle_line: false,
      diversity: false,
    });
  });
});

it('offers a rule only for what this machine offers, and never to run unconfined commands unasked [O8]', () => {
  expect(approvalTools({ kind: 'task', withheldTools: [] }, 'off')).not.toContain('run_command');
  expect(approvalTools({ kind: 'session', withheldTools: [] }, 'off')).toEqual([
    'read_file',
    'write_file',
    'edit_file',
  ]);
  expect(approvalChoices('run_command', 'unconfined')).toEqual(['ask', 'deny']);
  expect(approvalChoices('write_file', 'unconfined')).toContain('auto');
  const sandbox = { kind: 'none', protections: [] };
  expect(commandPlace({ ...sandbox, available: true, unconfined: true })).toBe('unconfined');
  expect(commandPlace({ ...sandbox, available: true, unconfined: false })).toBe('confined');
  expect(commandPlace({ ...sandbox, available: false, unconfined: false })).toBe('off');
});

describe('the offered tools', () => {
  it('names them only if some are withheld, and those of the kind of run', () => {
    expect(request({})).not.toHaveProperty('tools');
    const withheldTools = ['run_command', 'search_files'];
    expect(request({ withheldTools })).toMatchObject({
      tools: expect.arrayContaining(['read_file', 'write_file']),
    });
    expect(request({ withheldTools, kind: 'session' })).toMatchObject({
      tools: expect.not.arrayContaining(['run_command', 'search_files']),
    });
    expect(request({ withheldTools, kind: 'explore', task: '' })).not.toHaveProperty('tools');
    expect(request({ withheldTools, kind: 'prompt' })).not.toHaveProperty('tools');
  });

  it('must be one at least', () => {
    const withheldTools = kindFacts('session').tools;
    expect(request({ withheldTools, kind: 'session' })).toEqual({
      withheldTools: 'Choose at least one tool, or a quick prompt.',
    });
  });

  it('are filled in from an earlier run', () => {
    const config = resolved({ task: 'Do it', tools: ['read_file', 'write_file'] });
    const draft = draftOf(config, { id: 'r1' });
    expect(draft.withheldTools).toEqual(
      kindFacts('task').tools.filter((name) => name !== 'read_file' && name !== 'write_file'),
    );
    expect(again(draft).tools).toEqual(config.tools);
  });

  it('are the ones that have approval rules', () => {
    expect(approvalTools({ kind: 'task', withheldTools: ['write_file'] })).not.toContain('write_file');
    const ruled = {
      approval: { write_file: 'ask', read_file: 'ask' } as const,
      withheldTools: ['write_file'],
    };
    expect(request(ruled)).toMatchObject({ approval: { tools: { read_file: 'ask' } } });
    expect(request(ruled)).not.toHaveProperty('approval.tools.write_file');
  });
});

it('sends for a quick prompt only what it has, whatever the form was filled with for a task', () => {
  const draft: Partial<typeof emptyDraft> = {
    ...{ kind: 'prompt', tier: 'complex', stall_guard: 'on', max_iterations: '7', distractor_tools: '3' },
    ...{ workspaceKind: 'folder', workspace: '/work', system: 'Be terse.', approval: { run_command: 'ask' } },
    live_tokens: false,
  };
  const sent = request(draft);
  expect(sent).toMatchObject({ agentic: false, system: 'Be terse.' });
  for (const name of ['tier', 'live_tokens']) expect(sent).not.toHaveProperty(name);
});

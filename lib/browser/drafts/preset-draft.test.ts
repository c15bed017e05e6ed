import { describe, expect, it } from 'vitest';
import { presetRequest } from '../../api/preset.ts';
import { draftOfCheck } from './check-draft.ts';
import { draftOfPreset, presetRunOf } from './preset-draft.ts';
import { emptyDraft, type RunDraft, requestOf } from './run-draft.ts';

function saved(draft: Partial<RunDraft>, options = { isTemplate: true }) {
  const read = presetRunOf({ ...emptyDraft, ...draft }, options);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  // As the server accepts and stores it.
  return presetRequest.parse(JSON.parse(JSON.stringify({ name: 'x', run: read.run }))).run;
}

const full: Partial<RunDraft> = {
  task: 'Summarise {file}',
  model: 'qwen3:8b',
  workspaceKind: 'folder',
  workspace: '~/notes',
  workspace_copy: false,
  tier: 'complex',
  max_iterations: '7',
  max_seconds: '2',
  stall_guard: 'off',
  nudge_plans: false,
  think: 'high',
  temperature: '0.2',
  window_tokens: '8192',
  predict_first: '512',
  predict_second: '1024',
  keep_alive: '10m',
  system: 'Be terse.',
  approval: { read_file: 'auto', search_files: 'deny', write_file: 'ask', run_command: 'ask' },
  checks: [draftOfCheck({ type: 'file_exists', path: 'a.md' })],
  otherOptions: { mirostat: 1 },
};

describe('a preset', () => {
  it('fills in the form with the saved values', () => {
    expect(draftOfPreset(saved(full))).toMatchObject(full);
    const explore: Partial<RunDraft> = {
      ...{ kind: 'explore', model: 'm', untilStopped: true, diversity: true },
      ...{ diversity_window: '3', embeddingModel: 'vectors', cycle_line: false },
    };
    expect(draftOfPreset(saved(explore))).toMatchObject(explore);
    expect(draftOfPreset(saved({ kind: 'prompt', task: 'Hi' }))).toMatchObject({
      kind: 'prompt',
      task: 'Hi',
    });
    expect(draftOfPreset(saved({ kind: 'session', turn_delay: '2' }))).toMatchObject({
      kind: 'session',
      turn_delay: '2',
    });
  });

  it('may leave task and model open, and says what else is wrong', () => {
    expect(saved({})).not.toHaveProperty('task');
    expect(saved({})).not.toHaveProperty('model');
    const bad = presetRunOf(
      { ...emptyDraft, max_iterations: '0', workspaceKind: 'folder' },
      { isTemplate: true },
    );
    expect(bad).toMatchObject({ ok: false, problems: { max_iterations: /./, workspace: /./ } });
  });

  it('that names Ollama options for which the form has fields fills in those fields', () => {
    const run = presetRequest.parse({
      name: 'x',
      run: { model_options: { num_ctx: 4096, num_predict: 300, top_k: 4 } },
    }).run;
    expect(draftOfPreset(run)).toMatchObject({ window_tokens: '4096', predict_first: '300', top_k: '4' });
  });
});

describe('the task of a preset', () => {
  const draft = { ...draftOfPreset(saved(full)), model: 'm' };
  const task = (filled: RunDraft) => {
    const read = requestOf(filled);
    return read.ok ? read.request.task : read.problems;
  };

  it('needs a value for each placeholder', () => {
    expect(task(draft)).toEqual({ placeholders: 'Fill in file.' });
    expect(task({ ...draft, placeholders: { file: ' ' } })).toEqual({ placeholders: 'Fill in file.' });
    expect(task({ ...draft, placeholders: { file: '{file}', other: 'x' } })).toBe('Summarise {file}');
  });

  it('keeps braces as text if they are not placeholders', () => {
    const run = saved({ task: 'Return {id} and {"a": 1}' }, { isTemplate: false });
    expect(run.task).toBe('Return {{id}} and {"a": 1}');
    expect(task({ ...draftOfPreset(run), model: 'm' })).toBe('Return {id} and {"a": 1}');
    // Outside of presets braces never mean anything.
    expect(task({ ...emptyDraft, task: 'Return {id} {{x}}', model: 'm' })).toBe('Return {id} {{x}}');
  });
});

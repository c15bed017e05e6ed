import { expect, it } from 'vitest';
import { createRunRequest } from '../../api/create-run.ts';
import { experimentRequest } from '../../api/experiment.ts';
import { planRuns, requestOf } from '../../experiments/plan-runs.ts';
import { resolveConfig } from '../../modes/resolve-config.ts';
import { sampleConfig } from '../../testing/sample-logs.ts';
import { exploreLog } from '../../testing/sample-modes.ts';
import { canRepeat, repeatRequest } from './repeat-run.ts';

it('asks for the same configuration k times, with its seed and its options', () => {
  const config = sampleConfig({ model_options: { seed: 7, temperature: 0.5 }, max_iterations: 12 });
  const plan = experimentRequest.parse(
    repeatRequest(config, { run: { id: 'x' }, title: 'A title', times: 5 }),
  );
  expect(plan).toMatchObject({
    name: 'A title × 5',
    models: [config.model],
    options: [{ temperature: 0.5 }],
    seeds: [7],
    repeats: 5,
    task: config.task,
    settings: { max_iterations: 12 },
  });
  // Settings at their defaults follow them again.
  expect(plan.settings).not.toHaveProperty('window_tokens');
  const unseeded = experimentRequest.parse(
    repeatRequest(sampleConfig(), { run: { id: 'x' }, title: 'A title', times: 2 }),
  );
  expect(unseeded.seeds).toEqual([]);
});

it('leaves a default to follow a window that is changed in the plan', () => {
  const facts = { workspace: '/w', offeredTools: ['write_file'] };
  const config = resolveConfig(
    createRunRequest.parse({
      ...{ task: 'Do it.', model: 'm', window_tokens: 8192, compact_at: 0.5 },
      approval: { tools: { run_command: 'deny' } },
    }),
    facts,
  );
  const request = repeatRequest(config, { run: { id: 'x' }, title: 'T', times: 2 });
  const plan = experimentRequest.parse({ ...request, options: [{ num_ctx: 32_768 }] });
  const [item] = planRuns(plan);
  if (!item) throw new Error('no run is planned');
  expect(resolveConfig(requestOf(plan, item), facts)).toMatchObject({
    window_tokens: 32_768,
    result_chars: 8000,
    compact_at: 0.5,
    approval: { default: 'auto', tools: { run_command: 'deny' } },
  });
});

it('repeats the window that was sent, not one that an older configuration requested in vain', () => {
  const config = sampleConfig({ window_tokens: 16_384, model_options: { num_ctx: 8192, num_predict: 5 } });
  const plan = experimentRequest.parse(repeatRequest(config, { run: { id: 'x' }, title: 'A', times: 2 }));
  expect(plan.settings.window_tokens).toBe(16_384);
  expect(plan.options[0]).toEqual({});
});

it('repeats an exploration with its cycles', () => {
  const [created] = exploreLog(4).events;
  if (created?.type !== 'run.created') throw new Error('no configuration');
  const plan = experimentRequest.parse(
    repeatRequest(created.config, { run: { id: 'x' }, title: 'Tides', times: 3 }),
  );
  expect(plan).toMatchObject({
    mode: 'explore',
    cycles: 4,
    repeats: 3,
    settings: { num_predict: [2048, 4096] },
  });
  expect(plan.settings).not.toHaveProperty('calls_per_cycle');
});

it('copies a chosen folder, and leaves out one that was created for the run', () => {
  const plan = (workspace: string) =>
    repeatRequest(sampleConfig({ workspace }), { run: { id: 'run-1' }, title: 'T', times: 2 }).workspace;
  expect(plan('/home/ada/notes')).toBe('/home/ada/notes');
  expect(plan('/data/workspaces/run-1')).toBeUndefined();
  const imported = { run: { id: 'run-1', imported_at: 1 }, title: 'T', times: 2 };
  expect(repeatRequest(sampleConfig({ workspace: '/home/ada/.ssh' }), imported).workspace).toBeUndefined();
});

it('repeats single answers as prompts, and no session that a person led', () => {
  // The form used to send what only tasks with tools have.
  const asked = ['tier', 'nudge_plans', 'live_tokens'];
  const config = sampleConfig({ agentic: false, workspace: '', parser_layers: [], asked });
  const plan = experimentRequest.parse(repeatRequest(config, { run: { id: 'x' }, title: 'T', times: 2 }));
  expect(plan.mode).toBe('prompt');
  expect(plan.settings).toEqual({});
  expect(canRepeat(sampleConfig({ mode: 'session', autopilot: false }))).toBe(false);
  const session = sampleConfig({ mode: 'session', autopilot: true, task: 'Go on.' });
  expect(canRepeat(session)).toBe(true);
  const again = experimentRequest.parse(repeatRequest(session, { run: { id: 'x' }, title: 'T', times: 2 }));
  expect(again).toMatchObject({ mode: 'session', task: 'Go on.' });
  expect(canRepeat(config)).toBe(true);
});

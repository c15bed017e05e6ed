import { expect, it } from 'vitest';
import { experimentRequest } from '../api/experiment.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { exploreLog } from '../testing/sample-modes.ts';
import { canRepeat, repeatRequest } from './repeat-run.ts';

it('issue 7: asks for the same configuration k times, with its seed and its options', () => {
  const config = sampleConfig({ model_options: { seed: 7, temperature: 0.5 }, max_iterations: 12 });
  const plan = experimentRequest.parse(repeatRequest(config, { runId: 'x', title: 'A title', times: 5 }));
  expect(plan).toMatchObject({
    name: 'A title × 5',
    models: [config.model],
    options: [{ temperature: 0.5 }],
    seeds: [7],
    repeats: 5,
    task: config.task,
    settings: { max_iterations: 12, window_tokens: config.window_tokens },
  });
  const unseeded = experimentRequest.parse(
    repeatRequest(sampleConfig(), { runId: 'x', title: 'A title', times: 2 }),
  );
  expect(unseeded.seeds).toEqual([]);
});

it('repeats an exploration with its cycles', () => {
  const [created] = exploreLog(4).events;
  if (created?.type !== 'run.created') throw new Error('no configuration');
  const plan = experimentRequest.parse(
    repeatRequest(created.config, { runId: 'x', title: 'Tides', times: 3 }),
  );
  expect(plan).toMatchObject({ mode: 'explore', cycles: 4, repeats: 3, settings: { calls_per_cycle: 50 } });
});

it('copies a folder that was chosen, and leaves out one that was made for the run', () => {
  const plan = (workspace: string) =>
    repeatRequest(sampleConfig({ workspace }), { runId: 'run-1', title: 'T', times: 2 }).workspace;
  expect(plan('/home/ada/notes')).toBe('/home/ada/notes');
  expect(plan('/data/workspaces/run-1')).toBeUndefined();
});

it('repeats single answers as prompts, and no session', () => {
  const config = sampleConfig({ agentic: false, workspace: '', parser_layers: [] });
  const plan = experimentRequest.parse(repeatRequest(config, { runId: 'x', title: 'T', times: 2 }));
  expect(plan.mode).toBe('prompt');
  expect(canRepeat(sampleConfig({ mode: 'session' }))).toBe(false);
  expect(canRepeat(config)).toBe(true);
});

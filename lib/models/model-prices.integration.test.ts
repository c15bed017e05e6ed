import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CreateRunRequest, createRunRequest } from '../api/create-run.ts';
import { experimentRequest } from '../api/experiment.ts';
import { forkRequest } from '../api/fork-run.ts';
import { priceRequest } from '../api/model-price.ts';
import { type OpenedRunService, openRunService } from '../app/open-run-service.ts';
import { readEnvironment } from '../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import type { RunEvent } from '../events/registry.ts';

const api = { kind: 'api', input_usd_per_million: 2000, output_usd_per_million: 10_000 } as const;
// At this price the call costs 3 USD and the answer 0.30.
const call = { name: 'list_directory', arguments: { path: '.' } };
const reply = { tool_calls: [call], prompt_eval_count: 1000, eval_count: 100 };

let dataDir: string;
let ollama: FakeOllama;
let opened: OpenedRunService;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'loupe-prices-'));
  ollama = await startFakeOllama({ record: false, models: [{ name: 'qwen3:latest' }, { name: 'other:1b' }] });
  for (const model of ['qwen3:latest', 'other:1b']) {
    ollama.add({
      name: model.replace(':', '-'),
      model,
      steps: [
        { reply },
        { reply: { content: 'There are no files.', prompt_eval_count: 100, eval_count: 10 } },
      ],
    });
  }
  opened = await openRunService(readEnvironment({ LOUPE_DATA_DIR: dataDir, OLLAMA_HOST: ollama.url }));
});
afterEach(async () => {
  await opened.close();
  await ollama.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const start = (request: Partial<CreateRunRequest> = {}) =>
  opened.service.start(createRunRequest.parse({ task: 'Look around', model: 'qwen3', ...request }));

async function ended(runId: string) {
  await vi.waitFor(
    async () => expect((await opened.service.stored.get(runId)).run.phase).toBe('ended'),
    10_000,
  );
  return opened.service.stored.get(runId);
}

async function endOf(runId: string) {
  const events: RunEvent[] = [];
  for await (const page of opened.service.stored.log(runId)) events.push(...page);
  const end = events.at(-1);
  return end?.type === 'run.ended' ? end : undefined;
}

it('ends a run when its cost budget is spent, and shows the cost everywhere (V2, V3, V4)', async () => {
  await opened.prices.set('qwen3:latest', api);
  const { run } = await start({ budget: { max_cost_usd: 2.5 } });
  const { run: summary, config } = await ended(run.id);
  expect(config.price).toEqual(api);
  expect(summary).toMatchObject({ termination_reason: 'budget_exceeded', cost_usd: 3 });
  expect(summary.message).toBe('The cost budget of $2.50 is spent: $3.00 used.');
  expect(await endOf(run.id)).toMatchObject({ cost_usd: 3 });
  const runs = await opened.service.stored.list({ limit: 1 });
  expect(runs).toMatchObject([{ id: run.id, cost_usd: 3 }]);
  const { models } = await opened.service.models(new AbortController().signal);
  expect(models.find(({ name }) => name === 'qwen3:latest')?.price).toEqual(api);
});

it('charges electricity for the duration of the calls', async () => {
  await opened.prices.set('qwen3', { kind: 'electricity', watts: 1_000_000, usd_per_kwh: 1000 });
  const { run } = await start();
  const { run: summary } = await ended(run.id);
  // A million watts at 1000 USD per kWh are 0.2777… USD in a millisecond.
  expect(summary.cost_usd).toBeGreaterThan(0.2);
});

it('rejects a cost budget for an unpriced model, for runs, forks and experiments (V2)', async () => {
  const budget = { max_cost_usd: 1 };
  const refusal = { code: 'no_price', hint: expect.stringContaining('Models page') };
  await expect(start({ budget })).rejects.toMatchObject(refusal);
  const { run } = await start();
  expect((await ended(run.id)).run.cost_usd).toBeUndefined();
  expect(await endOf(run.id)).not.toHaveProperty('cost_usd');
  const fork = forkRequest.parse({ at: { seq: 5 }, settings: { budget } });
  await expect(opened.service.fork(run.id, fork)).rejects.toMatchObject(refusal);
  await opened.prices.set('qwen3', api);
  const plan = experimentRequest.parse({
    name: 'Costs',
    mode: 'task',
    task: 'Look around',
    models: ['qwen3', 'other:1b'],
    settings: { budget },
  });
  await expect(opened.experiments.create(plan)).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining('other:1b'),
  });
  expect(await opened.experiments.list()).toEqual([]);
});

it('keeps the price at the start of a run, and uses the price of its own model for a fork', async () => {
  await opened.prices.set('qwen3', api);
  const { run } = await start();
  await ended(run.id);
  await opened.prices.set('qwen3', { ...api, input_usd_per_million: 200_000 });
  await opened.prices.set('other:1b', { ...api, output_usd_per_million: 20_000 });
  const first = await opened.service.stored.get(run.id);
  expect(first.run.cost_usd).toBeCloseTo(3.3, 6);
  expect(first.config.price).toEqual(api);

  const at = { before_iteration: 2 };
  const fork = await opened.service.fork(
    run.id,
    forkRequest.parse({ at, settings: { model: 'other:1b' }, workspace: 'same' }),
  );
  const { run: made, config } = await ended(fork.run.id);
  expect(config.price).toMatchObject({ output_usd_per_million: 20_000 });
  // The copied call keeps its cost; the answer is charged at the price of the other model.
  expect(made.cost_usd).toBeCloseTo(3.4, 6);

  await opened.prices.set('other:1b', null);
  const unpriced = await opened.service.fork(
    run.id,
    forkRequest.parse({ at, settings: { model: 'other:1b' }, workspace: 'same' }),
  );
  expect((await ended(unpriced.run.id)).run.cost_usd).toBeUndefined();
});

it('treats a repeated request as the same one after the price has changed', async () => {
  const request = createRunRequest.parse({ task: 'Look around', model: 'qwen3' });
  const options = { idempotencyKey: 'key' };
  const first = await opened.service.start(request, options);
  await opened.prices.set('qwen3', api);
  expect(await opened.service.start(request, options)).toMatchObject({
    created: false,
    run: { id: first.run.id },
  });
});

it('refuses a change of a price that is no longer current', async () => {
  const base = priceRequest.parse({ model: 'qwen3', price: api, base: null }).base;
  await opened.prices.set('qwen3', api, base);
  const other = { ...api, input_usd_per_million: 1 };
  await expect(opened.prices.set('qwen3:latest', other, base)).rejects.toMatchObject({
    code: 'price_changed',
    message: 'The price of "qwen3:latest" was changed in the meantime.',
  });
  expect(await opened.prices.of('qwen3')).toEqual(api);
  expect(await opened.prices.set('qwen3', other, api)).toEqual({ model: 'qwen3:latest', price: other });
  await expect(opened.prices.set('qwen3', null, api)).rejects.toMatchObject({ code: 'price_changed' });
  expect(await opened.prices.set('qwen3', null)).toEqual({ model: 'qwen3:latest', price: null });
});

it('lists the cost of each run of an experiment', async () => {
  await opened.prices.set('qwen3', api);
  const { experiment } = await opened.experiments.create(
    experimentRequest.parse({ name: 'Costs', mode: 'task', task: 'Look around', models: ['qwen3'] }),
  );
  await vi.waitFor(
    async () => expect((await opened.experiments.get(experiment.id)).experiment.status).toBe('finished'),
    10_000,
  );
  const { items } = await opened.experiments.get(experiment.id);
  expect(items[0]?.result?.cost_usd).toBeCloseTo(3.3, 6);
});

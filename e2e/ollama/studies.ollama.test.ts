import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentReply } from '../../lib/api/experiment.ts';
import { STUDIES } from '../../lib/experiments/studies.ts';
import { type LoupeServer, startLoupe } from '../loupe-server.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

let ollama: RealOllama;
let loupe: LoupeServer;
beforeAll(async () => {
  ollama = await startOllama();
  loupe = await startLoupe({ ollamaUrl: ollama.url });
});
afterAll(async () => {
  await loupe?.dispose();
  await ollama?.stop();
});

it.each(STUDIES.map((study) => [study.name, study] as const))(
  'the study %s runs whole on a real model',
  async (_, { plans }) => {
    const plan = { ...plans.small, models: ['tiny-tools'] };
    const created = await loupe.request('/api/experiments', { json: plan });
    expect(created.status, await created.clone().text()).toBe(201);
    const { experiment } = (await created.json()) as ExperimentReply;
    const read = async () =>
      (await (await loupe.request(`/api/experiments/${experiment.id}`)).json()) as ExperimentReply;
    await expect
      .poll(async () => (await read()).experiment.status, { timeout: 170_000, interval: 500 })
      .toBe('finished');
    const { items } = await read();
    expect(items.map(({ status, error }) => error?.message ?? status)).toEqual(items.map(() => 'done'));
    for (const { result } of items) expect(result?.model_calls).toBeGreaterThan(0);
  },
  180_000,
);

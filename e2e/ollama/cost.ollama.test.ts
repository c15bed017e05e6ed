import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createRunRequest } from '../../lib/api/create-run.ts';
import { type OpenedRunService, openRunService } from '../../lib/app/open-run-service.ts';
import { readEnvironment } from '../../lib/config/environment.ts';
import type { RunEvent } from '../../lib/events/registry.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

let ollama: RealOllama;
let folder: string;
let opened: OpenedRunService;
beforeAll(async () => {
  ollama = await startOllama();
  folder = mkdtempSync(join(tmpdir(), 'loupe-cost-'));
  opened = await openRunService(
    readEnvironment({ LOUPE_DATA_DIR: join(folder, 'data'), OLLAMA_HOST: ollama.url }),
  );
});
afterAll(async () => {
  await opened?.close();
  await ollama?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

it('ends a run when the tokens that Ollama counted have spent its cost budget (V2, V3)', async () => {
  const workspace = mkdtempSync(join(folder, 'work-'));
  writeFileSync(join(workspace, 'alpha.md'), 'This is alpha.md. A banana.\n');
  await opened.prices.set('tiny-tools', {
    kind: 'api',
    input_usd_per_million: 100_000,
    output_usd_per_million: 200_000,
  });
  const { run } = await opened.service.start(
    createRunRequest.parse({
      task: 'Read alpha.md.',
      model: 'tiny-tools',
      workspace,
      window_tokens: 4096,
      budget: { max_cost_usd: 5 },
      model_options: { temperature: 0, seed: 1 },
    }),
  );
  await vi.waitFor(async () => expect((await opened.service.stored.get(run.id)).run.phase).toBe('ended'), {
    timeout: 120_000,
    interval: 100,
  });
  const { run: summary } = await opened.service.stored.get(run.id);
  const events: RunEvent[] = [];
  for await (const page of opened.service.stored.log(run.id)) events.push(...page);
  const [call, ...more] = events.filter((event) => event.type === 'model-call.ended');
  // 10 cents a token in, 20 a token out: the first call is more than the budget.
  expect(more).toEqual([]);
  expect(summary.termination_reason).toBe('budget_exceeded');
  expect(summary.cost_usd).toBeCloseTo(((call?.prompt_tokens ?? 0) + 2 * (call?.reply_tokens ?? 0)) / 10, 6);
  expect(summary.cost_usd).toBeGreaterThan(5);
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRunRequest } from '../../api/create-run.ts';
import { checksOfCase, type SuiteCase } from '../../api/suite.ts';
import { type OpenedRunService, openRunService } from '../../app/open-run-service.ts';
import { PROBES } from '../../checks/probes.ts';
import { readEnvironment } from '../../config/environment.ts';
import { type FakeOllama, startFakeOllama } from '../../demo/fake-ollama.ts';
import type { RunEvent } from '../../events/registry.ts';
import { eventsOf } from '../../testing/events-of.ts';
import { says } from '../../testing/loop-harness.ts';
import { BASICS_SOLUTIONS, LONG_READING_SOLUTIONS, PROBE_SOLUTIONS } from '../../testing/suite-solutions.ts';
import { shippedSuite } from './shipped-suites.ts';

const basics = shippedSuite('basics')?.cases ?? [];
const probes = shippedSuite('probes')?.cases ?? [];
const longReading = shippedSuite('long-reading')?.cases ?? [];
const IDLE = 'The task is completed.';

let folder: string;
let fake: FakeOllama;
let opened: OpenedRunService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-shipped-'));
  fake = await startFakeOllama({
    scenarios: [
      ...Object.entries({ ...BASICS_SOLUTIONS, ...PROBE_SOLUTIONS, ...LONG_READING_SOLUTIONS }).map(
        ([name, steps]) => ({
          name,
          steps: [...steps],
        }),
      ),
      { name: 'idle', steps: [says(IDLE)] },
    ],
  });
  opened = await openRunService(
    readEnvironment({
      LOUPE_DATA_DIR: join(folder, 'data'),
      OLLAMA_HOST: fake.url,
      LOUPE_MIN_FREE_MB: '0',
    }),
  );
});

afterAll(async () => {
  await opened.close();
  await fake.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a case with a model in a separate folder, and judges it by its checks. */
async function passes(one: SuiteCase, model: string): Promise<boolean> {
  const workspace = mkdtempSync(join(folder, 'case-'));
  for (const [path, text] of Object.entries(one.files ?? {})) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  const { input, settings } = one;
  const { run } = await opened.service.start(
    createRunRequest.parse({
      ...{ ...settings, model, task: input, workspace },
      ...{ checks: checksOfCase(one), max_attempts: 1 },
    }),
  );
  await vi.waitFor(async () => expect((await opened.service.stored.get(run.id)).run.phase).toBe('ended'), {
    timeout: 60_000,
    interval: 10,
  });
  const log: RunEvent[] = [];
  for await (const page of opened.service.stored.log(run.id)) log.push(...page);
  return eventsOf(log, 'verification.checked').at(-1)?.outcome === 'pass';
}

describe('the suites that ship', () => {
  it('Basics has forty cases in eight groups of five, each with a reference solution and a way to judge it', () => {
    expect(basics).toHaveLength(40);
    const tags = basics.flatMap((one) => one.tags ?? []);
    expect(new Set(tags).size).toBe(8);
    for (const tag of tags) expect(tags.filter((each) => each === tag)).toHaveLength(5);
    expect(Object.keys(BASICS_SOLUTIONS)).toEqual(basics.map(({ id }) => id));
    expect(basics.filter((one) => checksOfCase(one).length === 0)).toEqual([]);
  });

  it('Probes has the ten probes of Model Check', () => {
    expect(Object.keys(PROBE_SOLUTIONS)).toEqual(probes.map(({ id }) => id));
    expect(probes.map(({ id }) => id)).toEqual(PROBES.map(({ id }) => `probe.${id}`));
  });

  it.each([...basics, ...probes, ...longReading].map((one) => [one.id, one] as const))(
    '%s: the reference solution passes, and doing nothing does not',
    { timeout: 120_000 },
    async (id, one) => {
      expect(await passes(one, id)).toBe(true);
      expect(await passes(one, 'idle')).toBe(false);
      expect(fake.problems).toEqual([]);
    },
  );
});

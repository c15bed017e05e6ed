import { afterEach, describe, expect, it } from 'vitest';
import type { ModelCheck } from '../api/model-check.ts';
import { summarizeCheck } from '../api/summarize-check.ts';
import type { CheckStep } from '../checks/check-step.ts';
import { ModelError } from '../model/model-error.ts';
import type { RunServiceOptions } from '../runs/run-service.ts';
import { sampleCheck } from '../testing/sample-check.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import { openTestService, scripted, type TestService } from '../testing/test-service.ts';
import { ModelChecks, withChecks } from './model-checks.ts';

let test: TestService;
afterEach(() => test.dispose());

/** A check that the test advances and ends, queued in a real service. */
async function open(execute = scripted([]), options: Partial<RunServiceOptions> = {}) {
  test = await openTestService(execute, { hostOf: () => 'one', ...options });
  const asked: {
    model: string;
    onStep: (step: CheckStep) => void;
    end: (result: ModelCheck | Error) => void;
  }[] = [];
  const checks = new ModelChecks({
    store: test.store,
    slots: test.service,
    clock: () => 7,
    check: (model, { signal, onStep }) =>
      new Promise((resolve, reject) => {
        const end = (result: ModelCheck | Error) =>
          result instanceof Error ? reject(result) : resolve(result);
        asked.push({ model, onStep, end });
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
      }),
  });
  return { checks, asked };
}

describe('Model Check', () => {
  it('reports progress, and stores the result by model and digest', async () => {
    const { checks, asked } = await open();
    expect(checks.current()).toBeUndefined();
    expect(checks.start('qwen3:8b')).toMatchObject({ model: 'qwen3:8b', started_at: 7 });
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.onStep({ type: 'loading' });
    expect(checks.current()?.status).toBe('loading');
    asked[0]?.onStep({ type: 'probe-started', id: 'one-call' });
    asked[0]?.onStep({ type: 'probe-ended', id: 'one-call', verdict: 'pass', durationMs: 12 });
    asked[0]?.onStep({ type: 'probe-started', id: 'types' });
    expect(checks.current()).toMatchObject({
      status: 'probing',
      probes: [
        { status: 'pass', duration_ms: 12 },
        { status: 'running' },
        ...Array.from({ length: 8 }, () => ({ status: 'open' })),
      ],
    });
    const check = sampleCheck();
    asked[0]?.end(check);
    await expect.poll(() => checks.current()).toMatchObject({ status: 'done', ended_at: 7 });
    expect(await checks.result('qwen3:8b')).toEqual({ check, summary: summarizeCheck(check) });
    expect(await test.store.modelChecks()).toEqual([summarizeCheck(check)]);
    await expect(checks.result('qwen3:8b', 'other')).rejects.toMatchObject({ code: 'check_not_found' });
  });

  it('checks one model at a time, and does not start the same check twice', async () => {
    const { checks, asked } = await open();
    checks.start('a');
    expect(checks.start('a:latest')).toMatchObject({ model: 'a:latest' });
    expect(() => checks.start('b')).toThrow(/a:latest is being checked/);
    expect(() => checks.start('loupe-demo')).toThrow(/a script/);
    await expect.poll(() => asked.length).toBe(1);
    await checks.close();
    expect(checks.current()).toMatchObject({ status: 'stopped' });
    expect(checks.start('b')).toMatchObject({ model: 'b:latest' });
    await checks.close();
  });

  it('queues behind a run, reports its position, and holds later runs while it lasts', async () => {
    const ends: (() => void)[] = [];
    const { checks, asked } = await open(async (run) => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return scripted([])(run);
    });
    const first = await test.start();
    await expect.poll(() => ends.length).toBe(1);
    checks.start('m');
    await expect.poll(() => checks.current()).toMatchObject({ status: 'waiting', position: 1 });
    const second = await test.start();
    await expect.poll(async () => (await test.service.stored.get(second)).run.queue_position).toBe(2);
    expect(asked).toHaveLength(0);
    ends[0]?.();
    await expect.poll(() => asked.length).toBe(1);
    expect(ends).toHaveLength(1);
    await test.service.ended(first, new AbortController().signal);
    await expect(test.service.unload('m', new AbortController().signal)).rejects.toMatchObject({
      code: 'model_in_use',
      message: 'm is being checked.',
    });
    asked[0]?.end(sampleCheck());
    await expect.poll(() => ends.length).toBe(2);
    expect(checks.current()).toMatchObject({ status: 'done' });
    ends[1]?.();
    await test.service.ended(second, new AbortController().signal);
  });

  it('gets a slot from an endless run, which continues afterwards', async () => {
    const passed: boolean[] = [];
    const turn: { next?: () => void } = {};
    const { checks, asked } = await open(
      async (run) => {
        while (passed.length < 2) {
          await new Promise<void>((resolve) => {
            turn.next = resolve;
          });
          passed.push(await run.yieldToOthers());
        }
        return scripted([])(run);
      },
      {
        prepare: async ({ task, model }) => ({
          config: sampleConfig({ task, model, mode: 'session', max_iterations: 0 }),
          keep: () => undefined,
          discard: async () => undefined,
        }),
      },
    );
    const run = await test.start();
    await expect.poll(() => turn.next !== undefined).toBe(true);
    turn.next?.();
    await expect.poll(() => passed).toEqual([false]);
    checks.start('m');
    await expect.poll(() => checks.current()?.position).toBe(1);
    turn.next?.();
    await expect.poll(() => asked.length).toBe(1);
    expect(passed).toEqual([false]);
    asked[0]?.end(sampleCheck());
    await test.service.ended(run, new AbortController().signal);
    expect(passed).toEqual([false, true]);
  });

  it('can be stopped while queued and while running, and releases its slot [S14]', async () => {
    const ends: (() => void)[] = [];
    const { checks, asked } = await open(async (run) => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return scripted([])(run);
    });
    const run = await test.start();
    await expect.poll(() => ends.length).toBe(1);
    checks.start('m');
    expect(await checks.stop('m')).toMatchObject({ status: 'stopped' });
    ends[0]?.();
    await test.service.ended(run, new AbortController().signal);
    checks.start('m');
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.onStep({ type: 'probe-started', id: 'types' });
    const stopped = await checks.stop('m');
    expect(stopped).toMatchObject({ status: 'stopped', ended_at: 7 });
    expect(stopped.error).toBeUndefined();
    expect(stopped.probes.some(({ status }) => status === 'running')).toBe(false);
    await test.start();
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.();
    await expect(checks.stop('nobody')).rejects.toMatchObject({ code: 'check_not_found' });
  });

  it('keeps the error with its hint, and the earlier result', async () => {
    const { checks, asked } = await open();
    const earlier = sampleCheck({ model: 'm:latest' });
    await test.store.saveModelCheck(earlier);
    checks.start('m');
    await expect.poll(() => asked.length).toBe(1);
    asked[0]?.end(new ModelError({ kind: 'unreachable', message: 'Gone.', hint: 'Start it.' }));
    await expect
      .poll(() => checks.current())
      .toMatchObject({
        status: 'failed',
        error: { code: 'model_unreachable', message: 'Gone.', hint: 'Start it.' },
      });
    expect((await checks.result('m')).check).toEqual(earlier);
  });

  it('shows the check of this digest, otherwise the newest one, marked as outdated', async () => {
    await open();
    const check = (digest: string, ended_at: number, model = 'a:latest', probes_version = 1) =>
      summarizeCheck(sampleCheck({ model, digest, ended_at, probes_version }));
    const model = (name: string, digest?: string, demo = false) => ({ name, digest, demo });
    const shown = withChecks(
      [
        model('a', 'new'),
        model('alias:1b', 'old'),
        model('a:2b', 'x'),
        model('a', 'other'),
        model('b'),
        model('loupe-demo', 'new', true),
      ],
      [check('old', 1), check('new', 2), check('', 3, 'b:latest', 0)],
    ).map((each) => each.check && [each.check.digest, each.check.outdated]);
    expect(shown).toEqual([
      ['new', undefined],
      ['old', undefined],
      undefined,
      ['new', 'model'],
      ['', 'probes'],
      undefined,
    ]);
  });
});

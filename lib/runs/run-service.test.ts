import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { NewRun } from '../api/create-run.ts';
import { runLoop } from '../engine/run-loop.ts';
import { AppError } from '../errors/app-error.ts';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { RunFeed } from '../feed/run-feed.ts';
import { modeOf } from '../modes/mode-of.ts';
import { RunMayExistError, StorageFullError } from '../store/store-errors.ts';
import { longLog, sampleConfig, sampleFile } from '../testing/sample-logs.ts';
import { openerOf, scriptedModel, scriptedTools } from '../testing/simulate-run.ts';
import { openTestService, scripted, type TestService, warned } from '../testing/test-service.ts';
import type { ToolBox } from '../tools/tool.ts';
import type { RunServiceOptions } from './run-service.ts';
import type { ExecuteRun } from './run-worker.ts';
import type { StoredRunLog } from './stored-run-log.ts';

let test: TestService;
afterEach(() => test.dispose());

const never = () => new AbortController().signal;
const untilAborted: ExecuteRun = async ({ signal }) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  return { outcome: 'suspended' };
};

/** Waits long enough for a busy machine. */
const eventually = <T>(look: () => Promise<T>) => vi.waitFor(look, { timeout: 10_000 });

/** A run that ends when it is asked to, as in the engine at the next boundary. */
const untilStopped: ExecuteRun = async (run) => {
  while (!run.log.state.stop && !run.signal.aborted) await run.log.changed(run.log.state.seq, run.signal);
  return run.signal.aborted ? { outcome: 'suspended' } : scripted([])(run);
};

async function ended(runId: string) {
  return eventually(async () => {
    const { run } = await test.service.stored.get(runId);
    expect(run.phase).toBe('ended');
    return run;
  });
}

async function collect(feed: RunFeed, until: (seqs: number[]) => boolean): Promise<number[]> {
  const seqs: number[] = [];
  while (!feed.done && !until(seqs)) {
    for (const item of await feed.next(1000)) if (item.kind === 'event') seqs.push(item.event.seq);
  }
  return seqs;
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('starting', () => {
  it('returns immediately and continues without viewers [D3]', async () => {
    test = await openTestService(scripted(['a', 'b'].map(warned)));
    const id = await test.start();
    expect(await ended(id)).toMatchObject({ id, last_seq: 5, termination_reason: 'error' });
  });

  it('shows an unfinished run from memory as the store has it, and keeps one summary until it changes', async () => {
    let step = Promise.withResolvers<void>();
    test = await openTestService(async (run) => {
      for (const text of ['a', 'b', 'c']) {
        await step.promise;
        step = Promise.withResolvers();
        await run.log.append([warned(text)]);
      }
      return scripted([])(run);
    });
    const id = await test.start();
    const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    for (let seq = 2; seq <= 4; seq++) {
      await eventually(async () => expect((await test.service.stored.summary(id))?.last_seq).toBe(seq));
      const shown = await test.service.stored.summary(id);
      expect(asJson(shown)).toEqual(asJson(await test.store.summary(id)));
      expect(await test.service.stored.summary(id)).toBe(shown);
      const { run, config } = await test.service.stored.get(id);
      expect(run).toBe(shown);
      expect(await test.store.readOne(id, 1)).toMatchObject({ config });
      step.resolve();
    }
    expect(await ended(id)).toMatchObject({ last_seq: 6 });
  });

  it('claims a new run when it creates it', async () => {
    test = await openTestService(untilAborted);
    const claim = vi.spyOn(test.store, 'claim');
    const id = await test.start();
    await eventually(async () =>
      expect(await test.store.readOne(id, 2)).toMatchObject({ type: 'run.started', epoch: 1 }),
    );
    expect(claim).not.toHaveBeenCalled();
  });

  it('creates one run for two requests with the same key, and refuses the key for another request', async () => {
    test = await openTestService(untilAborted);
    const ids = await Promise.all([test.start({}, 'key'), test.start({}, 'key')]);
    expect(ids[0]).toBe(ids[1]);
    expect(await test.service.stored.list({ limit: 10 })).toHaveLength(1);
    await expect(test.start({ task: 'Another' }, 'key')).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  it('says of a repeated request that its run was deleted, until the run can no longer be restored', async () => {
    test = await openTestService(scripted([]));
    const id = await test.start({}, 'key');
    await ended(id);
    await test.service.organizer.delete([id]);
    await expect(test.start({}, 'key')).rejects.toMatchObject({ code: 'run_deleted' });
    await test.service.organizer.restore([id]);
    expect(await test.start({}, 'key')).toBe(id);
    await test.service.organizer.delete([id]);
    await test.store.purgeRuns(Date.now() + 1000);
    expect(await test.start({}, 'key')).not.toBe(id);
  });

  it('refuses new runs when the disk is nearly full', async () => {
    test = await openTestService(untilAborted, { minFreeBytes: Number.MAX_SAFE_INTEGER });
    await expect(test.start()).rejects.toMatchObject({ code: 'storage_full' });
  });

  it('keeps a model loaded if another model’s run uses its runner', async () => {
    const unload = vi.fn(async () => undefined);
    const names = ['first:latest', 'copy:latest'];
    test = await openTestService(
      async (run) => {
        run.log.append([{ type: 'preflight.checked', sandbox: { available: false, kind: 'none' } }]);
        await run.log.durable();
        return untilStopped(run);
      },
      { unload, namesOfRunner: async (model) => (model === 'other' ? ['other:latest'] : names) },
    );
    const id = await test.start({ model: 'copy' });
    await eventually(async () => expect((await test.service.stored.get(id)).run.phase).not.toBe('queued'));
    await expect(test.service.unload('first', never())).rejects.toMatchObject({
      code: 'model_in_use',
      message: 'A run is using copy, which shares the runner of first.',
    });
    await expect(test.service.unload('copy', never())).rejects.toThrow('A run is using copy.');
    await test.service.unload('other', never());
    expect(unload).toHaveBeenCalledTimes(1);
  });

  it('creates no run for a refused model', async () => {
    const admit = async () => Promise.reject(new AppError({ code: 'remote_model', message: 'No.' }));
    test = await openTestService(untilAborted, { admit });
    await expect(test.start()).rejects.toMatchObject({ code: 'remote_model' });
    expect(await test.service.stored.list({ limit: 10 })).toEqual([]);
  });

  it('keeps the folder of a run that may exist, as another process may work in it', async () => {
    const discarded: string[] = [];
    test = await openTestService(scripted([]), {
      prepare: async ({ task }) => ({
        config: sampleConfig({ task }),
        keep: () => undefined,
        discard: async () => void discarded.push(task),
      }),
    });
    const busy = new AppError({ code: 'store_busy', message: 'No answer.' });
    const create = vi.spyOn(test.store, 'create');
    create.mockRejectedValueOnce(busy).mockRejectedValueOnce(new RunMayExistError('run', busy));
    for (const task of ['not created', 'unknown']) {
      await expect(test.start({ task })).rejects.toMatchObject({ code: 'store_busy' });
    }
    expect(discarded).toEqual(['not created']);
  });

  it('ends a run whose loop throws, and no other', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    test = await openTestService(async (run) => {
      if (run.config.task === 'Break') throw new TypeError('a bug');
      return scripted([warned('fine')])(run);
    });
    const broken = await test.start({ task: 'Break', model: 'break' });
    const sound = await test.start({ task: 'Work', model: 'work' });
    expect(await ended(broken)).toMatchObject({
      termination_reason: 'error',
      message: expect.stringContaining('a bug'),
    });
    expect(await ended(sound)).toMatchObject({ last_seq: 4 });
    expect(log).toHaveBeenCalled();
    log.mockRestore();
  });
});

describe('the queue of a model server', () => {
  it('runs one run per host at a time, and shows the others their position', async () => {
    test = await openTestService(untilStopped);
    const first = await test.start();
    const second = await test.start();
    const third = await test.start();
    const elsewhere = await test.start({ model: 'another host' });
    await eventually(async () => {
      const listed = (await test.service.stored.list({ limit: 10 })).map((run) => [
        run.id,
        run.phase,
        run.queue_position,
      ]);
      expect(Object.fromEntries(listed.map(([id, ...rest]) => [id, rest]))).toEqual({
        [first]: ['starting', undefined],
        [second]: ['queued', 1],
        [third]: ['queued', 2],
        [elsewhere]: ['starting', undefined],
      });
    });
    const feed = await test.service.follow({ topics: new Map([[third, 1]]), signal: never() });
    expect(await feed.next(1000)).toEqual([
      { kind: 'delta', runId: third, delta: { type: 'queue', position: 2, ahead: [first, second] } },
    ]);
    await test.service.stop(first, { force: false });
    expect(await feed.next(1000)).toEqual([
      { kind: 'delta', runId: third, delta: { type: 'queue', position: 1, ahead: [second] } },
    ]);
    feed.close();
  });

  it('estimates the start once three runs of that kind have ended', async () => {
    let now = 0;
    let hold = false;
    const execute: ExecuteRun = async (run) => {
      if (hold) return untilStopped(run);
      now += 40_000;
      return scripted([])(run);
    };
    test = await openTestService(execute, { clock: () => now });
    for (let run = 0; run < 3; run++) await ended(await test.start());
    hold = true;
    const first = await test.start();
    await eventually(async () => expect((await test.service.stored.get(first)).run.phase).toBe('starting'));
    const startedAt = Date.now();
    const second = await test.start();
    const feed = await test.service.follow({ topics: new Map([[second, 1]]), signal: never() });
    const delta = { type: 'queue', position: 1, ahead: [first], expected_at: expect.any(Number) };
    expect(await feed.next(1000)).toEqual([{ kind: 'delta', runId: second, delta }]);
    feed.close();
    const { run } = await test.service.stored.get(second);
    expect(run.queue_expected_at).toBeGreaterThanOrEqual(startedAt + 40_000);
    expect(run.queue_expected_at).toBeLessThanOrEqual(Date.now() + 40_000);
  });

  it('lets an endless run keep its slot for a while if each switch needs a load', async () => {
    let passed: boolean | undefined;
    let bothStarted = Promise.withResolvers<void>();
    const turns: ExecuteRun = async (run) => {
      await bothStarted.promise;
      passed ??= await run.yieldToOthers();
      return scripted([])(run);
    };
    const options = (stretchMs: number): Partial<RunServiceOptions> => ({
      stretchMs,
      hostOf: () => 'one',
      prepare: async (request) => ({
        config: sampleConfig({ task: 'x', model: request.model, max_iterations: request.title ? 10 : 0 }),
        keep: () => undefined,
        discard: async () => undefined,
      }),
    });
    const play = async (stretchMs: number, second: Partial<NewRun>) => {
      test = await openTestService(turns, options(stretchMs));
      bothStarted = Promise.withResolvers();
      const ids = [await test.start({ model: 'first' }), await test.start(second)];
      bothStarted.resolve();
      for (const id of ids) await ended(id);
      await test.dispose();
      const first = passed;
      passed = undefined;
      return first;
    };
    expect(await play(60_000, { model: 'second' })).toBe(false); // a load is saved
    expect(await play(0, { model: 'second' })).toBe(true); // not forever
    expect(await play(60_000, { model: 'first' })).toBe(true); // nothing would be loaded
    expect(await play(60_000, { model: 'second', title: 'A task' })).toBe(true); // has an end, so it may start immediately
  });

  it('a run that is stopped while it waits ends without waiting [S13]', async () => {
    test = await openTestService(untilStopped);
    await test.start();
    const waiting = await test.start();
    await test.service.stop(waiting, { force: false });
    expect(await ended(waiting)).toMatchObject({ stop_requested: true });
  });
});

describe('stopping', () => {
  it('records each kind of stop once [S13, S14]', async () => {
    test = await openTestService(untilAborted);
    const id = await test.start();
    await Promise.all([1, 2, 3].map(() => test.service.stop(id, { force: false })));
    await Promise.all([1, 2, 3].map(() => test.service.stop(id, { force: true })));
    await test.service.stop(id, { force: false });
    const events = await test.store.read(id, { afterSeq: 0, limit: 100 });
    const stops = events.filter((event) => event.type === 'stop.requested');
    expect(stops.map((event) => event.force)).toEqual([false, true]);
  });

  it('has no effect on an ended run, and rejects missing ones', async () => {
    test = await openTestService(scripted([]));
    const id = await test.start();
    const before = await ended(id);
    expect(await test.service.stop(id, { force: true })).toEqual(before);
    await expect(test.service.stop('nobody', { force: true })).rejects.toMatchObject({
      code: 'run_not_found',
    });
  });
});

describe('following', () => {
  it('a log whose run is deleted while it is read does not look complete', async () => {
    test = await openTestService(untilAborted);
    await test.store.importRun(sampleFile(longLog(200, { runId: 'long' })));
    const pages = test.service.stored.log('long');
    expect((await pages.next()).value).toHaveLength(50);
    await test.service.organizer.delete(['long']);
    await expect(pages.next()).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('delivers each event once and in order, wherever a viewer was disconnected [D5]', async () => {
    test = await openTestService(scripted(Array.from({ length: 12 }, (_, index) => warned(`${index}`))));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 6 }), async (cuts) => {
        const id = await test.start();
        const got: number[] = [];
        for (const cut of [...cuts, Number.MAX_SAFE_INTEGER]) {
          const feed = await test.service.follow({
            topics: new Map([[id, got.at(-1) ?? 0]]),
            signal: never(),
          });
          const seqs = await collect(feed, (seen) => seen.length >= cut);
          feed.close();
          // The events sent before the connection broke: the viewer has the first `cut` of them.
          got.push(...seqs.slice(0, cut));
        }
        expect(got).toEqual(upTo(15));
      }),
      { numRuns: 25 },
    );
  });

  it('is the same from every starting position [D5]', async () => {
    test = await openTestService(scripted(Array.from({ length: 300 }, (_, index) => warned(`${index}`))));
    const id = await test.start();
    const last = (await ended(id)).last_seq;
    for (const after of [0, 1, 42, 99, 100, 101, 256, last - 1]) {
      const feed = await test.service.follow({ topics: new Map([[id, after]]), signal: never() });
      expect(await collect(feed, () => false)).toEqual(upTo(last).slice(after));
    }
  });

  it('ends by itself after the last event', async () => {
    test = await openTestService(scripted([]));
    const id = await test.start();
    const feed = await test.service.follow({ topics: new Map([[id, 0]]), signal: never() });
    await collect(feed, () => false);
    expect(feed.done).toBe(true);
    expect(await feed.next(10_000)).toEqual([]);
    feed.close();
    expect(test.service.viewers).toBe(0);
  });

  it('ends immediately for a viewer that has everything', async () => {
    test = await openTestService(scripted([]));
    const id = await test.start();
    const { last_seq } = await ended(id);
    const feed = await test.service.follow({ topics: new Map([[id, last_seq]]), signal: never() });
    expect(feed.done).toBe(true);
    feed.close();
  });

  it('waits if a viewer claims more events than exist', async () => {
    test = await openTestService(untilAborted);
    const id = await test.start();
    const feed = await test.service.follow({ topics: new Map([[id, 1000]]), signal: never() });
    expect(await feed.next(50)).toEqual([]);
    feed.close();
  });

  it('follows several runs and the list in one feed', async () => {
    test = await openTestService(scripted([warned('x')]));
    const old = await test.start({ task: 'Old', model: 'old' });
    await ended(old);
    const feed = await test.service.follow({ topics: new Map([[old, 2]]), list: true, signal: never() });
    const summaries = new Map<string, number>();
    const events: string[] = [];
    const take = async () => {
      for (const item of await feed.next(1000)) {
        if (item.kind === 'run') summaries.set(item.summary.id, item.summary.last_seq);
        if (item.kind === 'event') events.push(`${item.event.run_id}:${item.event.seq}`);
      }
    };
    await take();
    expect(summaries.get(old)).toBe(4);
    const young = await test.start({ task: 'Young', model: 'young' });
    while (summaries.get(young) !== 4) await take();
    expect(events).toEqual([`${old}:3`, `${old}:4`]);
    expect(feed.done).toBe(false);
    feed.close();
  });

  it('notifies viewers of the list and of the run that it was deleted', async () => {
    test = await openTestService(scripted([]));
    const [gone, other] = [await test.start({ task: 'Gone' }), await test.start({ task: 'Other' })];
    await ended(gone);
    await ended(other);
    const list = await test.service.follow({ topics: new Map(), list: true, signal: never() });
    expect((await list.next(1000)).map(({ kind }) => kind)).toEqual(['run', 'run']);
    const behind = await test.service.follow({ topics: new Map([[gone, 0]]), texts: true, signal: never() });
    await test.service.delete(gone);
    const deleted = [{ kind: 'deleted', runId: gone }];
    expect(await list.next(1000)).toEqual(deleted);
    expect(await behind.next(1000)).toEqual(deleted);
    expect(behind.done).toBe(true);
    expect(list.done).toBe(false);
    list.close();
    behind.close();
  });

  it('shows live text only between the events that start and end it', async () => {
    let release: (value?: unknown) => void = () => undefined;
    const gate = new Promise((resolve) => {
      release = resolve;
    });
    test = await openTestService(async (run) => {
      run.log.append([warned('before')]);
      await run.log.durable();
      run.log.delta({ type: 'text', call: 1, offset: 0, text: 'Thinking' });
      run.log.delta({ type: 'text', call: 1, offset: 8, text: ' about it' });
      await gate;
      return scripted([])(run);
    });
    const id = await test.start();
    const feed = await test.service.follow({ topics: new Map([[id, 0]]), signal: never() });
    const kinds: string[] = [];
    let text = '';
    while (text.length < 17) {
      for (const item of await feed.next(1000)) {
        kinds.push(item.kind === 'event' ? item.event.type : item.kind);
        if (item.kind === 'delta' && 'text' in item.delta) text += item.delta.text;
      }
    }
    expect(text).toBe('Thinking about it');
    expect(kinds.slice(0, 3)).toEqual(['run.created', 'run.started', 'policy.warned']);
    expect(new Set(kinds.slice(3))).toEqual(new Set(['delta']));
    const late = await test.service.follow({ topics: new Map([[id, 3]]), signal: never() });
    expect(await late.next(1000)).toEqual([
      { kind: 'delta', runId: id, delta: { type: 'text', call: 1, offset: 0, text: 'Thinking about it' } },
    ]);
    late.close();
    feed.close();
    release();
    await ended(id);
  });

  it('does not know missing runs', async () => {
    test = await openTestService(untilAborted);
    const follow = test.service.follow({ topics: new Map([['nobody', 0]]), signal: never() });
    await expect(follow).rejects.toMatchObject({ code: 'run_not_found' });
    expect(test.service.viewers).toBe(0);
  });

  it('ends when the viewer leaves', async () => {
    test = await openTestService(untilAborted);
    const id = await test.start();
    const viewer = new AbortController();
    const feed = await test.service.follow({ topics: new Map([[id, 2]]), signal: viewer.signal });
    const waiting = feed.next(60_000);
    viewer.abort();
    expect(await waiting).toEqual([]);
    expect(test.service.viewers).toBe(0);
  });
});

describe('restarting', () => {
  it('resumes unfinished runs under a new epoch, and loses nothing [D19]', async () => {
    test = await openTestService(async (run) => {
      run.log.append([warned('first life')]);
      await run.log.durable();
      return untilAborted(run);
    });
    const id = await test.start();
    await eventually(async () => expect((await test.service.stored.get(id)).run.last_seq).toBe(3));
    await test.restart(scripted([warned('second life')]));
    await test.service.resumeUnfinished();
    await ended(id);
    const events = await test.store.read(id, { afterSeq: 0, limit: 100 });
    expect(events.map((event) => event.type)).toEqual([
      'run.created',
      'run.started',
      'policy.warned',
      'run.resumed',
      'policy.warned',
      'run.ended',
    ]);
    expect(events[3]).toMatchObject({ epoch: 2 });
  });

  it('starts runs that were still queued as if nothing had happened', async () => {
    test = await openTestService(untilAborted);
    await test.start();
    const waiting = await test.start();
    await test.restart(scripted([]));
    await test.service.resumeUnfinished();
    await ended(waiting);
    const events = await test.store.read(waiting, { afterSeq: 0, limit: 100 });
    expect(events.map((event) => event.type)).toEqual(['run.created', 'run.started', 'run.ended']);
  });

  it('accepts a stop for a run that has not been resumed yet [D12, S13]', async () => {
    test = await openTestService(untilAborted);
    const ids = [await test.start({ model: 'a' }), await test.start({ model: 'b' })];
    await test.restart(untilAborted);
    const resuming = test.service.resumeUnfinished();
    await Promise.all(ids.map((id) => test.service.stop(id, { force: false })));
    await resuming;
    for (const id of ids) {
      const events = await test.store.read(id, { afterSeq: 0, limit: 100 });
      expect(events.map((event) => event.type)).toContain('stop.requested');
    }
  });

  it('ends a stopped run without waiting for the slot of another', async () => {
    test = await openTestService(async (run) => {
      await run.leaveSlot();
      return untilAborted(run);
    });
    const working = await test.start();
    await eventually(async () => expect((await test.service.stored.get(working)).run.phase).toBe('starting'));
    const stopped = await test.start();
    await eventually(async () => expect((await test.service.stored.get(stopped)).run.phase).toBe('starting'));
    await test.service.stop(stopped, { force: false });
    await test.restart(untilStopped);
    await test.service.resumeUnfinished();
    await ended(stopped);
    expect((await test.service.stored.get(working)).run.phase).toBe('starting');
  });

  it('parks a run after two failed recoveries, and continues the others', async () => {
    test = await openTestService(untilAborted);
    const poisoned = await test.start({ task: 'Poison', model: 'poison' });
    const sound = await test.start({ task: 'Sound', model: 'sound' });
    await eventually(async () => expect((await test.service.stored.get(sound)).run.phase).toBe('starting'));
    // Two starts that crashed while resuming the run.
    await test.store.beginRecovery(poisoned);
    await test.store.beginRecovery(poisoned);
    await test.restart(scripted([]));
    await test.service.resumeUnfinished();
    expect(await ended(poisoned)).toMatchObject({
      termination_reason: 'error',
      message: expect.stringContaining('interrupted'),
    });
    const events = await test.store.read(poisoned, { afterSeq: 0, limit: 100 });
    expect(events.map((event) => event.type)).toEqual(['run.created', 'run.started', 'run.ended']);
    await ended(sound);
  });

  it('resumes a run once there is space again, if the disk fills up just then', async () => {
    test = await openTestService(untilAborted);
    const id = await test.start();
    await eventually(async () => expect((await test.service.stored.get(id)).run.phase).toBe('starting'));
    await test.restart(scripted([]));
    const full = new StorageFullError('/data');
    vi.spyOn(test.store, 'beginRecovery').mockRejectedValueOnce(full);
    await test.service.resumeUnfinished();
    expect(await ended(id)).toMatchObject({ message: expect.stringContaining('script is over') });
  });

  it('keeps waiting for space although the store does not answer meanwhile', async () => {
    test = await openTestService(scripted([]));
    const disk = vi.spyOn(test.store, 'fullDisk').mockResolvedValueOnce(undefined); // for the request
    disk.mockRejectedValueOnce(new AppError({ code: 'store_busy', message: 'No answer.' }));
    const id = await test.start();
    expect(await ended(id)).toMatchObject({ message: expect.stringContaining('script is over') });
    expect(disk).toHaveBeenCalledTimes(3);
  });

  it('counts no failed recovery although the store does not answer when the count is reset', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    test = await openTestService(untilAborted);
    const id = await test.start();
    await eventually(async () => expect((await test.service.stored.get(id)).run.phase).toBe('starting'));
    await test.store.beginRecovery(id); // as if the server was killed
    await test.restart(scripted([warned('Progress.')]));
    const busy = new AppError({ code: 'store_busy', message: 'No answer.' });
    const settled = vi.spyOn(test.store, 'settleRecovery').mockRejectedValueOnce(busy);
    await test.service.resumeUnfinished();
    await ended(id);
    await eventually(async () => expect(settled).toHaveBeenCalledTimes(2));
    expect(await test.store.beginRecovery(id)).toBe(1);
    warn.mockRestore();
  });

  it('ends a run that could not be resumed when it is stopped', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    test = await openTestService(untilAborted);
    const id = await test.start();
    await eventually(async () => expect((await test.service.stored.get(id)).run.phase).toBe('starting'));
    await test.restart(scripted([]));
    vi.spyOn(test.store, 'beginRecovery').mockRejectedValueOnce(new Error('no answer'));
    await test.service.resumeUnfinished();
    expect(said.mock.calls.flat().join(' ')).toContain(`Run ${id} could not be resumed`);
    await test.service.stop(id, { force: false });
    await ended(id);
    said.mockRestore();
  });

  it('does not count a graceful stop as a failed recovery', async () => {
    test = await openTestService(untilAborted);
    const id = await test.start();
    await eventually(async () => expect((await test.service.stored.get(id)).run.phase).toBe('starting'));
    for (let time = 1; time <= 4; time++) {
      await test.restart(untilAborted);
      await test.service.resumeUnfinished();
    }
    const { run } = await test.service.stored.get(id);
    expect(run.phase).not.toBe('ended');
    const log = foldAll(emptyRunState(id), await test.store.read(id, { afterSeq: 0, limit: 100 }));
    expect(log.resumes).toBe(4);
  });

  it('closes streams and refuses new work while it stops', async () => {
    test = await openTestService(untilAborted);
    const id = await test.start();
    const feed = await test.service.follow({ topics: new Map([[id, 2]]), signal: never() });
    const waiting = feed.next(60_000);
    const closed = test.service.close();
    expect(await waiting).toEqual([]);
    await expect(test.start()).rejects.toMatchObject({ code: 'shutting_down' });
    await closed;
  });
});

it('a run that waits for a person blocks no other run, and goes first once it needs a slot again', async () => {
  const answer = new AbortController();
  const order: string[] = [];
  let others: boolean | undefined;
  test = await openTestService(async (run) => {
    const task = run.log.state.config?.task ?? '';
    if (task === 'Ask') {
      const waits = () =>
        new Promise<void>((resolve) => answer.signal.addEventListener('abort', () => resolve()));
      await run.leaveSlot();
      await waits();
      others = await run.takeSlot();
    }
    if (task === 'Work') return untilStopped(run);
    order.push(task);
    return scripted([])(run);
  });
  const asking = await test.start({ task: 'Ask' });
  await ended(await test.start({ task: 'Short' }));
  expect((await test.service.stored.get(asking)).run.phase).not.toBe('ended');

  const working = await test.start({ task: 'Work' });
  const last = await test.start({ task: 'Last' });
  answer.abort();
  await eventually(async () => expect((await test.service.stored.get(asking)).run.queue_position).toBe(1));
  expect((await test.service.stored.get(last)).run.queue_position).toBe(2);
  await test.service.stop(working, { force: false });
  await ended(last);
  expect(order).toEqual(['Short', 'Ask', 'Last']);
  expect(others).toBe(true);
});

it('a run stopped while it waits for a person needs no slot to end', async () => {
  test = await openTestService(async (run) => {
    if (run.log.state.config?.task === 'Work') return untilAborted(run);
    await run.leaveSlot();
    await run.log.changed(run.log.state.seq, run.signal);
    await run.takeSlot();
    return scripted([])(run);
  });
  const asking = await test.start({ task: 'Ask' });
  await eventually(async () => expect((await test.service.stored.get(asking)).run.phase).toBe('starting'));
  await test.start({ task: 'Work' });
  await test.service.stop(asking, { force: false });
  await ended(asking);
});

it('a server that withdraws its request for a sample leaves no wait for a slot behind', async () => {
  const gaveUp = Promise.withResolvers<void>();
  let asking: StoredRunLog | undefined;
  const tools: ToolBox = {
    ...scriptedTools(['ask'], () => ({ success: true, tool: 'ask', output: 'Asked.' })),
    execute: async (_call, { ask }) => {
      const withdrawn = new AbortController();
      const request = { kind: 'sampling' as const, messages: [], max_tokens: 5 };
      ask?.({ server: 's', request }, withdrawn.signal).catch(() => {});
      await gaveUp.promise;
      withdrawn.abort(new Error('The server gave up.'));
      return { success: true, tool: 'ask', output: 'Nobody answered.' };
    },
  };
  test = await openTestService(async (run) => {
    const { task } = run.config;
    if (task === 'Work') return untilStopped(run);
    if (task !== 'Ask') return scripted([])(run);
    asking = run.log;
    let replies = 0;
    const model = scriptedModel(async () => {
      replies += 1;
      const call = { function: { name: 'ask', arguments: { path: 'a' } } };
      const message = { role: 'assistant' as const, content: replies === 1 ? '' : 'The task is completed.' };
      return { message: { ...message, ...(replies === 1 && { tool_calls: [call] }) }, timings: {} };
    });
    return runLoop({ ...run, model, mode: modeOf(run.config), openTools: openerOf(tools) });
  });
  const ask = await test.start({ task: 'Ask' });
  await eventually(async () => expect(asking?.state.mcpRequests.open).toBeDefined());
  const working = await test.start({ task: 'Work' });
  await eventually(async () => expect((await test.service.stored.get(working)).run.phase).toBe('starting'));
  const place = { request_id: 'q1', call_id: 'c1' };
  await asking?.appendIf(() => [
    { type: 'mcp-request.answered', ...place, action: 'accept', by: 'operator' },
  ]);
  await eventually(async () => expect((await test.service.stored.get(ask)).run.queue_position).toBe(1));
  gaveUp.resolve();
  await eventually(async () => expect(asking?.state.callsSucceeded).toBe(1));
  await test.service.stop(working, { force: false });
  expect(await ended(ask)).toMatchObject({ termination_reason: 'final_answer' });
  expect(await ended(await test.start({ task: 'Next' }))).toMatchObject({ termination_reason: 'error' });
});

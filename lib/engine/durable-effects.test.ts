import { expect, it } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import type { NewEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { ModelError } from '../model/model-error.ts';
import { driveLoop, until } from '../testing/loop-harness.ts';
import { MemoryLog } from '../testing/memory-log.ts';
import { sampleConfig } from '../testing/sample-logs.ts';
import {
  callingModel,
  type Executed,
  openerOf,
  recordExecutions,
  scriptedModel,
  scriptedTools,
} from '../testing/simulate-run.ts';

/** A log on a disk that accepts nothing before `release`. */
class HeldLog extends MemoryLog {
  #released = Promise.withResolvers<void>();
  waits = 0;

  override async durable(): Promise<void> {
    this.waits += 1;
    await this.#released.promise;
  }

  release(): void {
    this.#released.resolve();
  }

  hold(): void {
    this.#released = Promise.withResolvers<void>();
  }
}

/** A log on a disk that fails on demand: everything appended since then is lost. */
class FailingLog extends MemoryLog {
  #failure = new AbortController();

  override get failed(): AbortSignal {
    return this.#failure.signal;
  }

  override append(events: readonly NewEvent[]): RunState {
    this.failed.throwIfAborted();
    return super.append(events);
  }

  override revert(): void {
    this.#failure = new AbortController();
  }

  fail(error: Error): void {
    this.#failure.abort(error);
  }
}

const call = (name: string, path: string) => ({ name, arguments: { path } });

function taskOf(log: MemoryLog, replies: readonly (readonly ReturnType<typeof call>[])[]) {
  const executed: Executed[] = [];
  const tools = {
    ...scriptedTools(['read_file', 'write_file'], (tool) => ({ success: true, tool, output: 'done' })),
    isReadOnly: (name: string) => name === 'read_file',
  };
  const model = callingModel(log, replies);
  const openTools = openerOf(recordExecutions(tools, executed, () => log));
  const config = sampleConfig({ live_tokens: false });
  return { executed, run: () => driveLoop(log, config, { model, openTools }) };
}

it('reads and asks the model again without waiting for the disk, but writes only once the intent is on disk', async () => {
  const log = new HeldLog();
  const { executed, run } = taskOf(log, [
    [call('read_file', 'a')],
    [call('read_file', 'b')],
    [call('write_file', 'c')],
  ]);
  const running = run();
  await until(log, () => log.state.reply?.calls[0]?.name === 'write_file' && log.state.phase === 'executing');
  await new Promise((resolve) => setImmediate(resolve));
  expect(log.state.calls).toBe(3);
  expect(executed.map(({ name }) => name)).toEqual(['read_file', 'read_file']);
  expect(log.waits).toBe(1);
  log.release();
  await running;
  expect(executed.map(({ name }) => name)).toEqual(['read_file', 'read_file', 'write_file']);
});

it('reports the end only once it is on disk', async () => {
  const log = new HeldLog();
  let isOver = false;
  const running = taskOf(log, [])
    .run()
    .then(() => {
      isOver = true;
    });
  await until(log, () => log.state.ended !== undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  log.release();
  await running;
  expect(isOver).toBe(true);
});

it('a log that cannot be written aborts the model call in flight and ends the run with its error', async () => {
  const log = new FailingLog();
  let aborted = false;
  const model = scriptedModel(async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    aborted = true;
    throw new ModelError({ kind: 'aborted', message: 'stopped' });
  });
  const openTools = openerOf(scriptedTools([], () => ({ success: true, tool: 'x', output: null })));
  const running = driveLoop(log, sampleConfig({ live_tokens: false }), { model, openTools });
  await until(log, () => log.state.phase === 'calling');
  log.fail(new AppError({ code: 'storage_full', message: 'The disk is full.' }));
  await running;
  expect(aborted).toBe(true);
  expect(log.state.result).toMatchObject({ termination_reason: 'error', error: { code: 'storage_full' } });
});

it('a loop whose run was taken over stops silently', async () => {
  const log = new FailingLog();
  const model = scriptedModel(async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw new ModelError({ kind: 'aborted', message: 'stopped' });
  });
  const openTools = openerOf(scriptedTools([], () => ({ success: true, tool: 'x', output: null })));
  const running = driveLoop(log, sampleConfig({ live_tokens: false }), { model, openTools });
  await until(log, () => log.state.phase === 'calling');
  const { seq } = log.state;
  log.fail(new AppError({ code: 'stale_epoch', message: 'Taken over.' }));
  await expect(running).resolves.toEqual({ outcome: 'superseded' });
  expect(log.state.seq).toBe(seq);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewRun } from '../api/create-run.ts';
import { createRunRequest } from '../api/create-run.ts';
import { AppError } from '../errors/app-error.ts';
import type { NewEvent } from '../events/registry.ts';
import { endedByError } from '../runs/end-run.ts';
import { prepareForkWorkspace } from '../runs/fork-workspace.ts';
import { RunService, type RunServiceOptions } from '../runs/run-service.ts';
import type { ExecuteRun } from '../runs/run-worker.ts';
import { NewFolders } from '../sandbox/new-folders.ts';
import { SqliteRunStore } from '../store/sqlite/sqlite-store.ts';
import { fullName } from '../util/model-name.ts';
import { sampleConfig } from './sample-logs.ts';

/** A service with a real store and scripted runs, for tests. */
export interface TestService {
  service: RunService;
  store: SqliteRunStore;
  dataDir: string;
  /** Starts a run and returns its ID. */
  start(request?: Partial<NewRun>, idempotencyKey?: string): Promise<string>;
  /** Closes the service and opens a new one on the same data, like a restart. */
  restart(execute?: ExecuteRun): Promise<void>;
  dispose(): Promise<void>;
}

export async function openTestService(
  execute: ExecuteRun,
  options: Partial<RunServiceOptions> = {},
): Promise<TestService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-service-'));
  const open = (run: ExecuteRun) => {
    const store = SqliteRunStore.open(dataDir, { ballastMegabytes: 1 });
    const service = new RunService({
      store,
      dataDir,
      concurrency: 1,
      minFreeBytes: 0,
      execute: run,
      prepare: async (request) => ({
        config: sampleConfig({ task: request.task, model: request.model }),
        keep: () => undefined,
        discard: async () => undefined,
      }),
      admit: async () => undefined,
      // The folders of sample runs don't exist; only folders in the data directory are opened.
      prepareFork: async (config, { kind, runId }) =>
        config.workspace.startsWith(dataDir)
          ? prepareForkWorkspace(config, {
              kind,
              runId,
              dataDir,
              folders: new NewFolders({ dataDir, alone: true }),
            })
          : {
              workspace: config.workspace,
              files: { kind: 'same' },
              keep: () => undefined,
              discard: async () => undefined,
            },
      hostOf: ({ model }) => model,
      tidyUp: async () => undefined,
      health: () => Promise.reject(new Error('not asked')),
      models: () => Promise.reject(new Error('not asked')),
      render: () => Promise.reject(new Error('not asked')),
      namesOfRunner: async (model) => [fullName(model)],
      unload: () => Promise.reject(new Error('not asked')),
      tools: async () => ({ tools: { task: [], session: [], explore: [] }, servers: [], problems: [] }),
      masks: { paths: [dataDir] },
      settings: {},
      ...options,
    });
    return { store, service };
  };
  const test: TestService = {
    ...open(execute),
    dataDir,
    async start(request = {}, idempotencyKey) {
      const full = createRunRequest.parse({ task: 'Do it', model: 'fake', ...request });
      const { run } = await test.service.start(full, { idempotencyKey });
      return run.id;
    },
    async restart(next = execute) {
      await test.service.close();
      Object.assign(test, open(next));
    },
    async dispose() {
      await test.service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return test;
}

/** A run that appends these events, one per turn of the event loop, and ends. */
export function scripted(events: readonly NewEvent[]): ExecuteRun {
  return async ({ log, signal }) => {
    for (const event of events) {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return { outcome: 'suspended' };
      log.append([event]);
      await log.durable();
    }
    await log.appendIf((state) =>
      endedByError(state, new AppError({ code: 'over', message: 'The script is over.' })),
    );
    return { outcome: 'ended' };
  };
}

/** A run that waits for a message, and then ends. */
export const endsAfterMessage: ExecuteRun = async (execution) => {
  await untilMessaged(execution);
  return scripted([])(execution);
};

/** Resolves once a person has sent the run a message, or the service closes. */
export async function untilMessaged({ log, signal }: Parameters<ExecuteRun>[0]): Promise<void> {
  while (!signal.aborted && log.state.operatorMessages.length === 0) await log.changed(log.state.seq, signal);
}

export function warned(message: string): NewEvent {
  return { type: 'policy.warned', code: 'test', message };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { runLoop } from '../engine/run-loop.ts';
import type { ProgressEvent } from '../events/progress.ts';
import { Experiments } from '../experiments/experiments.ts';
import { SessionLogger, withSessionLogs } from '../exports/session-logger.ts';
import { AGENT_PREFIX } from '../modes/explore.ts';
import { modeOf } from '../modes/mode-of.ts';
import { plainText } from '../sandbox/plain-text.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { freeBytes } from '../store/data-directory.ts';
import { ThreadedRunStore } from '../store/threaded-store.ts';
import { getToolDefinitions } from '../tools/registry.ts';
import { steadyNow } from '../util/steady-clock.ts';
import { withReadings } from './model-readings.ts';
import { ModelServers } from './model-servers.ts';
import { openToolsOf, UNCONFINED_TOOLS } from './open-tools.ts';
import { prepareRun } from './prepare-run.ts';
import { newRunId } from './run-id.ts';
import { RunService } from './run-service.ts';

export { AlreadyRunningError } from '../store/instance-lock.ts';

/** Below the data directory, where no workspace may lie: the log files of sessions (S22). */
const SESSIONS_FOLDER = 'sessions';

/** The service with all its parts: the composition root. */
export interface OpenedRunService {
  service: RunService;
  experiments: Experiments;
  /** Tells a second start where this server is reached. */
  announce(url: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store, looks at the sandbox, and connects engine, tools and model servers. Unfinished runs are taken up by
 * `service.resumeUnfinished()`, then unfinished experiments by `experiments.resume()`, once viewers can be answered.
 *
 * @throws {AppError} what `ThreadedRunStore.open` throws
 */
export async function openRunService(environment: Environment): Promise<OpenedRunService> {
  const { dataDir } = environment;
  const store = await ThreadedRunStore.open(dataDir);
  const sandbox = await openSandbox();
  const unconfined = environment.unconfined ? openUnconfined() : undefined;
  const commands = unconfined ?? sandbox;
  if (unconfined) {
    console.warn('LOUPE_UNCONFINED=1: commands run without confinement, each after you approve it.');
  }
  const servers = new ModelServers(environment.ollamaHost);
  const version = programVersion();
  const sessions = new SessionLogger(join(dataDir, SESSIONS_FOLDER), (runId, range) =>
    store.read(runId, range),
  );
  const logPathOf = (runId: string) => sessions.pathOf(runId);
  const offeredTools = getToolDefinitions({ sandbox, commands }).map((tool) => tool.function.name);
  const service = new RunService({
    store: withSessionLogs(store, sessions),
    dataDir,
    concurrency: environment.concurrency,
    minFreeBytes: environment.minFreeBytes,
    prepare: (request, runId) =>
      prepareRun(request, {
        runId,
        dataDir,
        offeredTools,
        alwaysAsk: unconfined ? UNCONFINED_TOOLS : [],
      }),
    hostOf: ({ model }) => servers.hostOf(model),
    execute: async ({ log, config, signal, letOthersPass }) =>
      runLoop({
        log,
        signal,
        letOthersPass,
        clock: steadyNow,
        model: await servers.modelFor(config.model),
        mode: modeOf(config),
        onProgress: tellOperator,
        openTools: openToolsOf(log.runId, { sandbox, unconfined, dataDir, logPathOf }),
      }),
    models: async (signal) => {
      const { models } = await servers.list(signal);
      return { models: withReadings(models, await store.readings()) };
    },
    health: async (model, signal) => {
      const checks = await servers.check(model, signal);
      const { available, kind, reason, hint, protections } = commands.report;
      const free = freeBytes(dataDir);
      const ready = checks.ollama.ok && (checks.model?.ok ?? true);
      const whole = available && !unconfined && free >= environment.minFreeBytes;
      return {
        status: ready ? (whole ? 'ok' : 'degraded') : 'down',
        version,
        ...checks,
        sandbox: {
          available,
          kind,
          unconfined: unconfined !== undefined,
          reason,
          hint,
          protections: [...protections],
        },
        store: { ok: free >= environment.minFreeBytes, kind: 'sqlite', path: store.path, free_bytes: free },
      };
    },
  });
  const experiments = new Experiments({
    store,
    newId: () => newRunId(new Date()),
    runs: {
      start: async (request, idempotencyKey) => (await service.start(request, { idempotencyKey })).run.id,
      stop: (runId, options) => service.stop(runId, options),
      events: (runId) => store.read(runId, { afterSeq: 0, limit: Number.MAX_SAFE_INTEGER }),
      ended: (runId, signal) => service.ended(runId, signal),
    },
  });
  return {
    service,
    experiments,
    announce: (url) => store.announce({ pid: process.pid, url }),
    async close() {
      await experiments.close();
      await service.close();
      await servers.close();
    },
  };
}

/** What an agent says to its operator also stands on the console (O14), without what a terminal would obey. */
function tellOperator(event: ProgressEvent): void {
  if (event.type === 'notice' && event.text.startsWith(AGENT_PREFIX)) console.info(plainText(event.text));
}

function programVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest && 'version' in manifest ? manifest.version : '';
  return typeof version === 'string' ? version : '';
}

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkModel } from '../checks/check-model.ts';
import type { Environment } from '../config/environment.ts';
import { operatorToken } from '../config/operator-token.ts';
import { runLoop } from '../engine/run-loop.ts';
import type { ProgressEvent } from '../events/progress.ts';
import { Experiments } from '../experiments/experiments.ts';
import { withObservers } from '../exports/append-observer.ts';
import { healthOf } from '../models/health-of.ts';
import { ModelChecks, withChecks } from '../models/model-checks.ts';
import { ModelPulls } from '../models/model-pulls.ts';
import { withReadings } from '../models/model-readings.ts';
import { AGENT_PREFIX } from '../modes/explore.ts';
import { modeOf } from '../modes/mode-of.ts';
import { ExperimentLeases } from '../queue/experiment-leases.ts';
import { prepareForkWorkspace } from '../runs/fork-workspace.ts';
import { ModelServers } from '../runs/model-servers.ts';
import { openStore } from '../runs/open-store.ts';
import { openToolsOf, UNCONFINED_TOOLS } from '../runs/open-tools.ts';
import { prepareRun } from '../runs/prepare-run.ts';
import { newRunId } from '../runs/run-id.ts';
import { RunService } from '../runs/run-service.ts';
import { plainText } from '../sandbox/plain-text.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { SessionLogger } from '../sharing/exports/session-logger.ts';
import { SpanSender } from '../sharing/exports/span-sender.ts';
import { Shares } from '../sharing/links/shares.ts';
import { environmentSecrets } from '../sharing/redaction/environment.ts';
import { freeBytes } from '../store/data-directory.ts';
import { getToolDefinitions } from '../tools/registry.ts';
import { createPacedClock, steadyNow } from '../util/steady-clock.ts';

export { AlreadyRunningError } from '../store/sqlite/instance-lock.ts';

/** Below the data directory, where no workspace may lie: the log files of sessions (S22). */
const SESSIONS_FOLDER = 'sessions';

/** The service with all its parts: the composition root. */
export interface OpenedRunService {
  service: RunService;
  experiments: Experiments;
  /** Links to runs. */
  shares: Shares;
  pulls: ModelPulls;
  checks: ModelChecks;
  /** Tells a second start where this server is reached. */
  announce(url: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store, looks at the sandbox, and connects engine, tools and model servers. Unfinished runs are taken up by
 * `service.resumeUnfinished()`, then unfinished experiments by `experiments.resume()`, once viewers can be answered.
 *
 * @throws {AppError} what `openStore` throws
 */
export async function openRunService(environment: Environment): Promise<OpenedRunService> {
  const { dataDir } = environment;
  const opened = await openStore(environment);
  const { store, shared } = opened;
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
  const masks = {
    paths: [dataDir, homedir()],
    environment: environmentSecrets(process.env),
    tokens: [operatorToken(dataDir, environment.token)],
  };
  const spans = environment.otlpEndpoint
    ? new SpanSender({
        url: environment.otlpEndpoint,
        content: environment.otlpContent,
        masks,
        read: (runId, range) => store.read(runId, range),
      })
    : undefined;
  const service = new RunService({
    store: withObservers(store, spans ? [sessions, spans] : [sessions]),
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
    prepareFork: async (config, { kind, runId }) => ({
      ...(await prepareForkWorkspace(config, { kind, runId, dataDir })),
      ...(config.mode === 'session' ? { logPath: logPathOf(runId) } : {}),
    }),
    hostOf: ({ model }) => servers.hostOf(model),
    shared: shared && { store: shared, hostOf: ({ model }) => servers.sharedHostOf(model) },
    execute: async ({ log, config, signal, letOthersPass, withoutPlace }) =>
      runLoop({
        log,
        signal,
        letOthersPass,
        withoutPlace,
        clock: createPacedClock(),
        model: await servers.modelFor(config.model),
        mode: modeOf(config),
        onProgress: tellOperator,
        openTools: openToolsOf(log.runId, { sandbox, unconfined, dataDir, logPathOf }),
      }),
    models: async (signal) => {
      const { models } = await servers.list(signal);
      const [readings, checked] = await Promise.all([store.readings(), store.modelChecks()]);
      return { models: withChecks(withReadings(models, readings), checked) };
    },
    masks,
    settings: {
      concurrency: environment.concurrency,
      unconfined: environment.unconfined,
      min_free_bytes: environment.minFreeBytes,
      ollama_host: environment.ollamaHost.url,
    },
    render: (request, context) => servers.render(request, context),
    unload: (model, signal) => servers.unload(model, signal),
    health: async (model, signal) =>
      healthOf(await servers.check(model, signal), {
        version,
        commands: commands.report,
        unconfined: unconfined !== undefined,
        store: {
          kind: opened.kind,
          path: opened.path,
          free_bytes: freeBytes(dataDir),
          answers: await opened.answers(),
        },
        minFreeBytes: environment.minFreeBytes,
      }),
  });
  const pulls = new ModelPulls(servers.pull);
  const checks = new ModelChecks({
    store,
    places: service,
    check: async (model, options) => checkModel(await servers.modelFor(model), model, options),
  });
  const leases = shared && new ExperimentLeases(shared, service.worker);
  const experiments = new Experiments({
    store,
    holder: leases,
    newId: () => newRunId(new Date()),
    runs: {
      start: async (request, idempotencyKey) => (await service.start(request, { idempotencyKey })).run.id,
      stop: (runId, options) => service.stop(runId, options),
      log: (runId) => service.stored.log(runId),
      agreement: (runIds, signal) => service.stored.agreement(runIds, signal),
      ended: (runId, signal) => service.ended(runId, signal),
    },
  });
  const shares = new Shares({
    store,
    now: steadyNow,
    redaction: masks,
  });
  leases?.start({ beat: () => experiments.resume(), lost: (id) => experiments.lose(id) });
  return {
    service,
    experiments,
    shares,
    pulls,
    checks,
    announce: opened.announce,
    async close() {
      await experiments.close();
      await leases?.close();
      await pulls.close();
      await checks.close();
      await service.close();
      await spans?.close();
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

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ModelsReply } from '../api/replies.ts';
import { checkModel } from '../checks/check-model.ts';
import type { Environment } from '../config/environment.ts';
import { operatorToken } from '../config/operator-token.ts';
import { runLoop } from '../engine/run-loop.ts';
import { AppError } from '../errors/app-error.ts';
import { modeFacts } from '../events/modes.ts';
import { Experiments } from '../experiments/experiments.ts';
import { McpServers } from '../mcp/mcp-servers.ts';
import { healthOf } from '../models/health-of.ts';
import { ModelChecks, withChecks } from '../models/model-checks.ts';
import { ModelPrices, withPrices } from '../models/model-prices.ts';
import { ModelPulls } from '../models/model-pulls.ts';
import { withReadings } from '../models/model-readings.ts';
import { ModelServers } from '../models/model-servers.ts';
import { Reruns } from '../models/reruns.ts';
import { modeOf } from '../modes/mode-of.ts';
import { ExperimentLeases } from '../queue/experiment-leases.ts';
import { builtInTools, toolsReply } from '../runs/built-in-tools.ts';
import { Folders } from '../runs/folders.ts';
import { prepareForkWorkspace } from '../runs/fork-workspace.ts';
import { openToolsOf, UNCONFINED_TOOLS } from '../runs/open-tools.ts';
import { prepareRun } from '../runs/prepare-run.ts';
import { Presets } from '../runs/presets.ts';
import { newRunId } from '../runs/run-id.ts';
import { RunService, type RunServiceOptions } from '../runs/run-service.ts';
import { Suites } from '../runs/suites.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';
import { SessionLogger } from '../sharing/exports/session-logger.ts';
import { Shares } from '../sharing/links/shares.ts';
import { environmentSecrets } from '../sharing/redaction/environment.ts';
import { SignIns } from '../sign-ins/sign-ins.ts';
import { freeBytes } from '../store/data-directory.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import { createPacedClock, steadyNow } from '../util/steady-clock.ts';
import { agentConsole } from './agent-console.ts';
import { type OpenedStore, openStore } from './open-store.ts';
import { removeLeftovers } from './remove-leftovers.ts';

export { AlreadyRunningError } from '../store/sqlite/instance-lock.ts';

/** The folder of session logs (S22) in the data directory, where no workspace may be. */
const SESSIONS_FOLDER = 'sessions';

/** The service and everything connected to it; this module is the composition root. */
export interface OpenedRunService {
  service: RunService;
  experiments: Experiments;
  /** Links to runs. */
  shares: Shares;
  /** Signed-in browsers. */
  signIns: SignIns;
  pulls: ModelPulls;
  checks: ModelChecks;
  prices: ModelPrices;
  reruns: Reruns;
  folders: Folders;
  presets: Presets;
  suites: Suites;
  /** Servers of the Model Context Protocol. */
  mcp: McpServers;
  /** The operator token. */
  token: string;
  /** Stores this server's URL for a second start. */
  announce(url: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store, probes the sandbox, and connects engine, tools and model servers. Once viewers can connect, call
 * `service.resumeUnfinished()` and then `experiments.resume()`.
 *
 * @throws {AppError} from `openStore` and `operatorToken`; the store is closed again
 */
export async function openRunService(environment: Environment): Promise<OpenedRunService> {
  const opened = await openStore(environment);
  try {
    return await serviceOn(opened, environment);
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

async function serviceOn(opened: OpenedStore, environment: Environment): Promise<OpenedRunService> {
  const { dataDir } = environment;
  const { store, shared } = opened;
  const token = operatorToken(dataDir, environment.token);
  const sandbox = await openSandbox();
  const unconfined = environment.unconfined ? openUnconfined() : undefined;
  warnOfRisks(environment);
  const prices = new ModelPrices(store);
  const servers = new ModelServers(environment.ollamaHost, {
    allowRemoteModels: environment.allowRemoteModels,
  });
  const sessions = new SessionLogger(join(dataDir, SESSIONS_FOLDER), (runId, range) =>
    store.read(runId, range),
  );
  const masks = {
    paths: [dataDir, homedir()],
    environment: environmentSecrets(process.env),
    tokens: [token],
  };
  const mcp = new McpServers({
    dataDir,
    sandbox: unconfined ?? sandbox,
    confined: unconfined === undefined,
    environment: process.env,
  });
  const spans = await openSpanSender(environment, { store, masks });
  const service = openRuns(opened, environment, {
    sandbox,
    unconfined,
    servers,
    prices,
    sessions,
    mcp,
    masks,
    observers: [sessions, agentConsole, ...(spans ? [spans] : [])],
  });
  const pulls = new ModelPulls(servers.pull);
  const checks = new ModelChecks({
    store,
    slots: service,
    check: async (model, options) => checkModel(await servers.modelFor(model), model, options),
  });
  const leases = shared && new ExperimentLeases(shared, service.worker);
  const experiments = new Experiments({
    store,
    holder: leases,
    newId: () => newRunId(new Date()),
    runs: runsOfExperiments({ service, servers, prices }),
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
    signIns: new SignIns({ store, token, now: steadyNow }),
    pulls,
    checks,
    prices,
    reruns: new Reruns({
      stored: service.stored,
      slots: service,
      admit: (models) => servers.admit(models),
      modelFor: (model) => servers.modelFor(model),
    }),
    folders: new Folders({ store, dataDir, home: homedir() }),
    presets: new Presets({ store, newId: () => newRunId(new Date()), now: steadyNow }),
    suites: new Suites({
      store,
      runOf: (runId) => service.stored.get(runId),
      newId: () => newRunId(new Date()),
      now: steadyNow,
    }),
    mcp,
    token,
    announce: opened.announce,
    async close() {
      await experiments.close();
      await leases?.close();
      await pulls.close();
      await checks.close();
      await service.close();
      await mcp.close();
      await spans?.close();
      await servers.close();
    },
  };
}

/** Imported lazily: OpenTelemetry takes as much memory as the rest of the service, and few installations send spans. */
async function openSpanSender(
  { otlpEndpoint, otlpContent }: Environment,
  { store, masks }: { store: OpenedStore['store']; masks: RunServiceOptions['masks'] },
) {
  if (otlpEndpoint === undefined) return undefined;
  const { SpanSender } = await import('../sharing/exports/span-sender.ts');
  return new SpanSender({
    url: otlpEndpoint,
    content: otlpContent,
    masks,
    read: (runId, range) => store.read(runId, range),
  });
}

interface RunParts {
  sandbox: Awaited<ReturnType<typeof openSandbox>>;
  unconfined: ReturnType<typeof openUnconfined> | undefined;
  servers: ModelServers;
  prices: ModelPrices;
  sessions: SessionLogger;
  mcp: McpServers;
  masks: RunServiceOptions['masks'];
  observers: readonly AppendObserver[];
}

/** The run service, with its hooks connected to the other parts. */
function openRuns(
  opened: OpenedStore,
  environment: Environment,
  { sandbox, unconfined, servers, prices, sessions, mcp, masks, observers }: RunParts,
): RunService {
  const { dataDir } = environment;
  const { store, shared } = opened;
  const commands = unconfined ?? sandbox;
  const logPathOf = (runId: string) => sessions.pathOf(runId);
  const tools = builtInTools({ sandbox, unconfined });
  const service: RunService = new RunService({
    store,
    observers,
    dataDir,
    concurrency: environment.concurrency,
    minFreeBytes: environment.minFreeBytes,
    prepare: async (request, runId) =>
      prepareRun(request, {
        runId,
        dataDir,
        offeredTools: tools[request.mode].map((tool) => tool.function.name),
        alwaysAsk: unconfined ? UNCONFINED_TOOLS : [],
        servers: request.tools ? await mcp.offered() : [],
        price: await prices.of(request.model),
      }),
    admit: (models) => servers.admit(models),
    prepareFork: async (config, { kind, runId, model }) => ({
      price: await prices.of(model),
      tools: [...tools[config.mode], ...(await mcp.definitions())],
      servers: await mcp.offered(),
      ...(await prepareForkWorkspace(config, { kind, runId, dataDir })),
      ...(modeFacts(config.mode).writesLogFile ? { logPath: logPathOf(runId) } : {}),
    }),
    hostOf: ({ model }) => servers.hostOf(model),
    shared: shared && { store: shared, hostOf: ({ model }) => servers.sharedHostOf(model) },
    execute: async ({ log, config, signal, yieldToOthers, leaveSlot, takeSlot }) => {
      const find = service.standingApprovals.finderFor(config.workspace);
      return runLoop({
        log,
        signal,
        yieldToOthers,
        leaveSlot,
        takeSlot,
        clock: createPacedClock(),
        model: await servers.modelFor(config.model),
        mode: modeOf(config),
        standingApproval: find && ((tool) => retryWhileBusy(() => find(tool), { runId: log.runId, signal })),
        openTools: openToolsOf(log.runId, { sandbox, unconfined, dataDir, logPathOf, servers: mcp }),
      });
    },
    tidyUp: (state) => removeLeftovers(state, dataDir),
    models: () => listModels({ servers, store, prices }),
    tools: async () => toolsReply(tools, await mcp.offered()),
    masks,
    settings: {
      concurrency: environment.concurrency,
      unconfined: environment.unconfined,
      min_free_bytes: environment.minFreeBytes,
      ollama_host: environment.ollamaHost.url,
      allow_remote_models: environment.allowRemoteModels,
    },
    render: (request, context) => servers.render(request, context),
    namesOfRunner: (model, signal) => servers.namesOfRunner(model, signal),
    unload: (model, signal) => servers.unload(model, signal),
    health: async (model) =>
      healthOf(await servers.check(model), {
        version: programVersion(),
        commands: commands.report,
        unconfined: unconfined !== undefined,
        store: await storeHealth(opened, dataDir),
        minFreeBytes: environment.minFreeBytes,
      }),
  });
  return service;
}

function warnOfRisks({ unconfined, allowRemoteModels }: Environment): void {
  if (unconfined) {
    console.warn('LOUPE_UNCONFINED=1: commands run without a sandbox, each after you approve it.');
  }
  if (allowRemoteModels) {
    console.warn(
      'LOUPE_ALLOW_REMOTE_MODELS=1: runs may use models on other machines, which receive everything the model sees.',
    );
  }
}

/** The installed models with what Loupe knows of each: readings, check results, prices. */
async function listModels({
  servers,
  store,
  prices,
}: {
  servers: ModelServers;
  store: OpenedStore['store'];
  prices: ModelPrices;
}): Promise<ModelsReply> {
  const { models, ...states } = await servers.list();
  const [readings, checked, known] = await Promise.all([
    store.readings(),
    store.modelChecks(),
    prices.list(),
  ]);
  return { models: withPrices(withChecks(withReadings(models, readings), checked), known), ...states };
}

function runsOfExperiments({
  service,
  servers,
  prices,
}: {
  service: RunService;
  servers: ModelServers;
  prices: ModelPrices;
}): ConstructorParameters<typeof Experiments>[0]['runs'] {
  return {
    priceOf: (model) => prices.of(model),
    admit: (models) => servers.admit(models),
    start: async (request, options) => (await service.start(request, options)).run.id,
    stop: (runId, options) => service.stop(runId, options),
    log: (runId) => service.stored.log(runId),
    agreement: (runIds, signal) => service.stored.agreement(runIds, signal),
    ended: (runId, signal) => service.ended(runId, signal),
  };
}

async function storeHealth(opened: OpenedStore, dataDir: string) {
  return {
    kind: opened.kind,
    path: opened.path,
    free_bytes: freeBytes(dataDir),
    ...(await stateOf(opened)),
  };
}

async function stateOf({ store, answers }: OpenedStore): Promise<{
  answers: boolean;
  read_only?: { message: string; hint?: string };
}> {
  try {
    if (!(await answers())) return { answers: false };
    return { answers: true, read_only: await store.fullDisk() };
  } catch (error) {
    if (error instanceof AppError) return { answers: false }; // the connection was lost, possibly between the two calls
    throw error;
  }
}

function programVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest && 'version' in manifest ? manifest.version : '';
  return typeof version === 'string' ? version : '';
}

import { homedir } from 'node:os';
import { join } from 'node:path';
import { askedModels } from '../api/asked-models.ts';
import type { NewRun } from '../api/create-run.ts';
import type { HealthReply, ModelsReply } from '../api/replies.ts';
import type { ToolsReply } from '../api/tools.ts';
import { Benchmarks } from '../benchmarks/benchmarks.ts';
import { checkModel } from '../checks/check-model.ts';
import { checkTools } from '../checks/check-tools.ts';
import { CommandTools, definitionsOf, offeredGroup } from '../command-tools/command-tools.ts';
import type { Environment } from '../config/environment.ts';
import { operatorToken } from '../config/operator-token.ts';
import { programBuild } from '../config/program-build.ts';
import { programVersion } from '../config/program-version.ts';
import { runLoop } from '../engine/run-loop.ts';
import { AppError, errorParts } from '../errors/app-error.ts';
import { allToolsOf, CUSTOM_GROUP, isCommandTool, isServerTool, serverAndTool } from '../events/mcp-names.ts';
import { modeFacts } from '../events/modes.ts';
import { Experiments } from '../experiments/experiments.ts';
import { McpServers } from '../mcp/mcp-servers.ts';
import { healthOf } from '../models/health-of.ts';
import { ModelChecks, withChecks } from '../models/model-checks.ts';
import { ModelPrices, withPrices } from '../models/model-prices.ts';
import { ModelPulls } from '../models/model-pulls.ts';
import { withReadings } from '../models/model-readings.ts';
import { ModelServers } from '../models/model-servers.ts';
import { RatingLog } from '../models/rating-log.ts';
import { Ratings } from '../models/ratings.ts';
import { Reruns } from '../models/reruns.ts';
import { ToolCheckFiles } from '../models/tool-check-files.ts';
import { ToolChecks } from '../models/tool-checks.ts';
import { modeOf } from '../modes/mode-of.ts';
import { type RunFacts, resolveConfig } from '../modes/resolve-config.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { ExperimentLeases } from '../queue/experiment-leases.ts';
import type { ModelAccess } from '../queue/model-access.ts';
import { builtInTools, toolsReply } from '../runs/built-in-tools.ts';
import { Folders } from '../runs/folders.ts';
import { prepareForkWorkspace } from '../runs/fork-workspace.ts';
import { openToolsOf, UNCONFINED_TOOLS } from '../runs/open-tools.ts';
import { prepareRun } from '../runs/prepare-run.ts';
import { Presets } from '../runs/presets.ts';
import { newRunId } from '../runs/run-id.ts';
import { runImagesIn } from '../runs/run-images.ts';
import { RunService, type RunServiceOptions } from '../runs/run-service.ts';
import { Suites } from '../runs/suites.ts';
import { NewFolders } from '../sandbox/new-folders.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { removeLeftoverScratch } from '../sandbox/scratch-folders.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { openWorkspace } from '../sandbox/workspace.ts';
import type { AppendObserver } from '../sharing/exports/append-observer.ts';
import { SessionLogger } from '../sharing/exports/session-logger.ts';
import { Shares } from '../sharing/links/shares.ts';
import { environmentSecrets } from '../sharing/redaction/environment.ts';
import { SignIns } from '../sign-ins/sign-ins.ts';
import { freeBytes } from '../store/data-directory.ts';
import { retryWhileBusy } from '../store/retry-while-busy.ts';
import { machineFacts } from '../util/machine-facts.ts';
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
  benchmarks: Benchmarks;
  ratings: Ratings;
  toolChecks: ToolChecks;
  /** Servers of the Model Context Protocol. */
  mcp: McpServers;
  commandTools: CommandTools;
  /** The operator token. */
  token: string;
  /** Resolves once this process must stop, because a later version of Loupe has migrated the database that they share. */
  outdated: Promise<AppError> | undefined;
  /** Stores this server's URL for a second start. */
  announce(url: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store, probes the sandbox, and connects engine, tools and model servers. Once viewers can connect, call
 * `service.resumeUnfinished()` then `experiments.resume()` and
 * `benchmarks.start()`.
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

function newId(): string {
  return newRunId(new Date());
}

async function serviceOn(opened: OpenedStore, environment: Environment): Promise<OpenedRunService> {
  const { dataDir } = environment;
  const { store, shared } = opened;
  const token = operatorToken(dataDir, environment.token);
  const { spans, ...parts } = await openParts(opened, environment, token);
  const { servers, prices, tools, unconfined, mcp, commandTools, masks } = parts;
  const service = openRuns(opened, environment, parts);
  const access: ModelAccess = {
    slots: service,
    admit: (models) => servers.admit(models),
    modelFor: (model) => servers.modelFor(model),
  };
  const pulls = new ModelPulls(servers.pull);
  const suites = new Suites({
    store,
    runOf: (runId) => service.stored.get(runId),
    newId,
    now: steadyNow,
  });
  const { checks, toolChecks } = openChecks({ store, service, suites, dataDir, ...parts });
  const leases = shared && new ExperimentLeases(shared, service.processId);
  const experiments = new Experiments({
    store,
    holder: leases,
    newId,
    runs: runsOfExperiments({
      service,
      servers,
      dataDir,
      tools,
      unconfined,
      mcp,
      commandTools,
      prices,
    }),
    suites: { find: (reference) => suites.find(reference) },
    facts: { loupe_version: programVersion(), machine: machineFacts() },
  });
  const benchmarks = new Benchmarks({
    store,
    ...access,
    newId,
    now: steadyNow,
    worker: service.processId,
    shared,
  });
  const shares = new Shares({ store, now: shared ? () => shared.now() : steadyNow, redaction: masks });
  const ratings = new Ratings({
    log: new RatingLog(join(dataDir, 'ratings')),
    stored: service.stored,
    ...access,
    newId,
    now: steadyNow,
    shared: shared !== undefined,
  });
  await ratings.resume();
  leases?.start({
    beat: async () => void (await Promise.all([experiments.resume(), ratings.resume()])),
    lost: (id) => experiments.lose(id),
  });
  return {
    service,
    experiments,
    shares,
    signIns: new SignIns({ store, token, now: steadyNow }),
    pulls,
    checks,
    prices,
    reruns: new Reruns({ stored: service.stored, ...access }),
    folders: new Folders({ store, dataDir, home: homedir() }),
    presets: new Presets({ store, newId, now: steadyNow }),
    suites,
    benchmarks,
    ratings,
    toolChecks,
    mcp,
    commandTools,
    token,
    outdated: opened.outdated,
    announce: opened.announce,
    async close() {
      await experiments.close();
      await leases?.close();
      await pulls.close();
      await checks.close();
      await benchmarks.close();
      await ratings.close();
      await toolChecks.close();
      await service.close();
      await mcp.close();
      await spans?.close();
      await servers.close();
    },
  };
}

/** What runs need from this machine. */
async function openParts(
  { store, shared }: OpenedStore,
  environment: Environment,
  token: string,
): Promise<RunParts & { spans: Awaited<ReturnType<typeof openSpanSender>> }> {
  const { dataDir } = environment;
  const sandbox = await openSandbox();
  const unconfined = environment.unconfined ? openUnconfined() : undefined;
  void removeLeftoverScratch();
  const newFolders = new NewFolders({ dataDir, alone: shared === undefined });
  void newFolders.removeUnfinished();
  warnOfRisks(environment);
  const sessions = new SessionLogger(join(dataDir, SESSIONS_FOLDER), (runId, range) =>
    store.read(runId, range),
  );
  const masks = {
    paths: [dataDir, homedir()],
    environment: environmentSecrets(process.env),
    tokens: [token],
  };
  const place = { dataDir, sandbox: unconfined ?? sandbox, confined: unconfined === undefined };
  const spans = await openSpanSender(environment, { store, masks });
  return {
    sandbox,
    tools: builtInTools({ sandbox, unconfined }),
    unconfined,
    servers: new ModelServers(environment.ollamaHost, {
      allowRemoteModels: environment.allowRemoteModels,
    }),
    prices: new ModelPrices(store),
    sessions,
    mcp: new McpServers({ ...place, environment: process.env }),
    newFolders,
    commandTools: new CommandTools({ ...place, folders: newFolders }),
    masks,
    observers: [sessions, agentConsole, ...(spans ? [spans] : [])],
    spans,
  };
}

/** The checks of models, and of models with the tools of servers. */
function openChecks({
  store,
  service,
  suites,
  dataDir,
  servers,
  mcp,
  commandTools,
}: {
  store: OpenedStore['store'];
  service: RunService;
  suites: Suites;
  dataDir: string;
} & Pick<RunParts, 'servers' | 'mcp' | 'commandTools'>) {
  const checks = new ModelChecks({
    store,
    slots: service,
    check: async (model, options) => checkModel(await servers.modelFor(model), model, options),
  });
  const toolChecks = new ToolChecks({
    files: new ToolCheckFiles(dataDir),
    slots: service,
    check: async (model, definitions, options) =>
      checkTools(await servers.modelFor(model), { name: model, definitions }, options),
    toolsOf: (server) => toolsToCheck(server, { mcp, commandTools }),
    createSuite: (suite) => suites.create({ suite }),
    newId,
  });
  return { checks, toolChecks };
}

/** The tools that a check of a server covers. @throws {AppError} `invalid_request` if there are none */
async function toolsToCheck(
  server: string,
  { mcp, commandTools }: Pick<RunParts, 'mcp' | 'commandTools'>,
): Promise<ToolDefinition[]> {
  const all =
    server === CUSTOM_GROUP
      ? definitionsOf(await commandTools.definitions())
      : await mcp.definitions([allToolsOf(server)]);
  const found = all.filter((tool) => serverAndTool(tool.function.name)?.server === server);
  if (found.length > 0) return found;
  throw new AppError({
    code: 'invalid_request',
    message: `server: There is no enabled server "${server.slice(0, 100)}" with accepted tools.`,
    hint: 'Accept its tools on the Tools page, which says why a tool cannot be used.',
  });
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
  newFolders: NewFolders;
  sandbox: Awaited<ReturnType<typeof openSandbox>>;
  tools: ReturnType<typeof builtInTools>;
  unconfined: ReturnType<typeof openUnconfined> | undefined;
  servers: ModelServers;
  prices: ModelPrices;
  sessions: SessionLogger;
  mcp: McpServers;
  commandTools: CommandTools;
  masks: RunServiceOptions['masks'];
  observers: readonly AppendObserver[];
}

/** The run service, with its hooks connected to the other parts. */
function openRuns(
  opened: OpenedStore,
  environment: Environment,
  {
    sandbox,
    tools,
    unconfined,
    servers,
    prices,
    sessions,
    mcp,
    newFolders,
    commandTools,
    masks,
    observers,
  }: RunParts,
): RunService {
  const { dataDir } = environment;
  const { store, shared } = opened;
  const build = programBuild(); // once: a build made later belongs to the next start
  const commands = unconfined ?? sandbox;
  const logPathOf = (runId: string) => sessions.pathOf(runId);
  const service: RunService = new RunService({
    store,
    observers,
    dataDir,
    concurrency: environment.concurrency,
    minFreeBytes: environment.minFreeBytes,
    prepare: async (request, runId, files) =>
      prepareRun(request, {
        runId,
        dataDir,
        folders: newFolders,
        files,
        ...(await factsOf(request, { tools, unconfined, mcp, commandTools, prices })),
      }),
    admit: (...asked) => servers.admit(...asked),
    prepareFork: async (config, { kind, runId, model, tools: chosen }) => {
      const custom = await commandTools.readable();
      // A fork without tools of servers does not need their configuration.
      const [definitions, servers] = chosen.some(isServerTool)
        ? await Promise.all([mcp.definitions(chosen), mcp.offered(chosen)])
        : [[], []];
      return {
        price: await prices.of(model),
        tools: [...tools[config.mode], ...definitions, ...definitionsOf(custom)],
        servers: [...servers, ...offeredGroup(custom)],
        commandTools: custom,
        ...(await prepareForkWorkspace(config, { kind, runId, dataDir, folders: newFolders })),
        ...(modeFacts(config.mode).writesLogFile ? { logPath: logPathOf(runId) } : {}),
      };
    },
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
        images: runImagesIn(store, log.runId, signal),
        standingApproval:
          find && ((tool) => retryWhileBusy(() => find(tool), { subject: `Run ${log.runId}`, signal })),
        openTools: openToolsOf(log.runId, { sandbox, unconfined, dataDir, logPathOf, servers: mcp }),
      });
    },
    tidyUp: (state) => removeLeftovers(state, dataDir),
    models: () => listModels({ servers, store, prices }),
    tools: async () => toolsReply(tools, await addedTools({ mcp, commandTools })),
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
        build,
        commands: commands.report,
        unconfined: unconfined !== undefined,
        commandChecks: sandbox.report.available,
        store: await storeHealth(opened, dataDir),
        minFreeBytes: environment.minFreeBytes,
      }),
  });
  return service;
}

/** The errors caused by files that a person edits. */
const UNREADABLE: readonly string[] = ['mcp_config_unreadable', 'command_tools_unreadable'];

/** The tools of servers and the custom ones. What cannot be read takes only its own tools away, and is reported. */
async function addedTools({
  mcp,
  commandTools,
}: Pick<RunParts, 'mcp' | 'commandTools'>): Promise<Pick<ToolsReply, 'servers' | 'problems'>> {
  const problems: ToolsReply['problems'] = [];
  const ofServers = async () => {
    problems.push(...(await mcp.problems()));
    return mcp.offered();
  };
  const groups = [ofServers(), commandTools.definitions().then(offeredGroup)].map((group) =>
    group.catch((error: unknown) => {
      if (!(error instanceof AppError) || !UNREADABLE.includes(error.code)) throw error;
      problems.push(errorParts(error));
      return [];
    }),
  );
  const servers = (await Promise.all(groups)).flat();
  return { servers, problems };
}

/** The facts of this machine that complete a request. */
async function factsOf(
  request: NewRun,
  {
    tools,
    unconfined,
    mcp,
    commandTools,
    prices,
  }: Pick<RunParts, 'tools' | 'unconfined' | 'mcp' | 'commandTools' | 'prices'>,
): Promise<Omit<RunFacts, 'workspace' | 'copiedFrom'>> {
  const custom = request.tools?.some(isCommandTool) ? await commandTools.definitions() : [];
  return {
    offeredTools: tools[request.mode].map((tool) => tool.function.name),
    alwaysAsk: unconfined ? UNCONFINED_TOOLS : [],
    // A run without tools of servers does not need their configuration.
    servers: [
      ...(request.tools?.some(isServerTool) ? await mcp.offered(request.tools) : []),
      ...offeredGroup(custom),
    ],
    commandTools: custom,
    price: await prices.of(request.model),
  };
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

/** The installed models with Loupe's data about each: readings, check results, prices. */
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
  dataDir,
  ...machine
}: {
  service: RunService;
  servers: ModelServers;
  dataDir: string;
} & Parameters<typeof factsOf>[1]): ConstructorParameters<typeof Experiments>[0]['runs'] {
  return {
    admit: async (request) => {
      const { workspace } = request;
      if (workspace !== undefined) await openWorkspace(workspace, { dataDir });
      await servers.admit(askedModels(request));
      resolveConfig(request, { workspace: '', ...(await factsOf(request, machine)) });
    },
    start: async (request, options) => (await service.start(request, options)).run.id,
    stop: (runId, options) => service.stop(runId, options),
    delete: (runIds) => service.organizer.delete(runIds),
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

async function stateOf({ store, condition }: OpenedStore): Promise<{
  answers: boolean;
  read_only?: HealthReply['store']['read_only'];
}> {
  try {
    const { answers, read_only } = await condition();
    if (!answers || read_only) return { answers, read_only: read_only && { ...read_only, disk_full: false } };
    const full = await store.fullDisk();
    return { answers, read_only: full && { ...full, disk_full: true } };
  } catch (error) {
    if (error instanceof AppError) return { answers: false }; // the connection was lost, possibly between the two calls
    throw error;
  }
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  CallMcpToolReply,
  FinishMcpSignInRequest,
  McpServer,
  McpServerReply,
  McpServerRequest,
  McpServersReply,
  McpSignedInReply,
  McpSignInReply,
  ReadMcpConfigReply,
} from '../api/mcp.ts';
import type { McpOffersReply, McpPromptReply, McpResourceReply } from '../api/mcp-offers.ts';
import type { ServerTools } from '../api/tools.ts';
import { AppError, errorParts } from '../errors/app-error.ts';
import { serverAndTool } from '../events/mcp-names.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { estimateTokens } from '../policies/estimate.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { isBoundedObject, type JsonObject } from '../util/json.ts';
import { OneAtATime } from '../util/one-at-a-time.ts';
import { callServerTool } from './call-tool.ts';
import { type AcceptedTool, ConfigFiles } from './config-file.ts';
import { mergedConfig, shownConfig, shownHash } from './hidden-values.ts';
import { IdleTimer } from './idle-timer.ts';
import { MAX_INSTANCES } from './limits.ts';
import { hasOwnToken } from './link.ts';
import { withProposedFolders } from './propose-folders.ts';
import { reachOf } from './reach.ts';
import { readMcpConfig, referenceProblems } from './read-config.ts';
import { resolveReferences } from './references.ts';
import { serverFolders, serverHome } from './server-folders.ts';
import { failureOf, type ServerFailure, ServerInstance } from './server-instance.ts';
import { getPrompt, getResource, listOffers } from './server-offers.ts';
import { type SignedIn, SignIns } from './sign-in/sign-ins.ts';
import { type ServerTool, withOwnNames } from './tool-definition.ts';
import { runsUnasked, toolReplies } from './tool-replies.ts';

/** How long the Tools page keeps its own process of a server after the last use. */
const IDLE_MS = 10 * 60_000;
const MAX_ARGUMENT_CHARS = 1_000_000;

export interface McpServersOptions {
  dataDir: string;
  /** Where servers run: the confined sandbox, or the unconfined one if the user chose that. */
  sandbox: Sandbox;
  /** Whether that sandbox confines servers. */
  confined: boolean;
  /** The variables that references in the configuration resolve to. */
  environment: Readonly<Record<string, string | undefined>>;
  /** How long the page keeps a server that is not used, in milliseconds; default: 10 minutes. */
  idleMs?: number;
}

/** The page's own process or session of a server. */
interface Page {
  readonly instance: ServerInstance;
  readonly idle: IdleTimer;
}

/** An instance that a run or the page uses. */
interface Use {
  instance: ServerInstance;
  run: boolean;
}

/**
 * The configured servers of the Model Context Protocol. Each run gets its own processes or sessions, so that a server's
 * state, access and requests belong to one run; the Tools page has one more.
 */
export class McpServers {
  readonly #options: McpServersOptions;
  readonly #files: ConfigFiles;
  readonly #signIns: SignIns;
  /** The page's instances by server. */
  readonly #pages = new Map<string, Page>();
  readonly #uses = new Set<Use>();
  /** Tools as last listed by any instance since Loupe started. */
  readonly #listed = new Map<string, readonly ServerTool[]>();
  /** Serializes changes of the files. */
  readonly #writing = new OneAtATime();
  /** How often a configuration was replaced or removed. */
  #replaced = 0;

  constructor(options: McpServersOptions) {
    this.#options = options;
    this.#files = new ConfigFiles(options.dataDir);
    this.#signIns = new SignIns(options);
  }

  async list(): Promise<McpServersReply> {
    const { sandbox, confined } = this.#options;
    const [{ servers, unreadable }, accepted, signedIn] = await Promise.all([
      this.#files.read(),
      this.#files.accepted(),
      this.#signedIn(),
    ]);
    const { available, reason, hint } = sandbox.report;
    return {
      servers: Object.entries(servers).map(([name, server]) =>
        this.#reply(name, server, { accepted: accepted[name] ?? [], signedIn: signedIn(name) }),
      ),
      programs: { available, confined, ...(available ? {} : { reason, hint }) },
      path: this.#files.path,
      problems: [...unreadable.values()].map(({ problem }) => errorParts(problem)),
    };
  }

  /** @throws {AppError} `mcp_server_not_found` */
  async get(name: string): Promise<McpServerReply> {
    const [server, accepted, signedIn] = await Promise.all([
      this.#config(name),
      this.#files.accepted(),
      this.#signedIn(),
    ]);
    return this.#reply(name, server, { accepted: accepted[name] ?? [], signedIn: signedIn(name) });
  }

  /** Finds the sign-in of a server. If the file cannot be read, every server that may have one reports the problem. */
  async #signedIn(): Promise<(name: string) => SignedIn | AppError | undefined> {
    try {
      const signedIn = await this.#signIns.signedIn();
      return (name) => signedIn.get(name);
    } catch (error) {
      if (error instanceof AppError) return () => error;
      throw error;
    }
  }

  /** Reads the configuration of another host, with the folders that its servers seem to need. Adds nothing. */
  async read(text: string): Promise<ReadMcpConfigReply> {
    const { servers, problems } = readMcpConfig(text);
    const { dataDir } = this.#options;
    const proposed = servers.map(async (read) => ({
      ...read,
      server: await withProposedFolders(read.server, dataDir),
    }));
    return { servers: await Promise.all(proposed), problems };
  }

  /** @throws {AppError} `mcp_server_exists`, `too_many_mcp_servers`, `invalid_request` */
  async add(name: string, request: McpServerRequest): Promise<McpServerReply> {
    const server = mergedConfig(request, undefined);
    refuseReferences(server);
    await this.#writing.run(async () => {
      const { servers, unreadable } = await this.#files.read();
      if (Object.hasOwn(servers, name) || unreadable.has(name)) {
        throw new AppError({
          code: 'mcp_server_exists',
          message: `A server "${name}" already exists.`,
          hint: 'Choose another name, or change that server.',
        });
      }
      await this.#files.saveServers({ ...servers, [name]: server });
    });
    return this.get(name);
  }

  /**
   * Replaces a configuration. Ends the page's process, and the sign-in if the address changes; runs keep their
   * processes.
   *
   * @param base the hash of the configuration that was edited; default: whichever is current
   * @throws {AppError} as `add`, `get`; `mcp_server_changed` if another configuration is current by now
   */
  async update(name: string, request: McpServerRequest, base?: string): Promise<McpServerReply> {
    return this.#change(name, (before) => {
      const server = mergedConfig(request, before);
      const current = shownHash(before);
      if (base !== undefined && base !== current && shownHash(server) !== current)
        throw changedMeanwhile(name);
      return server;
    });
  }

  /** Enables or disables a server with its current configuration. @throws {AppError} as `get` */
  async setEnabled(name: string, enabled: boolean): Promise<McpServerReply> {
    return this.#change(name, (before) => ({ ...before, enabled }));
  }

  async #change(name: string, change: (before: McpServer) => McpServer): Promise<McpServerReply> {
    await this.#writing.run(async () => {
      const before = await this.#config(name);
      const server = change(before);
      refuseReferences(server);
      if (this.#address(name, server) !== this.#address(name, before)) await this.#signIns.forget(name);
      await this.#files.saveServers({ ...(await this.#files.servers()), [name]: server });
    });
    this.#replaced += 1;
    await this.stop(name);
    return this.get(name);
  }

  /**
   * Removes a server, its accepted tools, its sign-in, and its own folder. @throws {AppError} `mcp_server_not_found`
   */
  async remove(name: string): Promise<{ removed: string }> {
    await this.#writing.run(async () => {
      const { type } = await this.#config(name);
      const { [name]: _, ...servers } = await this.#files.servers();
      const { [name]: __, ...accepted } = await this.#files.accepted();
      if (type === 'http') await this.#signIns.forget(name);
      await this.#files.saveServers(servers);
      await this.#files.saveAccepted(accepted);
    });
    this.#replaced += 1;
    await this.stop(name);
    this.#listed.delete(name);
    await rm(join(this.#options.dataDir, 'mcp', name), { recursive: true, force: true });
    return { removed: name };
  }

  /** Starts the page's process of a server, replacing a running one. Does not wait until it is ready. */
  async start(name: string): Promise<McpServerReply> {
    await this.stop(name);
    const { instance, idle } = await this.#page(name);
    // The instance's state has the error.
    idle.during(() => instance.tools()).catch(() => undefined);
    return this.get(name);
  }

  /** Ends the page's process of a server. */
  async stop(name: string): Promise<void> {
    const page = this.#pages.get(name);
    this.#pages.delete(name);
    page?.idle.stop();
    await page?.instance.close();
  }

  /**
   * Begins a sign-in: asks the server where to sign in.
   *
   * @param redirectUrl where the browser comes back to
   * @throws {AppError} `mcp_sign_in_failed`, `mcp_server_disabled`, `mcp_variable_missing`
   */
  async beginSignIn(name: string, redirectUrl: string): Promise<McpSignInReply> {
    const server = await this.#config(name);
    if (!server.enabled) throw disabled(name);
    const resolved = resolveReferences(name, server, this.#options.environment).server;
    if (resolved.type !== 'http') {
      throw new AppError({
        code: 'invalid_request',
        message: `The server "${name}" is a program. Only servers at an address have a sign-in.`,
      });
    }
    const { url, oauth } = resolved;
    return this.#signIns.begin({ name, url, redirectUrl, client: oauth });
  }

  /** Completes a sign-in, and starts the page's connection. @throws {AppError} as `SignIns.finish` and `keep` */
  async finishSignIn(answer: FinishMcpSignInRequest): Promise<McpSignedInReply> {
    const signedIn = await this.#signIns.finish(answer);
    const { name } = signedIn;
    // The server may have been removed or changed while the person signed in.
    await this.#writing.run(async () => {
      await this.#signIns.keep(signedIn, this.#address(name, await this.#config(name)));
    });
    await this.start(name);
    return { server: name };
  }

  /** Forgets the tokens of a server. @throws {AppError} `mcp_server_not_found` */
  async signOut(name: string): Promise<McpServerReply> {
    await this.#config(name);
    await this.#signIns.forget(name);
    await this.stop(name);
    return this.get(name);
  }

  /**
   * Accepts tools as they were shown, so that runs can use them. Forgets those accepted before that are missing or unusable
   * by now.
   *
   * @throws {AppError} `mcp_tool_changed` if one has changed since it was shown
   */
  async accept(name: string, shown: readonly { name: string; hash: string }[]): Promise<McpServerReply> {
    const listed = this.#listed.get(name) ?? [];
    const chosen = shown.map(({ name: tool, hash }) => {
      const found = listed.find((each) => each.name === tool && each.hash === hash);
      if (found && isUsable(found)) return found;
      throw new AppError({
        code: 'mcp_tool_changed',
        message: `The tool "${tool.slice(0, 100)}" is not as it was shown, or cannot be used.`,
        hint: 'Start the server again and read what it says now.',
      });
    });
    await this.#writing.run(async () => {
      await this.#config(name);
      const accepted = await this.#files.accepted();
      const names = new Set(chosen.map((tool) => tool.name));
      const others = (accepted[name] ?? []).filter(
        (tool) => !names.has(tool.name) && isStillUsable(tool, this.#listed.get(name)),
      );
      await this.#files.saveAccepted({
        ...accepted,
        [name]: [...others, ...withOwnNames(name, chosen, others)],
      });
    });
    return this.get(name);
  }

  /**
   * Calls a tool for a person who tries it out.
   *
   * @throws {AppError} if the server cannot be used; a failed call is a result
   */
  async call(name: string, tool: string, args: JsonObject, signal: AbortSignal): Promise<CallMcpToolReply> {
    if (!isBoundedObject(args, { maxChars: MAX_ARGUMENT_CHARS, maxDepth: 50 })) {
      throw new AppError({ code: 'invalid_request', message: 'arguments: They are too large.' });
    }
    return this.#onPage(name, async (instance) => {
      const found = (await instance.tools()).find((each) => each.name === tool);
      if (!found || !isUsable(found)) {
        const which = `The server "${name}" has no tool "${tool.slice(0, 100)}" that can be used`;
        throw new AppError({
          code: 'mcp_tool_not_found',
          message: found?.problem === undefined ? `${which}.` : `${which}: ${found.problem}`,
        });
      }
      const startedAt = performance.now();
      const { tool: _, ...result } = await callServerTool(instance, found, args, { signal });
      return {
        result,
        duration_ms: performance.now() - startedAt,
      };
    });
  }

  /** What a server offers besides tools. Starts it if needed. @throws {AppError} if it cannot be used */
  async offers(name: string, signal: AbortSignal): Promise<McpOffersReply> {
    return this.#onPage(name, async (instance) => listOffers(await instance.connect(), signal));
  }

  /** The messages of a prompt, for a person to read. @throws {AppError} as `offers` */
  async prompt(
    name: string,
    prompt: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<McpPromptReply> {
    return this.#onPage(name, async (instance) =>
      getPrompt(await instance.connect(), { name: prompt, args, signal }),
    );
  }

  /** The content of a resource, for a person to read. @throws {AppError} as `offers` */
  async resource(name: string, uri: string, signal: AbortSignal): Promise<McpResourceReply> {
    return this.#onPage(name, async (instance) => getResource(await instance.connect(), { uri, signal }));
  }

  /**
   * The accepted tools of enabled servers, which runs can offer. Starts nothing.
   *
   * @param chosen the tools that a run needs
   * @throws {AppError} `mcp_config_unreadable` if the file, or a server with a chosen tool, cannot be read
   */
  async offered(chosen: readonly string[] = []): Promise<ServerTools[]> {
    const [servers, accepted] = await Promise.all([this.#readable(chosen), this.#files.accepted()]);
    return Object.entries(servers)
      .filter(([, server]) => server.enabled)
      .map(([name, server]) => ({
        server: name,
        tools: (accepted[name] ?? []).map((tool) => ({
          name: tool.offered,
          description: tool.definition.function.description,
          estimated_tokens: estimateTokens([], [tool.definition]),
          unasked: runsUnasked(server, tool),
        })),
      }))
      .filter(({ tools }) => tools.length > 0);
  }

  /** The definitions of the tools in `offered`. @throws {AppError} as `offered` */
  async definitions(chosen: readonly string[] = []): Promise<ToolDefinition[]> {
    const [servers, accepted] = await Promise.all([this.#readable(chosen), this.#files.accepted()]);
    const enabled = Object.keys(servers).filter((name) => servers[name]?.enabled);
    return enabled.flatMap((name) => (accepted[name] ?? []).map((tool) => tool.definition));
  }

  /**
   * An accepted tool, by the name that models get.
   *
   * @throws {AppError} `mcp_tool_not_accepted`, `mcp_server_disabled`, `mcp_config_unreadable`
   */
  async acceptedTool(offered: string): Promise<{ server: string; tool: AcceptedTool }> {
    const server = serverAndTool(offered)?.server ?? '';
    const tool = ((await this.#files.accepted())[server] ?? []).find((each) => each.offered === offered);
    const config = (await this.#readable([offered]))[server];
    if (config && !config.enabled) throw disabled(server);
    if (tool && config) return { server, tool };
    throw new AppError({
      code: 'mcp_tool_not_accepted',
      message: `The tool "${offered.slice(0, 100)}" is not one of the accepted tools of a server.`,
      hint: 'Add its server on the Tools page, or accept it there.',
    });
  }

  /**
   * A process or session of a server for one run, not started yet.
   *
   * @param workspace the run's canonical folder; empty if it has none
   * @returns the instance, and a function that ends it
   */
  async instanceForRun(
    name: string,
    workspace: string,
  ): Promise<{ instance: ServerInstance; release(): Promise<void> }> {
    const server = await this.#config(name);
    if (!server.enabled) throw disabled(name);
    const use: Use = { instance: this.#instance(name, server, workspace), run: true };
    this.#uses.add(use);
    return {
      instance: use.instance,
      release: async () => {
        this.#uses.delete(use);
        await use.instance.close();
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all([
      ...[...this.#pages.keys()].map((name) => this.stop(name)),
      ...[...this.#uses].map(({ instance }) => instance.close()),
    ]);
  }

  /** The page's instance, created on first use with the current configuration. */
  async #page(name: string): Promise<Page> {
    const replaced = this.#replaced;
    const server = await this.#config(name);
    // An update while the file was being read has stopped the instances with the former configuration.
    if (replaced !== this.#replaced) return this.#page(name);
    if (!server.enabled) throw disabled(name);
    const known = this.#pages.get(name);
    if (known) return known;
    const { idleMs = IDLE_MS } = this.#options;
    const page: Page = {
      instance: this.#instance(name, server, undefined),
      idle: new IdleTimer(idleMs, () => void this.stop(name)),
    };
    this.#pages.set(name, page);
    return page;
  }

  /** Uses the page's instance, which does not count as unused meanwhile. */
  async #onPage<T>(name: string, work: (instance: ServerInstance) => Promise<T>): Promise<T> {
    const { instance, idle } = await this.#page(name);
    return idle.during(() => work(instance));
  }

  #instance(name: string, server: McpServer, workspace: string | undefined): ServerInstance {
    if (this.#pages.size + this.#uses.size >= MAX_INSTANCES) {
      throw new AppError({
        code: 'too_many_mcp_servers',
        message: `Loupe runs at most ${MAX_INSTANCES} servers at once.`,
        hint: 'Wait until runs that use servers have ended, or stop some.',
      });
    }
    const { dataDir, sandbox, environment } = this.#options;
    return new ServerInstance({
      name,
      server,
      prepare: async () => ({
        sandbox,
        environment,
        signIns: this.#signIns,
        home: await serverHome(dataDir, name),
        root: rootOf(server, workspace),
        ...(server.type === 'stdio'
          ? await serverFolders(server, { dataDir, workspace })
          : { folders: [], cwd: undefined }),
      }),
      onTools: (tools) => this.#listed.set(name, tools),
    });
  }

  /** The address of a server; `undefined` while a variable is missing. */
  #address(name: string, server: McpServer): string | undefined {
    try {
      const resolved = resolveReferences(name, server, this.#options.environment).server;
      return resolved.type === 'http' ? URL.parse(resolved.url)?.href : undefined;
    } catch (error) {
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  /** What is wrong with servers in the file that cannot be read. @throws {AppError} if the whole file cannot be read */
  async problems(): Promise<McpServersReply['problems']> {
    return [...(await this.#files.read()).unreadable.values()].map(({ problem }) => errorParts(problem));
  }

  /** The servers, unless one of those with these tools cannot be read. */
  async #readable(tools: readonly string[]): Promise<Readonly<Record<string, McpServer>>> {
    const { servers, unreadable } = await this.#files.read();
    for (const tool of tools) {
      const found = unreadable.get(serverAndTool(tool)?.server ?? '');
      if (found) throw found.problem;
    }
    return servers;
  }

  async #config(name: string): Promise<McpServer> {
    const { servers, unreadable } = await this.#files.read();
    const problem = unreadable.get(name)?.problem;
    if (problem) throw problem;
    const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (server) return server;
    throw new AppError({
      code: 'mcp_server_not_found',
      message: `There is no server "${name.slice(0, 60)}".`,
      hint: 'The Tools page lists the servers.',
    });
  }

  #reply(
    name: string,
    server: McpServer,
    { accepted, signedIn }: { accepted: readonly AcceptedTool[]; signedIn: SignedIn | AppError | undefined },
  ): McpServerReply {
    const instance = this.#pages.get(name)?.instance;
    const { info } = instance ?? {};
    const isSignedIn =
      signedIn !== undefined && 'url' in signedIn && signedIn.url === this.#address(name, server);
    const problem = signInProblem(server, isSignedIn ? signedIn.problem : signedIn);
    const failure = instance?.failure ?? (problem && failureOf(problem));
    const signIn = signInState(failure, isSignedIn);
    const runs = [...this.#uses].filter((use) => use.instance.name === name).length;
    return {
      name,
      server: shownConfig(server),
      hash: shownHash(server),
      state: server.enabled ? (instance?.state ?? 'off') : 'disabled',
      ...(signIn && { sign_in: signIn }),
      ...(failure && { failure }),
      ...(info && { info }),
      tools: toolReplies(server, { accepted, listed: this.#listed.get(name) }),
      runs,
      reach: reachOf(server, { confined: this.#options.confined }),
    };
  }
}

/** Why a server cannot be used with its sign-in. */
function signInProblem(server: McpServer, found: SignedIn | AppError | undefined): AppError | undefined {
  if (!(found instanceof AppError)) return undefined;
  return server.type === 'http' && !hasOwnToken(server) ? found : undefined;
}

function signInState(
  failure: ServerFailure | undefined,
  signedIn: boolean,
): McpServerReply['sign_in'] | undefined {
  if (failure?.code === 'mcp_sign_in_needed') return 'needed';
  return signedIn ? 'signed_in' : undefined;
}

/** The root that a server is given: the folder of the run, if it may see it. */
function rootOf(server: McpServer, workspace: string | undefined): string | undefined {
  if (server.type !== 'stdio' || server.workspace === 'none') return undefined;
  return workspace === '' ? undefined : workspace;
}

function isUsable(tool: ServerTool): tool is AcceptedTool {
  return tool.definition !== undefined;
}

function isStillUsable({ name }: AcceptedTool, listed: readonly ServerTool[] | undefined): boolean {
  return listed?.some((tool) => tool.name === name && isUsable(tool)) ?? true;
}

function refuseReferences(server: McpServer): void {
  const problem = referenceProblems(server);
  if (problem !== undefined) throw new AppError({ code: 'invalid_request', message: problem });
}

function changedMeanwhile(name: string): AppError {
  return new AppError({
    code: 'mcp_server_changed',
    message: `The server "${name}" was changed in the meantime.`,
    hint: 'Open its current configuration and make the change again.',
  });
}

function disabled(name: string): AppError {
  return new AppError({
    code: 'mcp_server_disabled',
    message: `The server "${name}" is disabled.`,
    hint: 'Enable it on the Tools page.',
  });
}

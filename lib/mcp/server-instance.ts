import type { McpServer, McpState } from '../api/mcp.ts';
import { AppError, errorParts } from '../errors/app-error.ts';
import { errorMessage } from '../util/error-message.ts';
import { Connection, NotStartedError, type ServerInfo } from './connection.ts';
import { MAX_RESTARTS, RESTART_WINDOW_MS } from './limits.ts';
import type { ConnectionParts } from './link.ts';
import type { ServerTool } from './tool-definition.ts';

/** Why a server is unusable, for people. */
export interface ServerFailure {
  /** The code of the error, if it has one. */
  code?: string;
  message: string;
  hint?: string;
  stderr?: string;
}

/** Prepares what a connection needs: folders are checked again at each start. */
export type PrepareParts = () => Promise<ConnectionParts>;

/**
 * One process or session of a server, for a run or for the page. It is started on first use, and restarted within
 * limits if it ends on its own.
 */
export class ServerInstance {
  readonly name: string;
  readonly server: McpServer;
  readonly #prepare: PrepareParts;
  readonly #onTools: (tools: readonly ServerTool[]) => void;
  readonly #closing = new AbortController();
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #tools: readonly ServerTool[] = [];
  #areToolsOld = true;
  #listing: Promise<void> | undefined;
  #hasListed = false;
  #failure: ServerFailure | undefined;
  readonly #restarts: number[] = [];

  /** @param options.onTools called with each list of tools */
  constructor(options: {
    name: string;
    server: McpServer;
    prepare: PrepareParts;
    onTools?: (tools: readonly ServerTool[]) => void;
  }) {
    this.name = options.name;
    this.server = options.server;
    this.#prepare = options.prepare;
    this.#onTools = options.onTools ?? (() => undefined);
  }

  get state(): Exclude<McpState, 'disabled'> {
    if (this.#opening) return 'starting';
    if (this.#connection && !this.#connection.ended) {
      if (this.#hasListed) return 'ready';
      // A server that cannot list its tools is useless.
      return this.#listing ? 'starting' : 'failed';
    }
    return this.#failure ? 'failed' : 'off';
  }

  get failure(): ServerFailure | undefined {
    return this.state === 'failed' ? this.#failure : undefined;
  }

  get info(): ServerInfo | undefined {
    return this.#connection?.info;
  }

  /** Whether it ended on its own, so that the next use restarts it without its earlier state. */
  get mustRestart(): boolean {
    return this.#connection?.ended ?? false;
  }

  /**
   * The connection, opened if there is none.
   *
   * @throws {AppError} the errors of `Connection.open`, and `mcp_ends_again` for a server that keeps ending
   */
  connect(): Promise<Connection> {
    if (this.#connection && !this.#connection.ended) return Promise.resolve(this.#connection);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<Connection> {
    this.#closing.signal.throwIfAborted();
    try {
      if (this.#connection) this.#countRestart(this.#connection);
      const parts = await this.#prepare();
      const connection = await Connection.open(this.name, this.server, parts, {
        signal: this.#closing.signal,
        onTools: () => {
          this.#areToolsOld = true;
        },
        onEnd: (problem) => {
          this.#failure = {
            message: `The server "${this.name}" ended: ${problem}`,
            stderr: connection.stderr,
          };
        },
      });
      this.#connection = connection;
      this.#areToolsOld = true;
      if (this.#closing.signal.aborted) {
        await connection.close();
        this.#closing.signal.throwIfAborted();
      }
      return connection;
    } catch (error) {
      this.#failure = failureOf(error);
      throw error;
    }
  }

  #countRestart(ended: Connection): void {
    const now = performance.now();
    while ((this.#restarts[0] ?? now) < now - RESTART_WINDOW_MS) this.#restarts.shift();
    if (this.#restarts.length >= MAX_RESTARTS) {
      throw new AppError({
        code: 'mcp_ends_again',
        message: `The server "${this.name}" ended ${this.#restarts.length + 1} times within five minutes, the last time: ${ended.problem ?? 'its connection was closed.'}`,
        hint: 'It is not started again for now.',
      });
    }
    this.#restarts.push(now);
  }

  /** The current tools, listed again if the server reported a change. @throws {AppError} as `connect` */
  async tools(): Promise<readonly ServerTool[]> {
    const connection = await this.connect();
    if (this.#listing || this.#areToolsOld) {
      this.#listing ??= this.#list(connection).finally(() => {
        this.#listing = undefined;
      });
      await this.#listing;
    }
    return this.#tools;
  }

  async #list(connection: Connection): Promise<void> {
    this.#areToolsOld = false;
    try {
      this.#tools = await connection.listTools(this.#closing.signal);
    } catch (error) {
      this.#areToolsOld = true;
      this.#failure = failureOf(error);
      throw error;
    }
    this.#hasListed = true;
    this.#onTools(this.#tools);
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#closing.abort(
      new AppError({ code: 'mcp_closed', message: `The server "${this.name}" was stopped.` }),
    );
    await this.#opening?.catch(() => undefined);
    await this.#connection?.close();
  }
}

/** The shown part of an error. */
export function failureOf(error: unknown): ServerFailure {
  if (!(error instanceof AppError)) {
    return { message: errorMessage(error) };
  }
  const stderr = error instanceof NotStartedError ? error.stderr : '';
  return { ...errorParts(error), ...(stderr === '' ? {} : { stderr }) };
}

import { once } from 'node:events';
import type { Server } from 'node:http';
import type {
  Share,
  ShareListReply,
  SharePreviewReply,
  ShareReach,
  ShareReply,
  ShareRequest,
} from '../../api/share.ts';
import type { ShareSettings } from '../../config/share-settings.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Shares } from '../links/shares.ts';
import { reachOf } from './share-address.ts';

/** Links and the listener that serves them, as used by the dashboard's routes. */
export class Sharing {
  readonly #shares: Shares;
  readonly #settings: ShareSettings;
  readonly #newServer: () => Server;
  #server: Server | undefined;
  #opening: Promise<void> | undefined;
  #problem: AppError | undefined;

  constructor(options: { shares: Shares; settings: ShareSettings; newServer: () => Server }) {
    this.#shares = options.shares;
    this.#settings = options.settings;
    this.#newServer = options.newServer;
  }

  /** Reopens the listener if links from before are still valid. A failure is shown in the list of links. */
  async resume(): Promise<void> {
    if (!(await this.#shares.anyActive())) return;
    try {
      await this.#listen();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      console.error(`Shared runs are not served: ${error.message} ${error.hint ?? ''}`);
    }
  }

  /** @throws {RunNotFoundError} */
  async preview(runId: string, request: ShareRequest): Promise<SharePreviewReply> {
    return { ...(await this.#shares.preview(runId, request)), reach: this.reach() };
  }

  /**
   * Creates a link, and starts the listener for the first one.
   *
   * @throws {AppError} `run_not_found`, `share_cannot_listen`
   */
  async create(runId: string, request: ShareRequest): Promise<ShareReply> {
    await this.#listen();
    const share = await this.#shares.create(runId, request);
    return { share: this.#withUrl(share), reach: this.reach() };
  }

  async list(): Promise<ShareListReply> {
    return { shares: (await this.#shares.list()).map((share) => this.#withUrl(share)), reach: this.reach() };
  }

  /** Open streams end immediately. @throws {AppError} `share_not_found` */
  async revoke(shareId: string): Promise<ShareReply> {
    return { share: await this.#shares.revoke(shareId), reach: this.reach() };
  }

  /** Call after a run was deleted: its open streams end immediately. */
  runDeleted(runId: string): void {
    this.#shares.runDeleted(runId);
  }

  reach(): ShareReach {
    const address = this.#server?.address();
    const listening = typeof address === 'object' && address !== null ? { port: address.port } : undefined;
    const problem = this.#problem && { message: this.#problem.message, hint: this.#problem.hint };
    return { ...reachOf(this.#settings, listening), ...(problem ? { problem } : {}) };
  }

  async close(): Promise<void> {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  #listen(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined; // the next link tries again
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    const { host, port } = this.#settings;
    const server = this.#newServer();
    server.listen(port, host);
    try {
      await once(server, 'listening');
    } catch (cause) {
      this.#problem = new AppError({
        code: 'share_cannot_listen',
        message: `Shared runs cannot be served on ${host}, port ${port}: ${cause instanceof Error ? cause.message : cause}.`,
        hint: `Choose another address: LOUPE_SHARE_BIND=${host.includes(':') ? `[${host}]` : host}:${port + 1}`,
        cause,
      });
      throw this.#problem;
    }
    this.#problem = undefined;
    this.#server = server;
    console.info(`Shared runs are served at ${this.reach().base_url}/s/…`);
  }

  #withUrl({ token, ...share }: Share & { token?: string }): Share {
    if (token === undefined || share.status !== 'active') return share;
    return { ...share, url: `${this.reach().base_url}/s/${token}` };
  }
}

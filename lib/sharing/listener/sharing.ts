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
import { errorMessage } from '../../util/error-message.ts';
import { OneAtATime } from '../../util/one-at-a-time.ts';
import type { Shares } from '../links/shares.ts';
import { ownAddresses, reachOf } from './share-address.ts';

/** Links and the listener that serves them, as used by the dashboard's routes. */
export class Sharing {
  readonly #shares: Shares;
  readonly #settings: ShareSettings;
  readonly #newServer: () => Server;
  readonly #addresses: () => string[];
  #server: Server | undefined;
  /** The listener for the network, while it is open. */
  #network: { server: Server; address: string } | undefined;
  /** Serializes changes, so that no listener is lost while it starts, and the last request wins. */
  readonly #networkChanges = new OneAtATime();
  #opening: Promise<void> | undefined;
  #problem: AppError | undefined;

  constructor(options: {
    shares: Shares;
    settings: ShareSettings;
    newServer: () => Server;
    /** The addresses of this machine in its networks. Default: as the system reports them. */
    addresses?: () => string[];
  }) {
    this.#shares = options.shares;
    this.#settings = options.settings;
    this.#newServer = options.newServer;
    this.#addresses = options.addresses ?? ownAddresses;
  }

  /** Reopens the listener if earlier links are still valid. A failure is shown in the list of links. */
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
    const open = this.#network?.address;
    const network = { addresses: this.#addresses(), ...(open !== undefined && { open }) };
    const reach = reachOf(this.#settings, listening, network);
    return { ...reach, ...(problem ? { problem } : {}) };
  }

  /**
   * Also serves links on another address of this machine, on the same port, until `closeToNetwork` or the end of the
   * process.
   *
   * @throws {AppError} `not_an_own_address`, `share_reach_is_set`, `share_cannot_listen`
   */
  openToNetwork(address: string): Promise<ShareReach> {
    return this.#networkChanges.run(() => this.#openToNetwork(address));
  }

  async #openToNetwork(address: string): Promise<ShareReach> {
    const { network } = this.reach();
    if (!network) throw reachIsSet();
    if (!network.addresses.includes(address)) throw notAnOwnAddress(address, network.addresses);
    if (network.open === address) return this.reach();
    this.#closeToNetwork();
    await this.#listen();
    const place = this.#server?.address();
    const port = typeof place === 'object' && place !== null ? place.port : this.#settings.port;
    const server = await listening(this.#newServer(), { host: address, port });
    this.#network = { server, address };
    console.info(`Shared runs are open to the network at ${this.reach().base_url}/s/…`);
    return this.reach();
  }

  /** Pages that are open on other machines end immediately. */
  closeToNetwork(): Promise<ShareReach> {
    return this.#networkChanges.run(async () => this.#closeToNetwork());
  }

  #closeToNetwork(): ShareReach {
    shut(this.#network?.server);
    this.#network = undefined;
    return this.reach();
  }

  async close(): Promise<void> {
    shut(this.#network?.server);
    shut(this.#server);
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
    try {
      this.#server = await listening(this.#newServer(), { host, port });
      this.#problem = undefined;
    } catch (error) {
      if (error instanceof AppError) this.#problem = error;
      throw error;
    }
    console.info(`Shared runs are served at ${this.reach().base_url}/s/…`);
  }

  #withUrl({ token, ...share }: Share & { token?: string }): Share {
    if (token === undefined || share.status !== 'active') return share;
    return { ...share, url: `${this.reach().base_url}/s/${token}` };
  }
}

/** Starts to listen. @throws {AppError} `share_cannot_listen` */
async function listening(server: Server, { host, port }: { host: string; port: number }): Promise<Server> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
    return server;
  } catch (cause) {
    throw new AppError({
      code: 'share_cannot_listen',
      message: `Shared runs cannot be served on ${host}, port ${port}: ${errorMessage(cause)}.`,
      hint: `Choose another address: LOUPE_SHARE_BIND=${host.includes(':') ? `[${host}]` : host}:${port + 1}`,
      cause,
    });
  }
}

function shut(server: Server | undefined): void {
  server?.close();
  server?.closeAllConnections();
}

function reachIsSet(): AppError {
  return new AppError({
    code: 'share_reach_is_set',
    message: 'LOUPE_SHARE_BIND or LOUPE_SHARE_URL decides where shared runs are served.',
    hint: 'Change the setting and restart Loupe.',
  });
}

function notAnOwnAddress(address: string, own: readonly string[]): AppError {
  return new AppError({
    code: 'not_an_own_address',
    message: `${address} is not a network address of this machine.`,
    hint: own.length > 0 ? `Choose one of ${own.join(', ')}.` : 'This machine has no network address.',
  });
}

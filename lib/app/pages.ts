import type { Server } from 'node:http';
import type { PageHandler } from '../http/http-server.ts';

/**
 * The pages of the dashboard, by Next. It is loaded for the first page, because it takes a fifth of a start and 30 MB,
 * which a server that is used from a terminal or a program never needs.
 */
export class Pages {
  readonly #options: { root: string; host: string; port: number; server: Server };
  #handler: Promise<PageHandler> | undefined;

  /** @param options.root the program's folder */
  constructor(options: { root: string; host: string; port: number; server: Server }) {
    this.#options = options;
  }

  /** Answers a request for a page. @throws if Next cannot be loaded */
  readonly answer: PageHandler = async (request, response) => {
    const handler = await this.load();
    await handler(request, response);
  };

  /** Loads Next, so that the first page need not wait. After a failure, the next call tries again. */
  load(): Promise<PageHandler> {
    this.#handler ??= this.#start().catch((error: unknown) => {
      this.#handler = undefined;
      throw error;
    });
    return this.#handler;
  }

  async #start(): Promise<PageHandler> {
    const { root, host, port, server } = this.#options;
    const { default: next } = await import('next');
    const app = next({ dev: false, dir: root, hostname: host, port, httpServer: server });
    await app.prepare();
    return app.getRequestHandler();
  }
}

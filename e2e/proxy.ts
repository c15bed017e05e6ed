import { createServer, type RequestListener, request as requestOf } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy of a browser context whose connections a story can cut, including those of the shared worker. */
export interface Proxy {
  /** For `browser.newContext`. */
  settings: { server: string; bypass: string };
  /** The paths that were requested. */
  paths: string[];
  /** Breaks all connections, and each new one until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startProxy(): Promise<Proxy> {
  const paths: string[] = [];
  const sockets = new Set<Socket>();
  let isCut = false;
  const passOn: RequestListener = (request, response) => {
    const { host, port, pathname, search } = new URL(request.url ?? '');
    paths.push(`${pathname}${search}`);
    const { method } = request;
    const headers = { ...request.headers, host };
    const onward = requestOf(
      { host: '127.0.0.1', port, method, path: `${pathname}${search}`, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.on('error', () => response.destroy());
        answer.pipe(response);
      },
    );
    response.on('close', () => onward.destroy());
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
  const server = createServer(passOn);
  server.on('connection', (socket) => {
    if (isCut) return socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  // Playwright's own requests are tunneled.
  server.on('connect', (request, socket) => {
    const onward = connect(Number(new URL(`http://${request.url}`).port), '127.0.0.1');
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    // By default, browsers bypass the proxy for requests to this machine.
    settings: { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>' },
    paths,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps idle connections of one address from using up all connections: when an address has too many, its oldest is
 * closed. A connection is idle before its request is complete and after its response was sent. Browsers send their
 * request immediately, so a client that opens silent connections only closes its own.
 */
export function limitIdleConnections(server: Server, perAddress: number): void {
  const idle = new Map<string, Set<Socket>>();
  const rest = (socket: Socket) => {
    if (socket.destroyed) return;
    const address = addressOf(socket);
    const sockets = idle.get(address) ?? new Set();
    idle.set(address, sockets.add(socket));
    const [oldest] = sockets;
    if (sockets.size > perAddress) oldest?.destroy();
  };
  const leave = (socket: Socket) => {
    const address = addressOf(socket);
    const sockets = idle.get(address);
    sockets?.delete(socket);
    if (sockets?.size === 0) idle.delete(address);
  };
  const addresses = new WeakMap<Socket, string>();
  /** Cached, because a closed socket has no address. All of 127.0.0.0/8 is loopback. */
  const addressOf = (socket: Socket) => {
    const known = addresses.get(socket);
    if (known !== undefined) return known;
    const remote = socket.remoteAddress ?? '';
    const address = /^(::ffff:)?127\.|^::1$/.test(remote) ? 'loopback' : remote;
    addresses.set(socket, address);
    return address;
  };
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => leave(socket));
    rest(socket);
  });
  server.on('request', ({ socket }, response) => {
    leave(socket);
    response.once('close', () => rest(socket));
  });
}

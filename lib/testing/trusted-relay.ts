import {
  type IncomingMessage,
  type RequestListener,
  request as requestOf,
  type ServerResponse,
} from 'node:http';
import { Challenges } from '../handshake/challenges.ts';

/** Answers a handshake request like a Loupe with this token, and returns whether it was one. */
export function handshakeOf(token: string): (request: IncomingMessage, response: ServerResponse) => boolean {
  const challenges = new Challenges({ token, now: () => performance.now() });
  return (request, response) => {
    const url = new URL(request.url ?? '', 'http://relay.invalid');
    if (url.pathname !== '/api/handshake') return false;
    const listener = `127.0.0.1:${request.socket.localPort}`;
    response.end(JSON.stringify(challenges.answer(url.searchParams.get('nonce') ?? '', listener)));
    return true;
  };
}

/**
 * Passes requests on to a Loupe on another port, which no program without the operator token could: it answers the
 * handshake itself, and sends the token along.
 */
export function trustedRelay({ port, token }: { port: number; token: string }): RequestListener {
  const isHandshake = handshakeOf(token);
  return (request, response) => {
    if (isHandshake(request, response)) return;
    const headers = { ...request.headers, host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` };
    const onward = requestOf(
      { host: '127.0.0.1', port, method: request.method, path: request.url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    response.on('close', () => onward.destroy());
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
}

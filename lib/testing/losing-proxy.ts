import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { trustedRelay } from './trusted-relay.ts';

/** A proxy that cuts the connections of the first `POST`s to each of these paths once the server has answered them. */
export async function losingProxy(
  server: { port: number; token: string },
  { times, path }: { times: number; path: RegExp },
) {
  const between = createServer();
  const relay = trustedRelay(server);
  const lost: string[] = [];
  between.on('request', (request, response) => {
    const { method, url = '' } = request;
    const isLost = lost.filter((each) => each === url).length < times;
    if (method === 'POST' && path.test(url) && isLost) {
      lost.push(url);
      response.writeHead = () => {
        request.socket.destroy();
        return response;
      };
    }
    relay(request, response);
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  return {
    url: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    lost: () => lost.length,
    close: () => between.close(),
  };
}

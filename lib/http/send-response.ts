import type { ServerResponse } from 'node:http';

/**
 * Sends the Response of a route handler. Its body is read only as fast as the client accepts it, and cancelled when the
 * client disconnects or sent a HEAD request. If the body fails, the connection is closed.
 */
export async function sendResponse(response: ServerResponse, reply: Response): Promise<void> {
  response.writeHead(reply.status, [...reply.headers].flat());
  const reader = reply.body?.getReader();
  if (!reader) {
    response.end();
    return;
  }
  const leave = () => void reader.cancel().catch(() => undefined); // the body has already failed
  if (response.req.method === 'HEAD') {
    leave();
    response.end();
    return;
  }
  response.once('close', leave);
  // An event stream fails when its viewer stops reading; nothing else would end the wait for the socket.
  reader.closed.catch(() => response.destroy());
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || response.destroyed) break;
      if (!response.write(value)) await roomIn(response);
    }
  } catch {
    return; // `reader.closed` has closed the connection
  }
  response.off('close', leave);
  response.end();
}

/** Resolves when the socket accepts more data or is closed. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (response.destroyed) done();
  });
}

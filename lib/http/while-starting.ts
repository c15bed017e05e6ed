import { AppError } from '../errors/app-error.ts';
import { errorResponse } from './handle.ts';
import type { PageHandler } from './http-server.ts';
import { sendResponse } from './send-response.ts';

/** Answers requests until the start is complete: API requests with an error, page requests with a line of text. */
export const whileStarting: PageHandler = async ({ url }, response) => {
  const reply = errorResponse(
    new AppError({ code: 'starting', message: 'Loupe is starting.', hint: 'Try again in a second.' }),
  );
  if (url?.startsWith('/api/')) return sendResponse(response, reply);
  reply.headers.set('content-type', 'text/plain; charset=utf-8');
  return sendResponse(response, new Response('Loupe is starting. Try again in a second.\n', reply));
};

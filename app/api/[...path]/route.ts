import { handle, noSuchEndpoint } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** All other paths below /api: behind the same gate, with an error of the same shape. */
function notFound(request: Request) {
  return handle(
    request,
    () => {
      throw noSuchEndpoint(request.method, new URL(request.url).pathname);
    },
    { body: 'unread' },
  );
}

export { notFound as DELETE, notFound as GET, notFound as PATCH, notFound as POST, notFound as PUT };

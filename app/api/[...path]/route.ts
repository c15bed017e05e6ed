import { AppError } from '#lib/errors/app-error.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** All other paths below /api: behind the same gate, with an error of the same shape. */
function notFound(request: Request) {
  return handle(request, () => {
    throw new AppError({
      code: 'not_found',
      message: `No such endpoint: ${request.method} ${new URL(request.url).pathname.slice(0, 200)}.`,
      hint: 'docs/api.md lists the paths.',
    });
  });
}

export { notFound as DELETE, notFound as GET, notFound as PATCH, notFound as POST, notFound as PUT };

import { forkRequest } from '#lib/api/fork-run.ts';
import type { RunReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { handle, idempotencyKey, readBody, wholeNumber } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

type Context = { params: Promise<{ runId: string }> };

/** Creates a run from the beginning of this one, with changes, and returns immediately. This run is not changed. */
export function POST(request: Request, { params }: Context) {
  return handle(request, async () => {
    const { runId } = await params;
    const body = await readBody(request, forkRequest);
    const { run, config, created } = await getRunService().fork(runId, body, {
      idempotencyKey: idempotencyKey(request),
    });
    const reply: RunReply = { run, config };
    return Response.json(reply, {
      status: created ? 201 : 200,
      headers: { location: `/api/runs/${run.id}` },
    });
  });
}

/** The state at a fork point: the conversation, the pending reply, the memory. */
export function GET(request: Request, { params }: Context) {
  return handle(
    request,
    async () => {
      const { runId } = await params;
      return Response.json(await getRunService().stored.forkDraft(runId, placeOf(request)));
    },
    { query: ['seq', 'before_iteration', 'attempt', 'before_cycle', 'before_call', 'end'] },
  );
}

function placeOf(request: Request) {
  const number = (name: string) => wholeNumber(request, name, { min: 1, max: Number.MAX_SAFE_INTEGER });
  const seq = number('seq');
  const before_iteration = number('before_iteration');
  const before_cycle = number('before_cycle');
  if (seq !== undefined) return { seq };
  if (number('end') !== undefined) return { end: true as const };
  const before_call = new URL(request.url).searchParams.get('before_call');
  if (before_call) return { before_call };
  if (before_cycle !== undefined) return { before_cycle };
  if (before_iteration !== undefined) return { before_iteration, attempt: number('attempt') };
  throw new AppError({
    code: 'invalid_request',
    message: 'Set one of ?seq=, ?before_iteration=, ?before_cycle=, ?before_call= or ?end=1.',
  });
}

import { forkRequest } from '#lib/api/fork-run.ts';
import type { RunReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { handle, idempotencyKey, readBody, wholeNumber } from '#lib/http/handle.ts';
import { oneOf } from '#lib/http/query-choice.ts';

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
  const attempt = number('attempt');
  const before_cycle = number('before_cycle');
  const query = new URL(request.url).searchParams;
  const before_call = query.get('before_call') || undefined;
  const end = oneOf(query, 'end', ['1']);
  if (attempt !== undefined && before_iteration === undefined) {
    throw new AppError({ code: 'invalid_request', message: 'attempt needs before_iteration.' });
  }
  const places = [
    ...(seq === undefined ? [] : [{ seq }]),
    ...(before_iteration === undefined ? [] : [{ before_iteration, attempt }]),
    ...(before_cycle === undefined ? [] : [{ before_cycle }]),
    ...(before_call === undefined ? [] : [{ before_call }]),
    ...(end === undefined ? [] : [{ end: true as const }]),
  ];
  const [place] = places;
  if (place !== undefined && places.length === 1) return place;
  throw new AppError({
    code: 'invalid_request',
    message: 'Set one of ?seq=, ?before_iteration=, ?before_cycle=, ?before_call= or ?end=1.',
  });
}

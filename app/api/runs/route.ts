import { createRunRequest } from '#lib/api/create-run.ts';
import type { RunListReply, RunReply } from '#lib/api/replies.ts';
import { readRunFilter } from '#lib/api/run-filter.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { handle, idempotencyKey, readBody, wholeNumber } from '#lib/http/handle.ts';
import { pageStart, pageToken } from '#lib/http/page-token.ts';

export const dynamic = 'force-dynamic';

/** Starts a run and returns immediately (D3). */
export function POST(request: Request) {
  return handle(request, async () => {
    const body = await readBody(request, createRunRequest);
    const { run, config, created } = await getRunService().start(body, {
      idempotencyKey: idempotencyKey(request),
    });
    const reply: RunReply = { run, config };
    return Response.json(reply, {
      status: created ? 201 : 200,
      headers: { location: `/api/runs/${run.id}` },
    });
  });
}

/** Lists the runs page by page, newest first. */
export function GET(request: Request) {
  return handle(request, async () => {
    const limit = wholeNumber(request, 'limit', { min: 1, max: 200 }) ?? 50;
    const { filter, problems } = readRunFilter(new URL(request.url).searchParams);
    if (problems.length > 0) throw new AppError({ code: 'invalid_request', message: problems.join(' ') });
    // One extra row shows whether there is a next page.
    const found = await getRunService().stored.list({ limit: limit + 1, before: pageStart(request), filter });
    const runs = found.slice(0, limit);
    const last = runs.at(-1);
    const reply: RunListReply = { runs, next: found.length > limit && last ? pageToken(last) : undefined };
    return Response.json(reply);
  });
}

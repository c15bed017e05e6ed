import { createRunRequest } from '#lib/api/create-run.ts';
import type { RunListReply, RunReply } from '#lib/api/replies.ts';
import { RUN_FILTER_PARAMETERS, readRunFilter } from '#lib/api/run-filter.ts';
import { RUN_ORDER_PARAMETERS, readRunOrder } from '#lib/api/run-order.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { AppError } from '#lib/errors/app-error.ts';
import { handle, idempotencyKey, readBody, wholeNumber } from '#lib/http/handle.ts';
import { pageStart, pageToken } from '#lib/http/page-token.ts';
import { oneOf } from '#lib/http/query-choice.ts';

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

/** Lists runs page by page: filtered, sorted, and with one run per family if asked. */
export function GET(request: Request) {
  return handle(
    request,
    async () => {
      const limit = wholeNumber(request, 'limit', { min: 1, max: 200 }) ?? 50;
      const query = new URL(request.url).searchParams;
      const { filter, problems } = readRunFilter(query);
      const { order, problems: orderProblems } = readRunOrder(query);
      const all = [...problems, ...orderProblems];
      if (all.length > 0) throw new AppError({ code: 'invalid_request', message: all.join(' ') });
      const oneOfFamily = oneOf(query, 'group', ['family']) === 'family';
      if (oneOfFamily && order.by !== 'created') {
        throw new AppError({ code: 'invalid_request', message: 'group=family needs sort=created.' });
      }
      const { stored } = getRunService();
      const after = pageStart(request, order);
      // One extra row shows whether there is a next page.
      const found = await stored.list({ limit: limit + 1, after, filter, order, oneOfFamily });
      const runs = found.slice(0, limit);
      const last = runs.at(-1);
      const reply: RunListReply = {
        runs,
        ...(oneOfFamily ? { families: await stored.families(runs, filter) } : {}),
        next: found.length > limit && last ? pageToken(last, order) : undefined,
      };
      return Response.json(reply);
    },
    { query: ['limit', 'before', 'group', ...RUN_FILTER_PARAMETERS, ...RUN_ORDER_PARAMETERS] },
  );
}

import { checkedModel } from '#lib/api/model-check.ts';
import { getModelChecks } from '#lib/app/current-models.ts';
import { checked, handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** The stored check of a model, with the evidence of every probe. */
export function GET(request: Request) {
  return handle(
    request,
    async () => {
      const { model, digest } = checked(checkedModel, Object.fromEntries(new URL(request.url).searchParams));
      return Response.json(await getModelChecks().result(model, digest));
    },
    { query: ['model', 'digest'] },
  );
}

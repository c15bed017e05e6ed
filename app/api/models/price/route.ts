import { priceRequest } from '#lib/api/model-price.ts';
import { getModelPrices } from '#lib/app/current-models.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Sets the price of a model for new runs; `null` removes it. */
export function POST(request: Request) {
  return handle(request, async () => {
    const { model, price, base } = await readBody(request, priceRequest);
    return Response.json(await getModelPrices().set(model, price, base));
  });
}

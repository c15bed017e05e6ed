import { z } from 'zod';
import { type ModelPrice, modelPrice } from '../events/config.ts';

/** Body of `POST /api/models/price`; `null` removes the price. `base` is the price that was edited, `null` for none. */
export const priceRequest = z.strictObject({
  model: z.string().trim().min(1).max(300),
  price: modelPrice.nullable(),
  base: modelPrice.nullable().optional(),
});

export interface PriceReply {
  /** The full name, with tag. */
  model: string;
  price: ModelPrice | null;
}

import { z } from 'zod';
import { type ModelPrice, modelPrice } from '../events/config.ts';

/** Body of `POST /api/models/price`; `null` removes the price. */
export const priceRequest = z.strictObject({
  model: z.string().trim().min(1).max(300),
  price: modelPrice.nullable(),
});

export interface PriceReply {
  /** The full name, with tag. */
  model: string;
  price: ModelPrice | null;
}

import type { ModelPrice } from '../../events/config.ts';
import { formatUsd } from '../../util/format-usd.ts';
import { formatNumber } from '../../util/numbers.ts';

/** The fields of the price form. Both kinds keep their input when the user switches between them. */
export interface PriceDraft {
  readonly kind: ModelPrice['kind'];
  readonly input: string;
  readonly output: string;
  readonly watts: string;
  readonly kwh: string;
}

export type PriceProblems = Partial<Record<keyof PriceDraft, string>>;

/** The form of a model: filled in with its price, or empty. */
export function priceDraft(price: ModelPrice | undefined): PriceDraft {
  const empty = { kind: 'api' as const, input: '', output: '', watts: '', kwh: '' };
  if (!price) return empty;
  return price.kind === 'api'
    ? { ...empty, input: String(price.input_usd_per_million), output: String(price.output_usd_per_million) }
    : { ...empty, kind: 'electricity', watts: String(price.watts), kwh: String(price.usd_per_kwh) };
}

/** Reads the form: the price, or the problems by field. Pure. */
export function readPriceDraft(
  draft: PriceDraft,
): { ok: true; price: ModelPrice } | { ok: false; problems: PriceProblems } {
  const problems: PriceProblems = {};
  const number = (field: 'input' | 'output' | 'watts' | 'kwh', limits: { above?: number; max: number }) => {
    const text = draft[field].trim().replace(',', '.');
    const value = text === '' ? Number.NaN : Number(text);
    const { above, max } = limits;
    if (Number.isFinite(value) && value <= max && (above === undefined ? value >= 0 : value > above)) {
      return value;
    }
    const range = above === undefined ? 'from 0 to' : `above ${above}, at most`;
    problems[field] = `A number ${range} ${formatNumber(max)}.`;
    return 0;
  };
  let price: ModelPrice;
  if (draft.kind === 'api') {
    const input = number('input', { max: 1_000_000 });
    const output = number('output', { max: 1_000_000 });
    if (Object.keys(problems).length === 0 && input + output === 0) {
      problems.output = 'One of the two prices must be above 0.';
    }
    price = { kind: 'api', input_usd_per_million: input, output_usd_per_million: output };
  } else {
    const watts = number('watts', { above: 0, max: 1_000_000 });
    price = { kind: 'electricity', watts, usd_per_kwh: number('kwh', { above: 0, max: 1000 }) };
  }
  return Object.keys(problems).length > 0 ? { ok: false, problems } : { ok: true, price };
}

/** A price in words. */
export function priceWords(price: ModelPrice): string {
  return price.kind === 'api'
    ? `${formatUsd(price.input_usd_per_million)} in, ${formatUsd(price.output_usd_per_million)} out per million tokens`
    : `${formatNumber(price.watts)} W at ${formatUsd(price.usd_per_kwh)} per kWh`;
}

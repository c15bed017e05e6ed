import {
  BUDGET_LIMITS,
  DIVERSITY_LIMITS,
  formLimits,
  MODEL_OPTIONS,
  NUMBER_SETTINGS,
  type NumberFacts,
  REPLY_LIMITS,
} from '../../events/settings.ts';
import { formatNumber } from '../../util/numbers.ts';
import { keysOf } from '../../util/records.ts';

/** The numbers that a form takes as text, under the names they have in its draft. */
export const NUMBER_FIELDS = {
  ...NUMBER_SETTINGS,
  ...BUDGET_LIMITS,
  ...MODEL_OPTIONS,
  predict_first: REPLY_LIMITS.first,
  predict_second: REPLY_LIMITS.second,
  diversity_threshold: DIVERSITY_LIMITS.threshold,
  diversity_window: DIVERSITY_LIMITS.window,
} satisfies Record<string, NumberFacts>;
export type NumberFieldName = keyof typeof NUMBER_FIELDS;

export const NUMBER_FIELD_NAMES: readonly NumberFieldName[] = keysOf(NUMBER_FIELDS);

type ReadField = { ok: true; value: number | undefined } | { ok: false; problem: string };

/** Reads a field: the number in the unit of the API, `undefined` if it is empty, or what is wrong with it. */
export function readNumber(name: NumberFieldName, written: string): ReadField {
  if (written.trim() === '') return { ok: true, value: undefined };
  const facts: NumberFacts = NUMBER_FIELDS[name];
  const value = Number(written);
  const { min, max, whole } = formLimits(facts);
  if (!Number.isFinite(value) || value < min || value > max || (whole && !Number.isInteger(value))) {
    return {
      ok: false,
      problem: `${whole ? 'A whole number' : 'A number'} from ${min} to ${formatNumber(max)}.`,
    };
  }
  const { scale } = facts.form ?? {};
  if (scale === undefined) return { ok: true, value };
  return { ok: true, value: facts.whole ? Math.round(value * scale) : rounded(value * scale) };
}

/** A number in the unit of the API as text for its field; empty if there is none. */
export function writtenNumber(name: NumberFieldName, value: unknown): string {
  if (typeof value !== 'number') return value === undefined || value === null ? '' : String(value);
  const { form }: NumberFacts = NUMBER_FIELDS[name];
  return String(form?.scale === undefined ? value : rounded(value / form.scale));
}

/** The placeholder of an empty field: the value that then applies, if known. */
export function placeholderOf(name: NumberFieldName, usual: unknown): string {
  const { form }: NumberFacts = NUMBER_FIELDS[name];
  return form?.empty ?? writtenNumber(name, usual);
}

/** The label of a field with its unit. */
export function fieldLabel(name: NumberFieldName): { label: string; unit?: string } {
  const { label, unit, form }: NumberFacts = NUMBER_FIELDS[name];
  return { label, unit: (form?.unit ?? unit) || undefined };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

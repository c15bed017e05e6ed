import { BUDGET_LIMITS, type NumberFacts, SETTINGS } from '../events/settings.ts';

/** An option of "run" that sets one field, and the value it takes. */
export interface Flag extends Pick<NumberFacts, 'unit' | 'whole' | 'min'> {
  readonly flag: string;
  readonly field: string;
  readonly type: 'number' | 'switch' | 'choice' | 'other';
  readonly options?: readonly string[];
  readonly isList?: true;
  readonly isJson?: true;
}

function flagsOf(declared: Readonly<Record<string, Partial<Omit<Flag, 'field'>>>>): Flag[] {
  return Object.entries(declared).flatMap(([field, { flag, type = 'number', ...facts }]) =>
    flag === undefined ? [] : [{ ...facts, flag, field, type }],
  );
}

export const SETTING_FLAGS = flagsOf(SETTINGS);
export const BUDGET_FLAGS = flagsOf(BUDGET_LIMITS);

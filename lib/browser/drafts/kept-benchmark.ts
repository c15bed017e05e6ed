import { CATEGORIES, type Category } from '../../api/benchmark-categories.ts';
import { keysOf } from '../../util/records.ts';
import { isSwitch, isText, type KeptFields, listOf, oneOf } from './kept-fields.ts';

/** A new benchmark as the form holds it. */
export interface BenchmarkDraft {
  categories: readonly Category[];
  models: readonly string[];
  /** Cases of each category; empty for all. */
  limit: string;
  think: boolean;
}

export const KEPT_BENCHMARK: KeptFields<BenchmarkDraft> = {
  categories: listOf(oneOf(keysOf(CATEGORIES))),
  models: listOf(isText),
  limit: isText,
  think: isSwitch,
};

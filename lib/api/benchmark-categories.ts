/** The language of a category's functions: it decides how values are written and compared. */
type Language = 'python' | 'java' | 'javascript';

interface CategoryFacts {
  readonly label: string;
  readonly language: Language;
  /** `one`, `chosen`: one call, of the only or of the right function; `several`: calls in any order; `none`, `some`: whether to call. */
  readonly expects: 'one' | 'chosen' | 'several' | 'none' | 'some';
}

/**
 * The single-turn categories of the Berkeley Function Calling Leaderboard, in its order. The files of a category are named
 * after it.
 *
 * @see `bfcl_eval/constants/category_mapping.py` in the Python package `bfcl-eval` 2026.3.23
 */
export const CATEGORIES = {
  simple_python: { label: 'Simple (Python)', language: 'python', expects: 'one' },
  simple_java: { label: 'Simple (Java)', language: 'java', expects: 'one' },
  simple_javascript: { label: 'Simple (JavaScript)', language: 'javascript', expects: 'one' },
  multiple: { label: 'Multiple', language: 'python', expects: 'chosen' },
  parallel: { label: 'Parallel', language: 'python', expects: 'several' },
  parallel_multiple: { label: 'Parallel multiple', language: 'python', expects: 'several' },
  irrelevance: { label: 'Irrelevance', language: 'python', expects: 'none' },
  live_simple: { label: 'Live simple', language: 'python', expects: 'one' },
  live_multiple: { label: 'Live multiple', language: 'python', expects: 'chosen' },
  live_parallel: { label: 'Live parallel', language: 'python', expects: 'several' },
  live_parallel_multiple: { label: 'Live parallel multiple', language: 'python', expects: 'several' },
  live_irrelevance: { label: 'Live irrelevance', language: 'python', expects: 'none' },
  live_relevance: { label: 'Live relevance', language: 'python', expects: 'some' },
} as const satisfies Record<string, CategoryFacts>;

export type Category = keyof typeof CATEGORIES;

export const CATEGORY_NAMES = Object.keys(CATEGORIES).filter(isCategory);

function isCategory(name: string): name is Category {
  return Object.hasOwn(CATEGORIES, name);
}

/** Whether a category has a file of possible answers. */
export function hasAnswers(category: Category): boolean {
  const { expects } = CATEGORIES[category];
  return expects !== 'none' && expects !== 'some';
}

import type { TimelineRow } from '../../events/timeline.ts';
import { plainWord } from '../../util/search-words.ts';
import { MAX_FETCHED_CHARS } from '../content/limits.ts';
import type { WholeTexts } from '../stream/whole-texts.ts';
import { cutsOf, textOf } from './search-rows.ts';

/** What a search of the texts that arrived truncated found. */
export interface CutTextsFound {
  /** The keys of the rows that contain all words of the query. */
  readonly rows: ReadonlySet<string>;
  /** Number of texts that are too long to be fetched. */
  readonly skipped: number;
}

/**
 * Fetches the truncated texts of rows in full, one after the other so that only one is held, and searches them.
 *
 * @param words from `queryWords`
 * @throws {ApiError}
 */
export async function searchCutTexts(
  rows: readonly TimelineRow[],
  words: readonly string[],
  whole: Pick<WholeTexts, 'value'>,
): Promise<CutTextsFound> {
  const found = new Set<string>();
  let skipped = 0;
  for (const row of rows) {
    let missing = words.filter((word) => !textOf(row).includes(word));
    for (const { seq, path, chars } of cutsOf(row)) {
      if (chars > MAX_FETCHED_CHARS) {
        skipped += 1;
      } else if (missing.length > 0) {
        const text = plainWord(String(await whole.value(seq, path)));
        missing = missing.filter((word) => !text.includes(word));
      }
    }
    if (missing.length === 0) found.add(row.key);
  }
  return { rows: found, skipped };
}

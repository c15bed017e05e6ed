import { MAX_TAG_CHARS } from '../../events/limits.ts';
import { textStart } from '../../util/short-text.ts';

/** The tags in a text with commas between them, each cut to its greatest length. Pure. */
export function typedTags(text: string): string[] {
  return text
    .split(',')
    .map((tag) => textStart(tag.trim(), MAX_TAG_CHARS))
    .filter(Boolean);
}

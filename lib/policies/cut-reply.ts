import type { RunState } from '../events/run-state.ts';
import { plural } from '../util/numbers.ts';

type CutReply = Pick<RunState, 'config' | 'lastCall' | 'lastCallLimit' | 'lastReplyCut' | 'retries'>;

/** Where the last reply was cut off, after "The reply was": `cut off at the reply limit of 4,096 tokens`. */
export function cutWords({ config, lastCall, lastCallLimit, retries }: CutReply): string {
  const again = retries.length > 0;
  const limit = lastCallLimit ?? config?.num_predict[again ? 1 : 0] ?? 0;
  const tokens = lastCall?.reply_tokens ?? limit;
  const why =
    tokens < limit
      ? `after ${plural(tokens, 'token')} because the window was full`
      : `at the reply limit of ${plural(tokens, 'token')}`;
  return `cut off ${why}${again ? ', the second time in a row' : ''}`;
}

/** A note on empty replies, if the last of them was cut off; otherwise empty. */
export function cutNote(state: CutReply): string {
  return state.lastReplyCut ? ` The last reply was ${cutWords(state)}.` : '';
}

/** What to do about empty replies. @param otherwise unless the last of them was cut off */
export function emptyReplyHint({ lastReplyCut }: Pick<CutReply, 'lastReplyCut'>, otherwise: string): string {
  return lastReplyCut
    ? 'Raise the reply limit or the window, turn thinking off, or try another model.'
    : otherwise;
}

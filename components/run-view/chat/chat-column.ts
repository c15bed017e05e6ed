import { cx } from '../../ui/cx.ts';

/** The frame of an item of the chat, in line with the rows that a fold unfolds to. */
export function chatColumn(atCursor: boolean): string {
  return cx(
    'group/row relative mx-auto max-w-page scroll-my-4 px-3 outline-offset-[-2px] sm:px-6 md:pl-20',
    atCursor && 'bg-brass-wash/60',
  );
}

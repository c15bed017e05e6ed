import { DURATION_HINT } from '#lib/browser/words/duration-hint.ts';
import { FIGURE_WORDS } from '#lib/browser/words/figure-words.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { cx } from '../ui/cx.ts';

/** Text columns are left-aligned, number columns right-aligned. */
export function HeadRow({
  words,
  wide = [],
  figures,
}: {
  words: readonly string[];
  /** Those of the text columns that a phone has no room for. */
  wide?: readonly string[];
  figures: readonly string[];
}) {
  return (
    <tr className="border-b border-line-strong text-left">
      {words.map((name) => (
        <th
          key={name}
          scope="col"
          className={cx('caption py-1.5 pr-4 font-normal', wide.includes(name) && 'max-sm:hidden')}
        >
          {name}
        </th>
      ))}
      {figures.map((name) => (
        <th
          key={name}
          scope="col"
          title={name === FIGURE_WORDS.seconds.label ? DURATION_HINT : undefined}
          className="caption py-1.5 pl-4 text-right font-normal"
        >
          {name}
        </th>
      ))}
    </tr>
  );
}

/** `3 of 4`, or another text for it, with a bar for the share; `none` if the total is 0. */
export function Share({
  count,
  of,
  words,
  none = '–',
}: {
  count: number;
  of: number;
  words?: string;
  none?: string;
}) {
  return (
    <td className="py-1.5 pl-4 text-right font-mono text-xs whitespace-nowrap">
      {of === 0 ? (
        none
      ) : (
        <>
          {words ?? `${formatCount(count)} of ${formatCount(of)}`}
          <svg
            viewBox="0 0 100 2"
            preserveAspectRatio="none"
            className="mt-0.5 h-0.5 w-full"
            aria-hidden="true"
          >
            <rect width="100" height="2" className="fill-line" />
            <rect
              width={(count / of) * 100}
              height="2"
              className={count === of ? 'fill-ok' : 'fill-brass-fill'}
            />
          </svg>
        </>
      )}
    </td>
  );
}

import { Fragment } from 'react';
import { ForeignText } from './foreign-text.tsx';

/** Untrusted text with highlighted ranges, which are sorted and do not overlap. */
export function MarkedText({
  text,
  ranges,
}: {
  text: string;
  ranges: readonly (readonly [from: number, to: number])[];
}) {
  if (ranges.length === 0) return <ForeignText text={text} />;
  return ranges.map(([from, to], index) => (
    <Fragment key={from}>
      <ForeignText text={text.slice(index === 0 ? 0 : ranges[index - 1]?.[1], from)} />
      <mark className="rounded-[2px] bg-brass-wash font-medium text-ink shadow-[inset_0_-1.5px_0_var(--brass-fill)]">
        <ForeignText text={text.slice(from, to)} />
      </mark>
      {index === ranges.length - 1 && <ForeignText text={text.slice(to)} />}
    </Fragment>
  ));
}

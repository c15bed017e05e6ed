import type { RunFamily } from '#lib/api/run-family.ts';
import { plural } from '#lib/browser/words/format.ts';
import { OUTCOMES, outcomeRank } from '#lib/events/outcome.ts';
import { keysOf } from '#lib/util/records.ts';
import { cx } from '../ui/cx.ts';
import { toneDot, toneText } from '../ui/tone.ts';

/** How the runs of a family ended: the best and the worst outcome, and how many had each. */
export function FamilyOutcomes({ family }: { family: RunFamily }) {
  const kinds = keysOf(family.outcomes).sort((a, b) => outcomeRank(b) - outcomeRank(a));
  const [best] = kinds;
  const worst = kinds.length > 1 ? kinds.at(-1) : undefined;
  return (
    <span className="min-w-0 text-sm font-medium">
      {family.active > 0 && <span className="block text-brass">{`${family.active} active`}</span>}
      {[best, worst].map(
        (kind) =>
          kind && (
            <span key={kind} className={cx('flex items-baseline gap-1.5', toneText[OUTCOMES[kind].tone])}>
              <span
                className={cx('size-2 shrink-0 rounded-full', toneDot[OUTCOMES[kind].tone])}
                aria-hidden="true"
              />
              {`${family.outcomes[kind]} ${OUTCOMES[kind].label.toLowerCase()}`}
            </span>
          ),
      )}
      {kinds.length > 2 && (
        <span className="block text-xs font-normal text-ink-3">{`and ${plural(kinds.length - 2, 'other outcome')}`}</span>
      )}
    </span>
  );
}

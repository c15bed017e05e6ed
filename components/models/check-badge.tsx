import type { InstalledCheck } from '#lib/api/model-check.ts';
import { badgeWords, checkTone } from '#lib/browser/words/check-words.ts';
import { Badge } from '../ui/badge.tsx';

/** The result of a model check as a badge; outdated results look different. */
export function CheckBadge({ check }: { check: InstalledCheck }) {
  const { outdated } = check;
  return (
    <Badge tone={outdated ? undefined : checkTone(check)} title={titleOf(check)} className="tnum">
      {badgeWords(check)}
      {outdated && <span className="font-normal">{outdatedWords(outdated)}</span>}
    </Badge>
  );
}

/** Labels for outdated results. */
function outdatedWords(outdated: NonNullable<InstalledCheck['outdated']>): string {
  return outdated === 'model' ? 'older version' : 'older probes';
}

function titleOf({ passed, failed, unknown, calls, outdated }: InstalledCheck): string {
  const judged = unknown > 0 ? `, ${unknown} could not be judged` : '';
  const of = outdated
    ? ` From ${outdated === 'model' ? 'an older version of the model' : 'older probes'}.`
    : '';
  return `Model Check: ${passed} of ${passed + failed + unknown} probes passed${judged}; ${calls} calls were read.${of}`;
}

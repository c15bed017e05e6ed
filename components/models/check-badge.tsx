import type { InstalledCheck } from '#lib/api/model-check.ts';
import { badgeWords, checkTone } from '#lib/browser/words/check-words.ts';
import { Badge } from '../ui/badge.tsx';

/** What a check of a model brought, in a few characters; that of another version is told apart. */
export function CheckBadge({ check }: { check: InstalledCheck }) {
  const { outdated } = check;
  return (
    <Badge tone={outdated ? undefined : checkTone(check)} title={titleOf(check)} className="tnum">
      {badgeWords(check)}
      {outdated && <span className="font-normal">{outdatedWords(outdated)}</span>}
    </Badge>
  );
}

/** In a word or two, what an old result is of. */
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

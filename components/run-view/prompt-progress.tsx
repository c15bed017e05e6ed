'use client';

import { useMemo } from 'react';
import { promptEstimate, promptShare } from '#lib/browser/state/prompt-estimate.ts';
import { formatCount, formatPercent } from '#lib/browser/words/format.ts';
import type { CallRow } from '#lib/events/timeline.ts';
import { useNow } from '../hooks/use-now.ts';
import { useRun } from './run-context.tsx';

/**
 * How far an open call has read its prompt, estimated from earlier calls; empty if there is no estimate.
 *
 * @param lead text before it, for use within a line of text, without a bar
 */
export function PromptProgress({ row, lead }: { row: CallRow; lead?: string }) {
  const timeline = useRun((view) => view.timeline);
  const estimate = useMemo(() => promptEstimate(timeline, row), [timeline, row]);
  const now = useNow(estimate !== undefined);
  if (!estimate || now === 0) return null;
  const share = promptShare(estimate, now - row.at);
  return (
    <span
      className="inline-flex items-baseline gap-2"
      title={`Estimated from the speed of earlier calls: about ${formatCount(estimate.tokens)} tokens to read`}
    >
      {lead === undefined && (
        <progress
          className="h-1 w-14 self-center accent-brass-fill print:hidden"
          aria-label="Prompt read, estimated"
          value={share}
        />
      )}
      <span suppressHydrationWarning>
        {lead}about {formatPercent(share)}
      </span>
    </span>
  );
}

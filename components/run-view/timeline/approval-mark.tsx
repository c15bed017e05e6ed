'use client';

import { coveredWords, standingWords } from '#lib/browser/words/approval-words.ts';
import type { ToolRow } from '#lib/events/timeline.ts';
import { Badge } from '../../ui/badge.tsx';
import { EventLink } from '../../ui/event-link.tsx';
import { useRun } from '../run-context.tsx';
import { useOperatorWord, useRunScreen } from '../screen-context.ts';

/** Who let a call run: the operator, with or without changes, or an earlier approval, with a link to it. */
export function ApprovalMark({ row }: { row: ToolRow }) {
  const operator = useOperatorWord();
  const standing = standingWords(row);
  if (standing) return <StandingMark standing={standing} />;
  if (row.decided?.decision === 'edited') {
    return (
      <Badge tone="warn" title="It ran with edited arguments, not with those the model wrote">
        edited by {operator}
      </Badge>
    );
  }
  if (row.decided?.decision !== 'approved') return null;
  return (
    <Badge>
      approved by {operator}
      {coveredWords(row)}
    </Badge>
  );
}

function StandingMark({ standing }: { standing: NonNullable<ReturnType<typeof standingWords>> }) {
  const ownId = useRun((view) => view.run.runId);
  const { goTo, server } = useRunScreen();
  const { text, seq, runId = ownId } = standing;
  return (
    <Badge title="It ran without asking, because of an earlier approval">
      {text}{' '}
      {runId === ownId ? (
        <EventLink seq={seq} onGo={goTo} className="tnum">
          #{seq}
        </EventLink>
      ) : server ? (
        <a
          href={`/runs/${encodeURIComponent(runId)}#${seq}`}
          className="tnum text-brass underline decoration-brass-line underline-offset-2"
        >
          #{seq} of another run
        </a>
      ) : (
        `#${seq} of another run`
      )}
    </Badge>
  );
}

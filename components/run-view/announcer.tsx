'use client';

import { useEffect } from 'react';
import { announce } from '#lib/browser/say.ts';
import type { RunView } from '#lib/browser/state/run-view.ts';
import { endWords } from '#lib/browser/words/end-words.ts';
import { stepName, waitingWords } from '#lib/browser/words/mode-words.ts';
import type { OperatorWord } from '#lib/browser/words/operator-word.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { RunState } from '#lib/events/run-state.ts';
import { summarize } from '#lib/events/summarize.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { useRunSource } from './run-context.tsx';
import { useOperatorWord } from './screen-context.ts';

/** Announces boundaries to screen readers, never tokens: iterations, turns, cycles, failures, policy decisions, the end. */
export function Announcer() {
  const store = useRunSource();
  const operator = useOperatorWord();
  useEffect(() => {
    const newsOf = announcing(operator);
    const tell = (view: RunView, before: RunView) => {
      const news = newsOf(view, before);
      if (news) announce(news);
    };
    // The run may have been received before this was shown.
    const now = store.view.getState();
    tell(now, { ...now, connection: { ...now.connection, status: 'connecting' } });
    return store.view.subscribe(tell);
  }, [store, operator]);
  return null;
}

/** Returns a function that says what to announce after a change of the view. */
function announcing(operator: OperatorWord): (view: RunView, before: RunView) => string | undefined {
  let wasLive = false;
  let wasLost = false;
  return (view, before) => {
    const { status } = view.connection;
    wasLive ||= before.connection.status === 'live';
    if (status !== before.connection.status) {
      if (status === 'reconnecting' || status === 'offline') {
        wasLost = true;
        return status === 'offline' ? 'The server does not answer.' : 'Connection lost, reconnecting.';
      }
      const isBack = status === 'live' && wasLost;
      if (status === 'live') wasLost = false;
      // Pending approvals are announced however old they are.
      if (status === 'live' && view.run.phase === 'awaiting-approval') {
        return view.run.mcpRequests.open
          ? `A server asks ${operator} something.`
          : `A call waits for ${approval(operator)}.`;
      }
      if (isBack) return 'Connected again.';
    }
    if (before.connection.status === 'live') return newsIn(view, before, operator);
    // Events from before the page was opened are not announced. Of those from a break, the end is.
    const ended = wasLive && before.run.phase !== 'ended' ? view.timeline.rows.at(-1) : undefined;
    return ended?.kind === 'end' ? speak(ended, undefined, { run: view.run, operator }) : undefined;
  };
}

function approval(operator: OperatorWord): string {
  return operator === 'you' ? 'your approval' : 'approval';
}

/** What to announce about an update of a connected page. */
function newsIn(view: RunView, before: RunView, operator: OperatorWord): string | undefined {
  // A short turn may begin and end within one update.
  const { phase, iteration, config } = view.run;
  if (phase === 'awaiting-message' && (before.run.phase !== phase || before.run.iteration !== iteration)) {
    return waitingWords(config?.mode, operator).waits;
  }
  if (view.timeline === before.timeline) return undefined;
  const rows = view.timeline.rows;
  const said = rows
    .slice(Math.max(0, before.timeline.rows.length - 8))
    .flatMap((row, offset) => {
      const index = Math.max(0, before.timeline.rows.length - 8) + offset;
      return before.timeline.rows[index] === row
        ? []
        : [speak(row, before.timeline.rows[index], { run: view.run, operator })];
    })
    .filter((sentence) => sentence !== undefined);
  return said.at(-1);
}

function speak(
  row: TimelineRow,
  before: TimelineRow | undefined,
  { run: { config, outcome }, operator }: { run: RunState; operator: OperatorWord },
): string | undefined {
  switch (row.kind) {
    case 'iteration':
      return before ? undefined : `${stepName(config?.mode, row)}.`;
    case 'tool':
      if (row.status === 'awaiting approval')
        return `${shortLine(row.name)} waits for ${approval(operator)}.`;
      if (row.status === 'awaiting answer' && before?.kind === 'tool' && before.status !== row.status) {
        return `${shortLine(row.name)} asks ${operator} something.`;
      }
      return row.status === 'failed' ? `${shortLine(row.name)} failed.` : undefined;
    case 'policy':
      return row.event.type === 'policy.nudged' ? 'The model was nudged.' : undefined;
    case 'server-wait':
      return row.ended ? summarize(row.ended) : 'Ollama is down. The run waits for it.';
    case 'stop':
      return 'Stop requested.';
    case 'end':
      return outcome && `Run ended: ${endWords(outcome).title}.`;
    default:
      return undefined;
  }
}

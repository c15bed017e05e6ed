import { stepName } from '#lib/browser/words/mode-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { RunMode } from '#lib/events/config.ts';
import { summarize } from '#lib/events/summarize.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';

/** A short description of a row, for links and screen readers. */
export function rowWords(row: TimelineRow, mode: RunMode | undefined): string {
  switch (row.kind) {
    case 'created':
      return 'Task';
    case 'forked':
      return 'Forked here';
    case 'preparation':
      return 'Preparation';
    case 'attempt':
      return row.attempt > 1 ? `Attempt ${row.attempt} begins` : 'Conversation begins';
    case 'iteration':
      return stepName(mode, row);
    case 'call':
      return `Model call ${row.call}`;
    case 'tool':
      return shortLine(row.name, 60);
    case 'policy':
      return policyWords(row.event.type);
    case 'note':
      return summarize(row.event);
    case 'verification':
      return `Checks of attempt ${row.attempt}`;
    case 'stop':
      return 'Stop requested';
    case 'resumed':
      return row.event.after_wait ? 'Continued' : 'Interrupted and resumed';
    case 'server-wait':
      return row.ended ? 'Wait for Ollama' : 'Waiting for Ollama';
    case 'end':
      return 'End of the run';
  }
}

function policyWords(type: Extract<TimelineRow, { kind: 'policy' }>['event']['type']): string {
  switch (type) {
    case 'answer.checked':
      return 'Answer checked';
    case 'policy.nudged':
      return 'Nudge';
    case 'policy.retried':
      return 'Retry';
    case 'policy.compacted':
      return 'Older results shortened';
    case 'policy.warned':
      return 'Note';
    case 'budget.checked':
      return 'Budget check';
  }
}

import type { RunSummary } from '../api/run-summary.ts';
import { plainVisibleText } from '../browser/visible-text.ts';
import { reasonWords, VERIFICATION_WORDS } from '../browser/words/end-words.ts';
import { formatOffset } from '../browser/words/format.ts';
import type { RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { summarize } from '../events/summarize.ts';
import { shortText } from '../util/short-text.ts';

const MAX_ARGUMENT_CHARS = 100;

/**
 * What a terminal shows of an event: lines that each fit a glance, or none for events that only mark a step. Text of
 * models and tools is made harmless: no control character reaches the terminal. Pure.
 *
 * @param state the state with the event folded in
 */
export function linesOf(event: RunEvent, state: RunState): string[] {
  const sentence = sentenceOf(event, state);
  if (sentence === undefined) return [];
  const offset = formatOffset(event.at - state.createdAt).padStart(8);
  return [`${offset}  ${plainVisibleText(sentence)}`];
}

function sentenceOf(event: RunEvent, state: RunState): string | undefined {
  switch (event.type) {
    case 'iteration.started': {
      const limit = state.config?.max_iterations;
      const word = { task: 'Iteration', session: 'Turn', explore: 'Step' }[state.config?.mode ?? 'task'];
      return `${word} ${event.iteration}${limit ? ` of ${limit}` : ''}`;
    }
    case 'tool-call.started': {
      const call = state.reply?.calls.find(({ callId }) => callId === event.call_id);
      const args = call ? shortText(JSON.stringify(call.arguments), MAX_ARGUMENT_CHARS) : '';
      return `  ${event.tool} ${args}`;
    }
    case 'tool-call.ended':
    case 'tool-call.interrupted':
    case 'reply.parsed':
    case 'model-call.failed':
      return `  ${summarize(event)}`;
    // What the model does between these is told by its reply and its calls.
    case 'run.created':
    case 'run.started':
    case 'attempt.started':
    case 'model-call.started':
    case 'model-call.ended':
    case 'budget.checked':
    case 'turn.ended':
    case 'run.ended':
      return undefined;
    default:
      return summarize(event);
  }
}

/** The line that a finished run leaves: reason, figures and the sentence of the harness. */
export function endLine(run: RunSummary): string {
  const reason = run.termination_reason;
  const words = reason === undefined ? 'Not ended' : reasonWords(reason, run.mode).title;
  const checks = run.verification ? `${VERIFICATION_WORDS[run.verification].label.toLowerCase()}, ` : '';
  const spent = `${run.iterations_used} ${run.iterations_used === 1 ? 'iteration' : 'iterations'}, ${run.tokens_in + run.tokens_out} tokens`;
  const message = run.message === undefined ? '' : ` ${plainVisibleText(run.message)}`;
  return `${words} (${reason ?? run.phase}; ${checks}${spent}).${message}`;
}

/** The run list as columns. */
export function listLines(runs: readonly RunSummary[]): string[] {
  const rows = runs.map((run) => [
    run.id,
    run.phase === 'ended' ? (run.termination_reason ?? 'ended') : run.phase,
    run.model,
    shortText(run.title.replace(/\s+/g, ' '), 60),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    plainVisibleText(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).trimEnd(),
  );
}

import type { Preset } from '../api/preset.ts';
import type { RunSummary } from '../api/run-summary.ts';
import { endWords } from '../browser/words/end-words.ts';
import { formatOffset, formatTokens } from '../browser/words/format.ts';
import { extentWords, progressOf } from '../browser/words/mode-words.ts';
import { runStateWords } from '../browser/words/run-state-words.ts';
import { plainVisibleLine, plainVisibleText, shortLine } from '../browser/words/visible-text.ts';
import { namedAutoRunFiles } from '../events/auto-run-files.ts';
import { argumentsToRun } from '../events/call-arguments.ts';
import { modeFacts } from '../events/modes.ts';
import { noticesOf } from '../events/notices.ts';
import { checksBeside } from '../events/outcome.ts';
import { type RunEvent, runEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import { isInSummary, stepOf } from '../events/step-of.ts';
import { summarize } from '../events/summarize.ts';
import { formatUsd } from '../util/format-usd.ts';
import { shortMiddle, shortText } from '../util/short-text.ts';
import { tableLines } from './table.ts';

const MAX_ARGUMENT_CHARS = 100;
const MAX_TEXT_CHARS = 200;
const MAX_CELL_CHARS = 60;
const MAX_AUTO_RUN_FILES = 5;

/**
 * The terminal lines of an event: short ones, or none for events that only mark a step. Text of models and tools is
 * cleaned of control characters. Pure.
 *
 * @param state the state after the event
 * @param options.textIsShown whether the text of the reply was printed while the model wrote it
 */
export function linesOf(event: RunEvent, state: RunState, { textIsShown = false } = {}): string[] {
  // A server of another version may send types and values that have no sentence here.
  const sentence = runEvent.safeParse(event).success ? sentenceOf(event, state) : unknownSentence(event);
  if (sentence === undefined) return [];
  if (textIsShown && event.type === 'reply.parsed' && event.outcome === 'final_answer') return [];
  const offset = formatOffset(event.at - state.createdAt).padStart(8);
  const said = event.type === 'model-call.failed' ? (event.visible_text ?? event.partial_text ?? '') : '';
  const kept =
    textIsShown || said.trim() === ''
      ? []
      : [`  Text so far: ${shortText(said.replace(/\s+/g, ' '), MAX_TEXT_CHARS)}`];
  return [sentence, ...kept].map((line) => `${offset}  ${plainVisibleLine(line)}`);
}

/**
 * Prints a notice of the run, such as `[tool] read_file(…)`. Continuation lines are indented, so that they cannot pass
 * for other notices.
 */
export function noticeLine(text: string): string {
  return plainVisibleText(text).replaceAll('\n', '\n    ');
}

function unknownSentence({ type, seq }: RunEvent): string {
  return `Event #${seq} (${shortText(type, MAX_CELL_CHARS)}) is from another version of Loupe and is not shown`;
}

function sentenceOf(event: RunEvent, state: RunState): string | undefined {
  // Printed elsewhere, as a notice or as the model's text.
  if (noticesOf(event, state).length > 0) return undefined;
  if (event.type === 'reply.parsed' && modeFacts(state.config?.mode).isConversation) return undefined;
  switch (event.type) {
    case 'iteration.started': {
      const { step, endsBy, hasTurns } = modeFacts(state.config?.mode);
      const limit = endsBy === 'max_iterations' ? state.config?.max_iterations : undefined;
      if (isInSummary(state)) return 'Summary for the handover';
      return `${step} ${hasTurns ? stepOf(state) : event.iteration}${limit ? ` of ${limit}` : ''}`;
    }
    case 'tool-call.started': {
      const call = state.reply?.calls.find(({ callId }) => callId === event.call_id);
      const args = call ? shortText(JSON.stringify(argumentsToRun(state, call)), MAX_ARGUMENT_CHARS) : '';
      return `  ${event.tool} ${args}`;
    }
    case 'tool-call.ended':
    case 'tool-call.interrupted':
    case 'reply.parsed':
    case 'model-call.failed':
      return `  ${summarize(event)}`;
    // Covered by the reply and its calls.
    case 'run.created':
    case 'run.started':
    case 'attempt.started':
    case 'model-call.started':
    case 'model-call.ended':
    case 'budget.checked':
    case 'turn.ended':
    case 'run.ended':
      return undefined;
    case 'run.resumed':
      // After a wait this happens with every message, and is of no interest to a person.
      return event.after_wait ? undefined : summarize(event);
    default:
      return summarize(event);
  }
}

/** The last line of a finished run: outcome, figures and the log's message. */
export function endLine(run: RunSummary): string {
  const { outcome, tokens_in: read, tokens_out: written } = run;
  const words = outcome ? endWords(outcome).title : runStateWords(run).label;
  const figures = [
    outcome && checksBeside(outcome)?.label,
    extentWords(run.mode, progressOf(run)),
    `${formatTokens(read + written, run.tokens_estimated ? 1 : 0)} tokens`,
    run.cost_usd === undefined ? undefined : formatUsd(run.cost_usd),
  ].filter((figure) => figure !== undefined);
  // "The model answered in iteration 3." says no more than the rest of the line.
  const message = run.message?.startsWith(words) ? undefined : run.message;
  return `${words} (${figures.join(', ')}).${message === undefined ? '' : ` ${plainVisibleLine(message)}`}`;
}

/**
 * A warning to read the auto-run files of the run, which other programs execute or load, before using the workspace;
 * `undefined` if there are none.
 */
export function autoRunLine({ autoRunFiles }: RunState): string | undefined {
  const { files, more } = namedAutoRunFiles(autoRunFiles, MAX_AUTO_RUN_FILES);
  if (files.length === 0) return undefined;
  const paths = files.map(({ path }) => shortMiddle(plainVisibleLine(path), MAX_CELL_CHARS)).join(', ');
  return `Auto-run files written: ${paths}${more > 0 ? ` and ${more} more` : ''}. Check them before you work in this folder.`;
}

/**
 * The run list in columns.
 *
 * @param columns the width of the terminal; default: no limit
 */
export function listLines(runs: readonly RunSummary[], columns?: number): string[] {
  const rows = runs.map((run) =>
    [
      run.id,
      runStateWords(run).label,
      run.model,
      [...(run.annotations?.tags ?? []).map((tag) => `#${tag}`), run.title.replace(/\s+/g, ' ')].join(' '),
    ].map((cell) => shortLine(cell, MAX_CELL_CHARS)),
  );
  return tableLines(rows, { columns, shortensLast: true });
}

/**
 * The presets in columns: name, model, placeholders.
 *
 * @param columns the width of the terminal; default: no limit
 */
export function presetLines(presets: readonly Preset[], columns?: number): string[] {
  const rows = presets.map(({ name, run, placeholders }) => [
    name,
    run.model ?? '(no model)',
    placeholders.map((each) => `{${each}}`).join(' '),
  ]);
  return tableLines(rows, { columns });
}

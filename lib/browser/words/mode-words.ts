import type { RunSummary } from '../../api/run-summary.ts';
import type { RunConfig, RunMode } from '../../events/config.ts';
import { kindFacts, kindOf, modeFacts, type RunKind } from '../../events/modes.ts';
import type { Outcome } from '../../events/termination.ts';
import type { RowBase } from '../../events/timeline.ts';
import { plural } from '../../util/numbers.ts';
import type { OperatorWord } from './operator-word.ts';

type Named = Pick<RunConfig, 'mode' | 'agentic' | 'task' | 'title'>;

/** The texts about a kind of run, besides its label. */
interface KindWords {
  readonly hint: string;
  readonly start: string;
  /** The field of its task or first message, if it has one. */
  readonly task?: {
    readonly label: string;
    readonly example?: string;
    /** The problem when a required one is empty. */
    readonly missing?: string;
  };
  /** The label of this field where an experiment is planned. */
  readonly experimentTask?: string;
  readonly experimentHint?: string;
  /** In place of the task where a run has none. */
  readonly noTask: string;
  /** When a message to a running agent is read. */
  readonly whenRead: string;
  /** How an ended run continues with what a person adds, unless `goOnWords` has other words for its outcome. */
  readonly goOn: { readonly button: string; readonly label: string };
  /** The log in the format of the mode, if it has one. */
  readonly log?: { readonly name: string; readonly holds: string };
}

const MESSAGE = { button: 'Continue with a message', label: 'What do you want to say?' };
const NO_FIRST_MESSAGE = 'No first message: the model starts on its own.';

export const KIND_WORDS: Readonly<Record<RunKind, KindWords>> = {
  task: {
    hint: 'Works with tools until the task is done',
    start: 'Start run',
    task: {
      label: 'What should the agent do?',
      example: 'Read the reports in this folder and write a summary to summary.md.',
    },
    experimentTask: 'Task',
    noTask: NO_FIRST_MESSAGE,
    whenRead: 'Read before the next iteration.',
    goOn: { button: 'Continue with a hint', label: 'What should it know?' },
  },
  session: {
    hint: 'A conversation with tools: it waits for you after each answer',
    start: 'Start session',
    task: { label: 'First message (optional)' },
    experimentTask: 'First message (optional)',
    experimentHint: 'The session continues on its own, and ends at the limits of autopilot.',
    noTask: 'No first message.',
    whenRead: 'Read after the current turn.',
    goOn: MESSAGE,
    log: { name: 'Session log', holds: 'Messages, calls and results, as JSON Lines.' },
  },
  explore: {
    hint: 'No task: cycles of thought with a memory',
    start: 'Start exploration',
    noTask: 'No task: the model has a memory and explores freely.',
    whenRead: 'Read when the agent next writes to you.',
    goOn: MESSAGE,
    log: { name: 'Exploration log', holds: 'Every prompt, reply and tool call by cycle, as JSON Lines.' },
  },
  prompt: {
    hint: 'One answer, no tools',
    start: 'Ask',
    task: { label: 'What do you want to know?', missing: 'Say what you want to know.' },
    experimentTask: 'Prompt',
    noTask: NO_FIRST_MESSAGE,
    whenRead: 'Read before the next iteration.',
    goOn: MESSAGE,
  },
};

const FOLLOW_UP = { button: 'Follow up', label: 'What should it do next?' };

/** How an ended run continues with what a person adds: a task that is done needs no hint. */
export function goOnWords(kind: RunKind, outcome: Outcome | undefined): KindWords['goOn'] {
  return kind === 'task' && outcome?.kind === 'answered' ? FOLLOW_UP : KIND_WORDS[kind].goOn;
}

/** The name of a run's kind. */
export function modeWords(run: Pick<RunConfig, 'mode' | 'agentic'>): string {
  return kindFacts(kindOf(run)).label;
}

/** The name of a run's kind, for a place beside its title; `undefined` if the title says it already. */
export function modeBesideTitle(run: Pick<RunConfig, 'mode' | 'agentic'>, title: string): string | undefined {
  const { label, run: untitled } = kindFacts(kindOf(run));
  return title === untitled ? undefined : label;
}

/** The texts of a run that waits for a message, and of the button that ends it instead. */
export function waitingWords(
  mode: RunMode | undefined,
  operator: OperatorWord = 'you',
): { readonly waits: string; readonly end: string } {
  const name = modeFacts(mode).run.toLowerCase();
  return { waits: `The ${name} waits for ${operator}.`, end: `End ${name}` };
}

/** The name of an iteration in a mode. */
export function stepWord(mode: RunMode | undefined): string {
  return modeFacts(mode).step;
}

/** The name of what comparisons put side by side: iterations, as only one of two sessions may have handed over. */
export function comparedStepWord(mode: RunMode | undefined): string {
  return modeFacts(mode).hasTurns ? 'Iteration' : stepWord(mode);
}

type NumberedRow = Pick<RowBase, 'step'> & { readonly handsOver?: boolean };

/** A row's step by name and number: `Iteration 3`, `Turn 3`. The summary for a handover is no turn. */
export function stepName(mode: RunMode | undefined, row: NumberedRow): string {
  return isSummary(mode, row) ? 'Summary' : `${stepWord(mode)} ${row.step}`;
}

/** Where a run is forked that repeats a row's step: `before turn 3`. */
export function beforeStepWords(mode: RunMode | undefined, row: NumberedRow): string {
  return `before ${isSummary(mode, row) ? 'the summary' : stepName(mode, row).toLowerCase()}`;
}

/** Whether a row begins the summary for a handover where that is no step. */
export function isSummary(mode: RunMode | undefined, row: NumberedRow): boolean {
  return row.handsOver === true && modeFacts(mode).hasTurns;
}

/** What has happened in a run, counted in every unit. */
interface Progress {
  readonly iterations: number;
  /** The ended ones. */
  readonly turns: number;
  readonly cycles: number;
}

/** How far a run came, counted in the unit of its mode. */
export function extentOf(mode: RunMode | undefined, { iterations, turns, cycles }: Progress): number {
  const { hasCycles, hasTurns } = modeFacts(mode);
  return hasCycles ? cycles : hasTurns ? turns : iterations;
}

/** The counts of a row of the run list. */
export function progressOf({ iterations_used: iterations, turns, cycles }: RunSummary): Progress {
  return { iterations, turns, cycles };
}

/** How far a run came, in the unit of its mode: `4 iterations`, `12 turns`, `20 cycles`. */
export function extentWords(mode: RunMode | undefined, progress: Progress): string {
  return plural(extentOf(mode, progress), modeFacts(mode).unit.toLowerCase());
}

/** The heading of a run: its title, the first line of its task, or what it is. */
export function runTitle(config: Named | undefined): string {
  if (!config) return '';
  const [line = ''] = (config.title ?? config.task).trim().split('\n', 1);
  return line === '' ? kindFacts(kindOf(config)).run : line;
}

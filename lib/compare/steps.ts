import { AppError } from '../errors/app-error.ts';
import { checkText } from '../events/check-text.ts';
import { verdictWord } from '../events/opinion-words.ts';
import type { EventOf, RunEvent } from '../events/registry.ts';
import { swallowedWords } from '../events/swallowed-reply.ts';
import { toolResult } from '../events/tool-call.ts';
import type { JsonValue } from '../util/json.ts';
import { readableJson } from '../util/readable-json.ts';

/**
 * One thing that was said or done in a step.
 *
 * - `said`: to the model, by a person, Loupe or the prompt
 * - `thinking`, `text`: by the model
 * - `call`: what it asked for; `result`: what came back
 * - `failure`: of a model call
 * - `checks`: of the finished work
 * - `edit`: of a person, at a fork
 */
export interface Part {
  readonly kind: 'said' | 'thinking' | 'text' | 'call' | 'result' | 'failure' | 'checks' | 'edit';
  /** Who said it, or which tool. */
  readonly name: string;
  readonly text: string;
  /** The event it comes from. */
  readonly seq: number;
}

/** One iteration of a run and what led to it, comparable with a step of another run. */
export interface Step {
  readonly attempt: number;
  /** From 1; 0 if the log has no iteration yet. */
  readonly iteration: number;
  /** 0 outside of explorations. */
  readonly cycle: number;
  readonly seq: number;
  readonly parts: readonly Part[];
}

/** Fields of results that say how long a tool took: equal work takes different times. */
const TIMES: Readonly<Record<string, readonly string[]>> = { run_command: ['duration_ms'] };
/** Max characters per step, to bound memory next to active runs. */
const MAX_STEP_CHARS = 50_000_000;

/**
 * Reads the steps of a run from its events, keeping only the current one. Messages before an iteration belong to it,
 * and so does everything after its reply. Times, token counts and IDs are not part of a step: two runs that did the
 * same have equal steps.
 */
export class StepReader {
  /** Operator messages not yet delivered to an iteration, by message ID. */
  readonly #said = new Map<string, string>();
  #before: Part[] = [];
  #open: (Step & { parts: Part[] }) | undefined;
  #attempt = 0;
  #cycle = 0;
  #chars = 0;

  /**
   * Processes the next event.
   *
   * @returns the step that this event completes
   * @throws {AppError} `comparison_too_large` when a step exceeds 50 million characters
   */
  take(event: RunEvent): Step | undefined {
    switch (event.type) {
      case 'attempt.started':
        this.#attempt = event.attempt;
        for (const { role, content } of event.messages) this.#add(event, 'said', role, content);
        return;
      case 'iteration.started':
        return this.#begin(event);
      case 'cycle.started':
        this.#cycle = event.cycle;
        if (event.line !== undefined) this.#add(event, 'said', 'harness', event.line);
        return;
      case 'diversity.advised':
        if (event.feedback !== undefined) this.#add(event, 'said', 'harness', event.feedback);
        return;
      case 'harness.prompted':
        return this.#add(event, 'said', 'harness', event.text);
      case 'policy.nudged':
        return this.#add(event, 'said', 'nudge', event.text);
      case 'operator.messaged':
        this.#said.set(event.message_id, event.text);
        return this.#hold(event, event.text);
      case 'operator.delivered':
        for (const id of event.message_ids) {
          this.#add(event, 'said', 'you', this.#said.get(id) ?? '');
          this.#said.delete(id);
        }
        return;
      case 'reply.parsed':
        for (const part of replyParts(event)) this.#add(event, ...part);
        return;
      case 'model-call.failed':
        return this.#add(event, 'failure', event.kind, event.error.message);
      case 'approval.decided':
        if (event.decision === 'edited') {
          this.#add(event, 'edit', event.tool, readableJson(event.arguments ?? {}));
        }
        return;
      case 'tool-call.ended':
      case 'tool-call.interrupted':
        return this.#add(event, 'result', event.tool, resultText(event.tool, event.result));
      case 'answer.checked':
        return this.#add(event, 'checks', 'schema', event.problem ?? 'The answer fits the schema.');
      case 'verification.checked':
        return this.#add(event, 'checks', event.outcome, checksText(event));
      case 'run.forked':
        for (const edit of event.edits) this.#add(event, 'edit', ...editText(edit));
        return;
      default:
        return;
    }
  }

  /** The open step at the end of the log; for a log without an iteration, the messages so far. */
  rest(): Step | undefined {
    const [first] = this.#before;
    if (this.#open || !first) return this.#open;
    return { attempt: this.#attempt, iteration: 0, cycle: this.#cycle, seq: first.seq, parts: this.#before };
  }

  #begin({ iteration, seq }: EventOf<'iteration.started'>): Step | undefined {
    const ended = this.#open;
    this.#open = { attempt: this.#attempt, iteration, cycle: this.#cycle, seq, parts: this.#before };
    this.#before = [];
    this.#chars = this.#open.parts.reduce((sum, { text }) => sum + text.length, 0);
    return ended;
  }

  #add(event: RunEvent, kind: Part['kind'], name: string, text: string): undefined {
    this.#hold(event, text);
    const part = { kind, name, text, seq: event.seq };
    // Messages to the model open the next step; everything else belongs to the current one.
    if (kind === 'said' || !this.#open) this.#before.push(part);
    else this.#open.parts.push(part);
  }

  #hold({ run_id, seq }: RunEvent, text: string): undefined {
    this.#chars += text.length;
    if (this.#chars <= MAX_STEP_CHARS) return;
    throw new AppError({
      code: 'comparison_too_large',
      message: `Run ${run_id} cannot be compared: one step, at event ${seq}, holds more than ${MAX_STEP_CHARS / 1e6} million characters.`,
      hint: 'Export both logs and compare them with another tool.',
    });
  }
}

/** Whether the same was said and done in two steps. */
export function isSameStep(left: Step, right: Step): boolean {
  return (
    left.parts.length === right.parts.length &&
    left.parts.every((part, index) => isSamePart(part, right.parts[index]))
  );
}

function isSamePart(left: Part, right: Part | undefined): boolean {
  return left.kind === right?.kind && left.name === right.name && left.text === right.text;
}

function replyParts({
  thinking,
  text,
  calls,
  swallowed_tokens: swallowed,
}: EventOf<'reply.parsed'>): [Part['kind'], string, string][] {
  return [
    ...(swallowed ? [['failure', 'swallowed', swallowedWords(swallowed)] as const] : []),
    ...(thinking.trim() === '' ? [] : [['thinking', 'model', thinking] as const]),
    ...(text.trim() === '' ? [] : [['text', 'model', text] as const]),
    ...calls.map(({ name, arguments: args }) => ['call', name, readableJson(args)] as const),
  ].map(([kind, name, value]) => [kind, name, value]);
}

function resultText(tool: string, { success, output }: EventOf<'tool-call.ended'>['result']): string {
  if (!success) return `Error: ${output.error}`;
  return typeof output === 'string' ? output : readableJson(withoutTimes(tool, output));
}

function withoutTimes(tool: string, output: JsonValue): JsonValue {
  const times = Object.hasOwn(TIMES, tool) ? (TIMES[tool] ?? []) : [];
  if (times.length === 0 || typeof output !== 'object' || output === null || Array.isArray(output)) {
    return output;
  }
  return Object.fromEntries(Object.entries(output).filter(([name]) => !times.includes(name)));
}

function checksText({ checks, opinions = [] }: EventOf<'verification.checked'>): string {
  const judged = opinions.map(
    ({ model, verdict, check, reason }) =>
      `${verdictWord(verdict)} by ${model}: ${check.criteria}\n${reason}`,
  );
  return [...checks.map(resultOfCheck), ...judged].join('\n');
}

function resultOfCheck({ check, passed, output }: EventOf<'verification.checked'>['checks'][number]): string {
  return `${passed ? 'passed' : 'failed'}: ${checkText(check)}${output === '' ? '' : `\n${output}`}`;
}

function editText(edit: EventOf<'run.forked'>['edits'][number]): [string, string] {
  switch (edit.target) {
    case 'message':
      return edit.role === 'tool'
        ? [`result of ${edit.tool_name ?? 'a tool'}`, outputText(edit.tool_name ?? '', edit.after)]
        : [`${edit.role} message`, edit.after];
    case 'reply':
      return ['reply', edit.after];
    case 'call':
      return [`arguments of ${edit.tool}`, readableJson(edit.after)];
    case 'memory':
      return [`memory ${edit.key}`, edit.after ?? ''];
  }
}

/** The content of a tool message, formatted like a result; returned unchanged if it is not JSON. */
function outputText(tool: string, content: string): string {
  try {
    const parsed = toolResult.safeParse(JSON.parse(content));
    return parsed.success ? resultText(tool, parsed.data) : content;
  } catch {
    return content; // plain text, as explorations have it
  }
}

import { plainVisibleText } from '../../browser/words/visible-text.ts';
import { namedAutoRunFiles } from '../../events/auto-run-files.ts';
import type { RunConfig } from '../../events/config.ts';
import { foldRun } from '../../events/fold-run.ts';
import { imageWords } from '../../events/image-words.ts';
import { DEFAULT_MODE, modeFacts } from '../../events/modes.ts';
import { checksWords, outcomeWords } from '../../events/outcome.ts';
import type { EventOf, RunEvent } from '../../events/registry.ts';
import { emptyRunState } from '../../events/run-state.ts';
import type { ShareScope } from '../../events/share-scopes.ts';
import { isInSummary, stepOf } from '../../events/step-of.ts';
import { summarize } from '../../events/summarize.ts';
import type { OutcomeKind } from '../../events/termination.ts';
import { workedMs } from '../../events/worked-ms.ts';
import { isHandingOver } from '../../policies/handover.ts';
import { durationWords } from '../../util/durations.ts';
import { formatUsd } from '../../util/format-usd.ts';
import { formatCount, plural } from '../../util/numbers.ts';
import { shortText } from '../../util/short-text.ts';
import type { ExportedLog } from './exported-log.ts';

const SAID_CHARS = 600;
const ARGUMENT_CHARS = 160;
const MAX_AUTO_RUN_FILES = 20;
const OUTPUT_HEADINGS: Partial<Record<OutcomeKind, string>> = {
  ...{ answered: 'Answer', answered_checks_failed: 'Answer', cycles_done: 'Answer' },
  answered_cut_off: 'Answer, cut off',
  answered_off_schema: 'Answer, not as asked',
};

/**
 * A Markdown summary of a run: task, figures, each iteration in brief, outcome and answer. Deterministic for a log.
 * Text of models, tools and operators appears only as code, never as markup: no headings, no links, no images that a
 * viewer would fetch.
 */
export async function markdownExport(log: ExportedLog): Promise<string> {
  const summary = new Summary(log.config);
  for await (const events of log.pages()) for (const event of events) summary.take(event);
  return summary.text(log);
}

class Summary {
  readonly #config: RunConfig;
  readonly #steps: string[] = [];
  readonly #arguments = new Map<string, string>();
  /** Calls whose arguments a person changed before they ran. */
  readonly #edited = new Set<string>();
  #inPart = false;
  #begin = 0;
  #created = 0;
  #model = '';
  #last = 0;
  #end: EventOf<'run.ended'> | undefined;
  #state = emptyRunState('');

  constructor(config: RunConfig) {
    this.#config = config;
  }

  take(event: RunEvent): void {
    this.#last = event.at;
    this.#state = foldRun(this.#state.seq === 0 ? emptyRunState(event.run_id) : this.#state, event);
    switch (event.type) {
      case 'run.created':
        this.#created = event.at;
        break;
      case 'run.started':
        this.#begin = event.at;
        break;
      case 'preflight.checked':
        this.#model = [
          event.parameter_size,
          event.quantization,
          event.server_version && `Ollama ${event.server_version}`,
        ]
          .filter((fact) => fact !== undefined)
          .join(', ');
        break;
      case 'attempt.started':
        if (event.attempt > 1) this.#part(`Attempt ${event.attempt}`);
        break;
      case 'cycle.started':
        this.#part(`Cycle ${event.cycle}`);
        break;
      case 'iteration.started':
        this.#heading(this.#inPart ? 4 : 3, `${this.#stepName()} (${offset(event.at - this.#begin)})`);
        break;
      case 'reply.parsed':
        if (event.outcome === 'empty') this.#item(codeSpan(summarize(event)));
        for (const call of event.calls) this.#arguments.set(call.call_id, JSON.stringify(call.arguments));
        if (event.calls.length > 0 || !this.#isReflection()) this.#said(event.text);
        break;
      case 'approval.decided':
        if (event.arguments) {
          this.#arguments.set(event.call_id, JSON.stringify(event.arguments));
          this.#edited.add(event.call_id);
        }
        break;
      case 'run.forked':
        this.#item(codeSpan(summarize(event)));
        for (const edit of event.edits) {
          if (edit.target === 'call') this.#arguments.set(edit.call_id, JSON.stringify(edit.after));
        }
        break;
      case 'mcp-sampling.ended':
      case 'mcp-request.received':
      case 'mcp-request.answered':
        this.#item(codeSpan(summarize(event)));
        break;
      case 'tool-call.ended':
      case 'tool-call.interrupted':
        this.#call(event);
        break;
      case 'cycle.reflected':
        this.#said(event.text);
        break;
      case 'operator.messaged':
      case 'agent.messaged':
        this.#steps.push('', event.type === 'agent.messaged' ? 'To the operator:' : 'From the operator:', '');
        this.#said(event.text);
        break;
      case 'model-call.failed':
        this.#item(codeSpan(summarize(event)));
        this.#said(event.visible_text ?? event.partial_text ?? '');
        break;
      case 'answer.checked':
      case 'policy.nudged':
      case 'policy.retried':
      case 'policy.compacted':
      case 'policy.warned':
      case 'server-wait.started':
      case 'server-wait.ended':
      case 'verification.checked':
      case 'stop.requested':
      case 'run.resumed':
      case 'handover.started':
        this.#item(codeSpan(summarize(event)));
        break;
      case 'handover.ended':
        // A failed one has a warning.
        if (event.outcome === 'done') this.#item(codeSpan(summarize(event)));
        break;
      case 'run.ended':
        this.#end = event;
    }
  }

  /** Whether a reply without a call has its own event: in an exploration, unless it is the summary for a handover. */
  #isReflection(): boolean {
    return modeFacts(this.#config.mode).hasCycles && !isHandingOver(this.#state);
  }

  /** The name of the step that has just begun. */
  #stepName(): string {
    const { step } = modeFacts(this.#config.mode);
    return isInSummary(this.#state) ? 'Summary' : `${step} ${stepOf(this.#state)}`;
  }

  /** Empty if the model had no price. */
  #cost(): string[] {
    const { costUsd } = this.#state;
    return costUsd === undefined ? [] : [`- Cost: ${formatUsd(costUsd)}`];
  }

  text(log: Pick<ExportedLog, 'scope' | 'masked'>): string {
    const config = this.#config;
    const { run, step, endsBy, hasTurns } = modeFacts(config.mode);
    // As its page has them.
    const { iterationsUsed, turns, toolCalls, failedToolCalls } = this.#state;
    const { tokensIn, tokensOut, tokensEstimated } = this.#state;
    const masked = log.masked();
    const checks = this.#state.outcome?.checks;
    const [title = ''] = (config.title ?? config.task).trim().split('\n', 1);
    const lines = [
      `# ${config.mode === DEFAULT_MODE ? 'Run' : `Run: ${run.toLowerCase()}`}${title === '' ? '' : ` ${codeSpan(shortText(title, 100))}`}`,
      '',
      `- Model: ${codeSpan(config.model)}${this.#model === '' ? '' : ` (${codeSpan(this.#model)})`}`,
      `- Made: ${moment(this.#created)}`,
      `- Ended: ${this.#outcome()}${this.#worked()}`,
      `- ${step}s: ${hasTurns ? turns.completed : iterationsUsed}${endsBy === 'max_iterations' ? ` of ${config.max_iterations}` : ''}`,
      `- Tool calls: ${toolCalls}${failedToolCalls > 0 ? `, ${failedToolCalls} failed` : ''}`,
      `- Tokens: ${formatCount(tokensIn)} in, ${formatCount(tokensOut)} out${tokensEstimated > 0 ? ` (${formatCount(tokensEstimated)} of them estimated)` : ''}`,
      ...this.#cost(),
      ...(checks ? [`- Checks: ${checksWords(checks).label}`] : []),
      `- Masked: ${masked === undefined ? 'nothing, as requested' : masked === 0 ? 'nothing to mask' : plural(masked, 'value')}`,
      ...(log.scope === 'everything' ? [] : [`- Left out: ${LEFT_OUT[log.scope]}`]),
      '',
      ...(config.task.trim() === '' ? [] : ['## Task', '', fenced(config.task), '']),
      ...(config.images?.length
        ? [`Images: ${config.images.map((image) => codeSpan(imageWords(image))).join(', ')}`, '']
        : []),
      '## What happened',
      '',
      ...this.#steps,
      ...this.#ending(),
    ];
    // One empty line between parts; empty lines within a text are kept.
    const kept = lines.filter((line, index) => line !== '' || lines[index - 1] !== '');
    return `${kept.join('\n').trimEnd()}\n`;
  }

  #outcome(): string {
    const { outcome, result } = this.#state;
    if (!outcome || !result) return 'not yet';
    return `${outcomeWords(outcome).label} (${codeSpan(result.termination_reason)})`;
  }

  /** Without the time in which it waited; empty before it has started. */
  #worked(): string {
    if (this.#state.startedAt === undefined) return '';
    return `, after working for ${durationWords(workedMs(this.#state, this.#last))}`;
  }

  #ending(): string[] {
    const end = this.#end;
    if (!end) return ['', '## How it ended', '', 'The run had not ended when this was exported.'];
    const { result } = end;
    const files = end.files_written.map((path) => `- ${codeSpan(path)}`);
    return [
      '',
      '## How it ended',
      '',
      codeSpan(end.message),
      '',
      ...(result.error && result.error.message !== end.message ? [codeSpan(result.error.message), ''] : []),
      ...(files.length > 0 ? ['Files written:', '', ...files, ''] : []),
      ...this.#autoRunFiles(),
      `### ${OUTPUT_HEADINGS[this.#state.outcome?.kind ?? 'error'] ?? 'Last output'}`,
      '',
      result.output.trim() === '' ? 'No text.' : fenced(result.output),
    ];
  }

  #autoRunFiles(): string[] {
    const { files, more } = namedAutoRunFiles(this.#state.autoRunFiles, MAX_AUTO_RUN_FILES);
    if (files.length === 0) return [];
    return [
      'Auto-run files written. Shells, editors, git, builds or agents run or obey these without asking:',
      '',
      ...files.map(({ path, tool, seq }) => `- ${codeSpan(path)} (${codeSpan(tool)}, event ${seq})`),
      ...(more > 0 ? [`- and ${more} more`] : []),
      '',
    ];
  }

  /** An attempt or a cycle; headings after it are one level lower. */
  #part(words: string): void {
    this.#inPart = true;
    this.#heading(3, words);
  }

  #heading(level: 3 | 4, words: string): void {
    this.#steps.push('', `${'#'.repeat(level)} ${words}`, '');
  }

  #said(text: string): void {
    const said = text.trim();
    if (said === '') return;
    const shown = shortText(said, SAID_CHARS);
    this.#steps.push('', fenced(shown), '');
    if (shown === said) return;
    // Without the ellipsis.
    const more = said.length - (shown.length - 1);
    this.#steps.push(`(${more} more characters)`, '');
  }

  #call(event: EventOf<'tool-call.ended'> | EventOf<'tool-call.interrupted'>): void {
    const args = this.#arguments.get(event.call_id) ?? '{}';
    this.#arguments.delete(event.call_id);
    const { result } = event;
    const took = event.type === 'tool-call.ended' ? `, ${durationWords(event.duration_ms)}` : ', interrupted';
    const outcome = result.success
      ? 'ok'
      : `failed: ${codeSpan(shortText(result.output.error, ARGUMENT_CHARS))}`;
    const edited = this.#edited.delete(event.call_id) ? ' (edited by the operator)' : '';
    this.#item(
      `${codeSpan(event.tool)} ${codeSpan(shortText(args, ARGUMENT_CHARS))}${edited} → ${outcome}${took}`,
    );
  }

  #item(words: string): void {
    this.#steps.push(`- ${words}`);
  }
}

const LEFT_OUT: Readonly<Record<Exclude<ShareScope, 'everything'>, string>> = {
  without_results: 'results of tools and checks',
  summary: 'prompts, arguments, results and model text',
};

/** A text as a block of code, whatever it contains: the fence is longer than any run of backticks in it. */
export function fenced(text: string): string {
  const shown = visible(text);
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}text\n${shown}${shown.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** A text as code within a line, whatever it contains. Line breaks become spaces; never empty. */
export function codeSpan(text: string): string {
  const shown = visible(text).replaceAll(/\s+/g, ' ').trim();
  const mark = '`'.repeat(longestRun(shown) + 1);
  const pad = shown === '' || shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${mark}${pad}${shown}${pad}${mark}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Names hidden characters as the dashboard does, and normalizes line breaks. */
function visible(text: string): string {
  return plainVisibleText(text.replaceAll(/\r\n?/g, '\n'));
}

function moment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function offset(ms: number): string {
  return `+${ms < 1 ? '0 ms' : durationWords(ms)}`;
}

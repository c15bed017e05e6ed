import type { CallDraft, RefusalDraft, Verdict } from './call-shape.ts';
import { type CodeSpan, isAnnouncedAsExample, mayHoldCalls, readCodeSpan } from './code-samples.ts';
import { isControlToken } from './control-tokens.ts';
import type { Format, FormatReading, Opener, Trigger } from './formats/format.ts';
import { FORMATS } from './formats/registry.ts';
import { MINIMAX_PREFIX, Source, skipSpace } from './source.ts';
import { readBracketToken, readTag } from './tags.ts';
import { ThinkTags } from './thinking.ts';
import type { ToolIndex } from './tool-index.ts';
import type { Piece } from './visible-text.ts';

export interface ScannedCall {
  draft: CallDraft;
  layer: 'json' | 'xml';
  format: string;
  start: number;
  end: number;
}

export interface ScannedRefusal {
  draft: RefusalDraft;
  start: number;
  end: number;
}

export interface Thought {
  text: string;
  start: number;
}

export interface Scan {
  calls: ScannedCall[];
  refusals: ScannedRefusal[];
  /** What a reader may see, in order. */
  pieces: Piece[];
  /** What stood between think tags, and where. */
  thoughts: Thought[];
  /** How often each format was recognised, whether or not a call came of it. */
  tried: Map<string, { layer: 'json' | 'xml'; found: number }>;
  /** Characters that were read in vain: the measure of work beyond one pass. */
  spent: number;
}

export interface ScanOptions {
  tools: ToolIndex;
  layers: ReadonlySet<string>;
}

/** Why calls are not taken as calls in a stretch of text. */
interface Quiet {
  end: number;
  reason: 'inside-thinking' | 'code-sample';
}

const OPENER = /[<[{`\n]|>>>|\]<\]minimax\[>\[|functions\.|functools\[/g;
const TOOL_RESPONSE_END = /<\/tool_response>/g;

/**
 * Reads a text once from left to right (P2 to P7). At each place where something may begin, the formats are asked in
 * order; what none of them reads is text. Think tags, fences and control tokens are read on the way, so that inside an
 * argument they are data.
 */
export function scan(text: string, options: ScanOptions): Scan {
  return new Scanner(text, options).run();
}

class Scanner {
  readonly #source: Source;
  readonly #text: string;
  readonly #options: ScanOptions;
  readonly #formats: ReadonlyMap<Trigger, readonly Format[]>;
  readonly #think: ThinkTags;
  #calls: ScannedCall[] = [];
  readonly #refusals: ScannedRefusal[] = [];
  #pieces: Piece[] = [];
  readonly #thoughts: Thought[] = [];
  readonly #tried: Scan['tried'] = new Map();
  #at = 0;
  /** Offset behind the last thing that was not text. */
  #textStart = 0;
  #quiet: Quiet | undefined;
  /** Inside a fence that may hold calls: end of the fence. Only offered tools count there. */
  #fenceEnd = 0;
  #sawThinkTag = false;
  #hasText = false;
  #blankUntil = -1;

  constructor(text: string, options: ScanOptions) {
    this.#text = text;
    this.#source = new Source(text);
    this.#options = options;
    this.#think = new ThinkTags(text);
    this.#formats = formatsByTrigger(FORMATS.filter((format) => options.layers.has(format.layer)));
  }

  run(): Scan {
    this.#visit('\n', 0);
    while (this.#at < this.#text.length) {
      OPENER.lastIndex = this.#at;
      const match = OPENER.exec(this.#text);
      if (!match) break;
      this.#at = match.index;
      if (match[0] === MINIMAX_PREFIX) this.#cutOut(match.index + MINIMAX_PREFIX.length);
      else this.#visit(triggerOf(match[0]), match.index);
    }
    this.#keepText(this.#text.length);
    return {
      calls: this.#calls,
      refusals: this.#refusals,
      pieces: this.#pieces,
      thoughts: this.#thoughts,
      tried: this.#tried,
      spent: this.#source.spent,
    };
  }

  /** Reads what begins at an offset, and moves behind it. */
  #visit(trigger: Trigger, at: number): void {
    const start = trigger === '\n' && this.#text[at] === '\n' ? at + 1 : at;
    const opener: Opener = { at: start };
    if (trigger === '\n') opener.isFirst = this.#isFirst(start);
    if (trigger === '<') {
      opener.tag = readTag(this.#text, at);
      if (opener.tag && this.#visitTag(opener.tag.token, opener.tag.end)) return;
    } else if (trigger === '[') {
      opener.bracket = readBracketToken(this.#text, at);
    }
    if ((trigger === '<' || trigger === '[') && this.#visitThinking(at)) {
      this.#visitLineStart();
      return;
    }
    if (this.#visitFormats(trigger, opener)) return;
    if (trigger === '`') this.#visitCode(at);
    else this.#at = trigger === '\n' ? start : at + 1;
  }

  /** What follows thoughts begins a line, whether or not a line break stands before it. */
  #visitLineStart(): void {
    const at = this.#at;
    if (at < this.#text.length && this.#text[at] !== '\n')
      this.#visitFormats('\n', { at, isFirst: this.#isFirst(at) });
  }

  /** Whether a line starts what a reader sees. Looks at each character once however often it is asked. */
  #isFirst(at: number): boolean {
    if (this.#hasText) return false;
    if (this.#blankUntil < this.#textStart) this.#blankUntil = skipSpace(this.#text, this.#textStart);
    let indented = at;
    while (this.#text[indented] === ' ' || this.#text[indented] === '\t') indented++;
    return this.#blankUntil === indented;
  }

  #visitFormats(trigger: Trigger, opener: Opener): boolean {
    for (const format of this.#formats.get(trigger) ?? []) {
      if (this.#source.exhausted) return false;
      const reading = format.read({ source: this.#source, tools: this.#options.tools }, opener);
      if (reading) {
        this.#take(format, opener.at, reading);
        return true;
      }
    }
    return false;
  }

  /** Control tokens, the tag that Granite sets around its answer after thinking, and invented tool responses. */
  #visitTag(token: string, end: number): boolean {
    const isAnswerTag = this.#sawThinkTag && (token === 'response' || token === '/response');
    if (isControlToken(token) || isAnswerTag) {
      this.#cutOut(end);
      return true;
    }
    if (token !== 'tool_response') return false;
    const closer = this.#source.find(TOOL_RESPONSE_END, end);
    if (!closer) return false;
    const start = this.#at;
    this.#keepText(start);
    this.#pieces.push({ start, end: closer.end, onlyWithoutCalls: true });
    this.#textStart = closer.end;
    this.#at = closer.end;
    return true;
  }

  #visitThinking(at: number): boolean {
    if (this.#quiet && at < this.#quiet.end) return false;
    const block = this.#think.blockAt(at);
    if (block) {
      this.#sawThinkTag = true;
      this.#keepText(at);
      this.#thoughts.push({ text: this.#text.slice(block.from, block.to), start: block.from });
      this.#textStart = block.end;
      this.#at = block.end;
      return true;
    }
    const closerEnd = this.#think.closerEnd(at);
    if (closerEnd === undefined) return false;
    this.#closeUnopened(at, closerEnd);
    return true;
  }

  /**
   * A closing think tag without an opening one: the template had opened it (P5). Everything before it was thought; after
   * a first block only what stands behind the last call.
   */
  #closeUnopened(at: number, closerEnd: number): void {
    this.#keepText(at);
    const isFirst = !this.#sawThinkTag;
    if (isFirst) this.#calls = [];
    const lastCall = this.#calls[this.#calls.length - 1]?.end ?? 0;
    const thought: Piece[] = [];
    while ((this.#pieces[this.#pieces.length - 1]?.start ?? -1) >= lastCall)
      thought.push(...this.#pieces.splice(-1));
    thought.reverse();
    const start = isFirst ? 0 : (thought[0]?.start ?? at);
    const parts = isFirst ? [{ start, end: at }] : thought;
    this.#thoughts.push({
      text: parts.map((part) => this.#text.slice(part.start, part.end)).join(''),
      start,
    });
    this.#hasText = this.#pieces.length > 0;
    this.#sawThinkTag = true;
    this.#textStart = closerEnd;
    this.#at = closerEnd;
  }

  #visitCode(at: number): void {
    const span = readCodeSpan(this.#source, at);
    this.#at = span.inside;
    if (this.#quiet !== undefined && at < this.#quiet.end) return;
    // A closing think tag ends thoughts even inside a sample, unless the sample shows just the tag.
    const showsTag = span.language === undefined && this.#text.startsWith('</', span.inside);
    const hidesThinking = span.closed && (showsTag || !this.#think.hasOrphanCloser(at, span.end));
    if (mayHoldCalls(span)) this.#fenceEnd = span.end;
    else if (hidesThinking && !this.#isAllThereIs(at, span))
      this.#quiet = { end: span.end, reason: 'code-sample' };
  }

  /** Inline code that makes up the whole message is no quotation within a text. */
  #isAllThereIs(at: number, span: CodeSpan): boolean {
    if (span.language !== undefined) return false;
    return this.#text.slice(this.#textStart, at).trim() === '' && this.#text.slice(span.end).trim() === '';
  }

  #take(format: Format, start: number, reading: FormatReading): void {
    if (reading.kind === 'control') {
      this.#keepText(start);
      if (reading.hidden === 'with-calls') {
        this.#pieces.push({ start, end: reading.end, onlyWithoutCalls: true });
      }
      this.#textStart = reading.end;
    } else if (reading.kind === 'thinking') {
      this.#keepText(start);
      this.#sawThinkTag = true;
      this.#thoughts.push({ text: this.#text.slice(reading.from, reading.to), start: reading.from });
      this.#textStart = reading.end;
    } else if (reading.kind === 'calls') this.#takeVerdicts(format, start, reading);
    this.#at = Math.max(reading.end, start + 1);
  }

  #takeVerdicts(format: Format, start: number, reading: FormatReading & { kind: 'calls' }): void {
    const name = reading.format ?? format.name;
    const tried = this.#tried.get(name) ?? { layer: format.layer, found: 0 };
    this.#tried.set(name, tried);
    let taken = 0;
    for (const verdict of reading.verdicts) {
      const judged = this.#judge(verdict, start, reading.end);
      if ('call' in judged) {
        this.#calls.push({ draft: judged.call, layer: format.layer, format: name, start, end: reading.end });
        taken++;
      } else this.#refusals.push({ draft: judged.refusal, start, end: reading.end });
    }
    tried.found += taken;
    if (taken === 0) return;
    this.#keepText(start);
    this.#textStart = reading.end;
  }

  /** A call that stands in a code sample or example is none, whatever its form. */
  #judge(verdict: Verdict, start: number, end: number): Verdict {
    if (!('call' in verdict)) return verdict;
    const { name } = verdict.call;
    const quoted =
      (this.#quiet && start < this.#quiet.end && end <= this.#quiet.end) ||
      isAnnouncedAsExample(this.#text, start);
    if (quoted) {
      const message = `A call of ${name} in a code sample or example is not carried out.`;
      return { refusal: { reason: 'code-sample', name, message } };
    }
    if (start < this.#fenceEnd && this.#options.tools.offered(name) === undefined) {
      return {
        refusal: { reason: 'name-not-offered', name, message: `${name} is not among the offered tools.` },
      };
    }
    return verdict;
  }

  /** Takes a token out of the text that is shown. */
  #cutOut(end: number): void {
    this.#keepText(this.#at);
    this.#textStart = end;
    this.#at = end;
  }

  #keepText(end: number): void {
    if (end > this.#textStart) {
      this.#pieces.push({ start: this.#textStart, end });
      this.#hasText ||= skipSpace(this.#text, this.#textStart) < end;
    }
    this.#textStart = end;
  }
}

function triggerOf(found: string): Trigger {
  switch (found) {
    case 'functions.':
      return 'functions';
    case 'functools[':
      return 'functools';
    case '<':
    case '[':
    case '{':
    case '`':
    case '>>>':
      return found;
    default:
      return '\n';
  }
}

function formatsByTrigger(formats: readonly Format[]): Map<Trigger, Format[]> {
  const byTrigger = new Map<Trigger, Format[]>();
  for (const format of formats) {
    for (const trigger of format.triggers)
      byTrigger.set(trigger, [...(byTrigger.get(trigger) ?? []), format]);
  }
  return byTrigger;
}

import type { CallDraft, RefusalDraft, Verdict } from './call-shape.ts';
import { type CodeSpan, isAnnouncedAsExample, mayHoldCalls, readCodeSpan } from './code-samples.ts';
import { isControlToken } from './control-tokens.ts';
import type { Format, FormatReading, Opener, Trigger } from './formats/format.ts';
import { FORMATS } from './formats/registry.ts';
import { KeptText } from './kept-text.ts';
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

/** A code sample, in which calls are no calls. */
interface Sample {
  end: number;
  /** A fence that is never closed may be a slip, so calls that a marker announces count nevertheless. */
  closed: boolean;
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
  readonly #kept: KeptText;
  readonly #thoughts: Thought[] = [];
  readonly #tried: Scan['tried'] = new Map();
  #at = 0;
  #sample: Sample | undefined;
  /** Inside a fence that may hold calls: end of the fence. Only offered tools count there. */
  #fenceEnd = 0;
  #sawThinkTag = false;

  constructor(text: string, options: ScanOptions) {
    this.#text = text;
    this.#source = new Source(text);
    this.#kept = new KeptText(text);
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
    this.#kept.keepTo(this.#text.length);
    if (this.#source.exhausted) this.#refusals.unshift(exhaustedAt(this.#text.length));
    return {
      calls: this.#calls,
      refusals: this.#refusals,
      pieces: this.#kept.pieces,
      thoughts: this.#thoughts,
      tried: this.#tried,
      spent: this.#source.spent,
    };
  }

  /** Reads what begins at an offset, and moves behind it. */
  #visit(trigger: Trigger, at: number): void {
    const start = trigger === '\n' && this.#text[at] === '\n' ? at + 1 : at;
    const opener: Opener = { at: start };
    if (trigger === '\n') opener.isFirst = this.#kept.isFirstLine(start);
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
      this.#visitFormats('\n', { at, isFirst: this.#kept.isFirstLine(at) });
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
    this.#kept.cutWithCalls(this.#at, closer.end);
    this.#at = closer.end;
    return true;
  }

  #visitThinking(at: number): boolean {
    if (this.#sample?.closed && at < this.#sample.end) return false;
    const block = this.#think.blockAt(at);
    if (block) {
      this.#takeThought(at, block);
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
    this.#kept.cut(at, closerEnd);
    const isFirst = !this.#sawThinkTag;
    if (isFirst) this.#calls = [];
    const lastCall = this.#calls[this.#calls.length - 1]?.end ?? 0;
    const thought = this.#kept.takeBack(lastCall);
    const start = isFirst ? 0 : (thought[0]?.start ?? at);
    const parts = isFirst ? [{ start, end: at }] : thought;
    this.#thoughts.push({
      text: parts.map((part) => this.#text.slice(part.start, part.end)).join(''),
      start,
    });
    this.#sawThinkTag = true;
    this.#at = closerEnd;
  }

  #visitCode(at: number): void {
    const span = readCodeSpan(this.#source, at);
    this.#at = span.inside;
    const closesFence = at < this.#fenceEnd && span.inside >= this.#fenceEnd;
    if (closesFence || (this.#sample && at < this.#sample.end)) return;
    if (mayHoldCalls(span)) this.#fenceEnd = span.end;
    else if (this.#isSample(at, span)) this.#sample = { end: span.end, closed: span.closed };
  }

  #isSample(at: number, span: CodeSpan): boolean {
    if (!span.closed) return span.language !== undefined;
    // A closing think tag ends thoughts even inside a sample, unless the sample shows just the tag.
    const showsTag = span.language === undefined && this.#text.startsWith('</', span.inside);
    const endsThoughts = !showsTag && this.#think.hasOrphanCloser(at, span.end);
    return !endsThoughts && !this.#isAllThereIs(at, span);
  }

  /** Inline code that makes up the whole message is no quotation within a text. */
  #isAllThereIs(at: number, span: CodeSpan): boolean {
    const isInline = span.language === undefined;
    return isInline && this.#kept.isBlankBefore(at) && skipSpace(this.#text, span.end) >= this.#text.length;
  }

  #take(format: Format, start: number, reading: FormatReading): void {
    if (reading.kind === 'calls') this.#takeVerdicts(format, start, reading);
    else if (reading.kind === 'thinking') this.#takeThought(start, reading);
    else if (reading.kind === 'control') {
      if (reading.hidden === 'always') this.#kept.cut(start, reading.end);
      else this.#kept.cutWithCalls(start, reading.end);
    }
    this.#at = Math.max(reading.end, start + 1);
  }

  #takeThought(start: number, { from, to, end }: { from: number; to: number; end: number }): void {
    this.#sawThinkTag = true;
    this.#kept.cut(start, end);
    this.#thoughts.push({ text: this.#text.slice(from, to), start: from });
  }

  #takeVerdicts(format: Format, start: number, reading: FormatReading & { kind: 'calls' }): void {
    const name = reading.format ?? format.name;
    const tried = this.#tried.get(name) ?? { layer: format.layer, found: 0 };
    this.#tried.set(name, tried);
    let taken = 0;
    for (const verdict of reading.verdicts) {
      const judged = this.#judge(verdict, format, { start, end: reading.end });
      if ('call' in judged) {
        this.#calls.push({ draft: judged.call, layer: format.layer, format: name, start, end: reading.end });
        taken++;
      } else this.#refusals.push({ draft: judged.refusal, start, end: reading.end });
    }
    tried.found += taken;
    if (taken > 0) this.#kept.cut(start, reading.end);
  }

  /** A call that stands in a code sample or example is none, whatever its form. */
  #judge(verdict: Verdict, format: Format, { start, end }: { start: number; end: number }): Verdict {
    if (!('call' in verdict)) return verdict;
    const { name } = verdict.call;
    const inSample = this.#sample && start < this.#sample.end && end <= this.#sample.end;
    const counts = this.#sample?.closed === false && format.layer === 'xml';
    if ((inSample && !counts) || isAnnouncedAsExample(this.#text, start)) {
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
    this.#kept.cut(this.#at, end);
    this.#at = end;
  }
}

/** The text was made to be slow, and not all of it was read for calls. */
function exhaustedAt(length: number): ScannedRefusal {
  const message = 'The reply holds too much that resembles calls to read all of it.';
  return { draft: { reason: 'too-large', message }, start: 0, end: length };
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

import { readBody } from './bodies/read-body.ts';
import { type CodeSpan, isAnnouncedAsExample, mayHoldCalls, readCodeSpan } from './code-samples.ts';
import { isControlToken } from './control-tokens.ts';
import type { Format, FormatContext, FormatReading, Opener, Trigger } from './formats/format.ts';
import { FORMATS } from './formats/registry.ts';
import { KeptText } from './kept-text.ts';
import { TEXT_LAYERS, type TextLayer } from './layers.ts';
import { MAX_REFUSALS } from './limits.ts';
import type { CallDraft, RefusalDraft, Verdict } from './reading.ts';
import { Source } from './source.ts';
import { MINIMAX_PREFIX, skipSpace } from './space.ts';
import { readBracketToken } from './tags.ts';
import { type ThinkBlock, ThinkTags } from './thinking.ts';
import { endOfOpenThought } from './thought-end.ts';
import type { ToolIndex } from './tool-index.ts';
import type { Piece } from './visible-text.ts';

interface ScannedCall {
  draft: CallDraft;
  layer: TextLayer;
  format: string;
  start: number;
  end: number;
}

interface ScannedRefusal {
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
  /** The visible text, in order. */
  pieces: Piece[];
  /** The text between think tags, and where it starts. */
  thoughts: Thought[];
  /** How many calls each recognized format yielded, including formats that yielded none. */
  tried: Map<string, { layer: TextLayer; found: number }>;
  /** Characters read in vain: the work beyond one pass. */
  spent: number;
  /** Steps taken: formats tried and characters read or searched. */
  work: number;
}

export interface ScanOptions {
  tools: ToolIndex;
  layers: ReadonlySet<string>;
}

/** A code sample, in which calls do not count. */
interface Sample {
  end: number;
  /** An unclosed fence may be a slip, so calls announced by a marker still count inside it. */
  closed: boolean;
}

const OPENER = /[<[{`\n]|~~~(?<=(?:^|\n)[ \t]{0,3}~~~)|>>>|\]<\]minimax\[>\[|functions\.|functools\[/g;
const TOOL_RESPONSE_END = /<\/tool_response>/g;

/**
 * Reads a text once from left to right (P2 to P7). At each possible opener the formats are tried in order; whatever none
 * of them reads is text. Think tags, fences and control tokens are handled in the same pass, so that inside an argument
 * they are data.
 */
export function scan(text: string, options: ScanOptions): Scan {
  return new Scanner(text, options).run();
}

class Scanner {
  readonly #source: Source;
  readonly #text: string;
  readonly #context: FormatContext;
  readonly #formats: ReadonlyMap<Trigger, readonly Format[]>;
  readonly #think: ThinkTags;
  #calls: ScannedCall[] = [];
  readonly #refusals: ScannedRefusal[] = [];
  readonly #kept: KeptText;
  readonly #thoughts: Thought[] = [];
  readonly #tried: Scan['tried'] = new Map();
  #at = 0;
  #sample: Sample | undefined;
  /** End of the current fence that may hold calls. Only offered tools count inside it. */
  #fenceEnd = 0;
  #sawThinkTag = false;

  constructor(text: string, options: ScanOptions) {
    this.#text = text;
    this.#source = new Source(text);
    this.#kept = new KeptText(text);
    this.#context = { source: this.#source, tools: options.tools, readBody };
    this.#think = new ThinkTags(this.#source);
    this.#formats = formatsOf(options.layers);
  }

  run(): Scan {
    this.#visit('\n', 0);
    while (this.#at < this.#text.length) {
      OPENER.lastIndex = this.#at;
      const match = OPENER.exec(this.#text);
      if (!match) break;
      this.#at = match.index;
      if (match[0] === MINIMAX_PREFIX) this.#cutToken(match.index + MINIMAX_PREFIX.length);
      else this.#visit(triggerOf(match[0]), match.index);
    }
    this.#kept.keepTo(this.#text.length);
    if (this.#source.exhausted) this.#refusals.unshift(exhaustedRefusal(this.#text.length));
    return {
      calls: this.#calls,
      refusals: this.#refusals,
      pieces: this.#kept.pieces,
      thoughts: this.#thoughts,
      tried: this.#tried,
      spent: this.#source.spent,
      work: this.#source.work,
    };
  }

  /** Reads the construct at an offset and moves past it. */
  #visit(trigger: Trigger, at: number): void {
    const start = trigger === '\n' && this.#text[at] === '\n' ? at + 1 : at;
    const opener: Opener = { at: start, free: this.#kept.free };
    if (trigger === '\n') opener.isFirst = this.#kept.isFirstLine(start);
    if (trigger === '<') {
      opener.tag = this.#source.tagAt(at);
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

  /** Text after thinking counts as the start of a line, even without a line break. */
  #visitLineStart(): void {
    const at = this.#at;
    if (at < this.#text.length && this.#text[at] !== '\n')
      this.#visitFormats('\n', { at, free: at, isFirst: this.#kept.isFirstLine(at) });
  }

  #visitFormats(trigger: Trigger, opener: Opener): boolean {
    for (const format of this.#formats.get(trigger) ?? []) {
      if (this.#source.exhausted) return false;
      this.#source.step();
      const reading = format.read(this.#context, opener);
      if (reading) {
        this.#take(format, reading.start ?? opener.at, reading);
        return true;
      }
    }
    return false;
  }

  /** Control tokens, the tag that Granite puts around its answer after thinking, and invented tool responses. */
  #visitTag(token: string, end: number): boolean {
    const isAnswerTag = this.#sawThinkTag && (token === 'response' || token === '/response');
    if (isControlToken(token) || isAnswerTag) {
      this.#cutToken(end);
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
      const thought = block.closed ? block : this.#openThought(block);
      this.#takeThought(at, thought);
      this.#at = thought.end;
      return true;
    }
    const closerEnd = this.#think.closerEnd(at);
    if (closerEnd === undefined) return false;
    this.#closeUnopened(at, closerEnd);
    return true;
  }

  #openThought({ from }: ThinkBlock): { from: number; to: number; end: number } {
    const to = endOfOpenThought(this.#context, this.#formats.get('<') ?? [], from);
    return { from, to, end: to };
  }

  /**
   * A closing think tag without an opening one: the template had opened it (P5). Everything before it was thinking; after
   * a first block, only the text since the last call.
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
    return !endsThoughts && !this.#isWholeMessage(at, span);
  }

  /** Inline code that is the whole message is not a quotation. */
  #isWholeMessage(at: number, span: CodeSpan): boolean {
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
      } else if (this.#refusals.length < MAX_REFUSALS) {
        this.#refusals.push({ draft: judged.refusal, start, end: reading.end });
      }
    }
    tried.found += taken;
    if (taken > 0) this.#kept.cut(start, reading.end);
  }

  /** Refuses calls inside a code sample or example, whatever their format. */
  #judge(verdict: Verdict, format: Format, { start, end }: { start: number; end: number }): Verdict {
    if (!('call' in verdict)) return verdict;
    const { name } = verdict.call;
    const inSample = this.#sample && start < this.#sample.end && end <= this.#sample.end;
    const counts = this.#sample?.closed === false && format.layer === 'xml';
    if ((inSample && !counts) || isAnnouncedAsExample(this.#text, start)) {
      const message = `A call of ${name} in a code sample or example is not carried out.`;
      return { refusal: { reason: 'code-sample', name, message } };
    }
    if (start < this.#fenceEnd && this.#context.tools.offered(name) === undefined) {
      return {
        refusal: { reason: 'name-not-offered', name, message: `${name} is not among the offered tools.` },
      };
    }
    return verdict;
  }

  /** Cuts a token from the visible text. */
  #cutToken(end: number): void {
    this.#kept.cut(this.#at, end);
    this.#at = end;
  }
}

/** A hostile text used up the allowance, so part of it was not searched for calls. */
function exhaustedRefusal(length: number): ScannedRefusal {
  const message = 'The reply contains too much that resembles calls to read all of it.';
  return { draft: { reason: 'too-large', message }, start: 0, end: length };
}

function triggerOf(found: string): Trigger {
  switch (found) {
    case 'functions.':
      return 'functions';
    case 'functools[':
      return 'functools';
    case '~~~':
      return '`';
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

/** Cached, because each thought is scanned separately and a text can contain thousands. */
const FORMATS_BY_LAYERS = new Map<string, ReadonlyMap<Trigger, readonly Format[]>>();

function formatsOf(layers: ReadonlySet<string>): ReadonlyMap<Trigger, readonly Format[]> {
  const key = TEXT_LAYERS.filter((layer) => layers.has(layer)).join();
  const known = FORMATS_BY_LAYERS.get(key);
  if (known) return known;
  const byTrigger = new Map<Trigger, Format[]>();
  for (const format of FORMATS.filter(({ layer }) => layers.has(layer))) {
    for (const trigger of format.triggers)
      byTrigger.set(trigger, [...(byTrigger.get(trigger) ?? []), format]);
  }
  FORMATS_BY_LAYERS.set(key, byTrigger);
  return byTrigger;
}

import type { Source } from './source.ts';

/** The text between two think tags. */
export interface ThinkBlock {
  /** Offset of the opening tag. */
  start: number;
  /** Offsets of the thinking itself. */
  from: number;
  to: number;
  /** Offset after the closing tag, or the end of the text. */
  end: number;
  closed: boolean;
}

interface ThinkTag {
  at: number;
  end: number;
  kind: string;
  closing: boolean;
  /** For an opener: index of the matching closer. */
  partner: number | undefined;
  /** For a closer: offset of the matching opener. */
  openedAt: number | undefined;
}

const SUFFIX = '(?::[a-z]\\w{0,31})?';
const ELEMENTS = ['think', 'thinking', 'reasoning', 'thought', 'seed:think', 'mm:think', 'longcat_think'];
const THINK_TAG = new RegExp(
  `</?(?:${ELEMENTS.join('|')})${SUFFIX}>|<\\|(?:(?:START|END)_THINKING|inner_(?:prefix|suffix))\\|>|\\[/?THINK\\]|<\\|channel>|<channel\\|>`,
  'gi',
);
const TAG_HERE = new RegExp(THINK_TAG.source, 'iy');
const WITH_SUFFIX = /^(<\/?(?:seed:|mm:)?[a-z_]+):[a-z]\w*>$/;

interface KnownTag {
  kind: string;
  closing: boolean;
}

/** The tags by their lowercase spelling. */
const TAGS: ReadonlyMap<string, KnownTag> = new Map<string, KnownTag>(
  [
    ...ELEMENTS.map((name) => ({ kind: name, open: `<${name}>`, close: `</${name}>` })),
    { kind: 'command-r', open: '<|start_thinking|>', close: '<|end_thinking|>' },
    { kind: 'apertus', open: '<|inner_prefix|>', close: '<|inner_suffix|>' },
    { kind: 'mistral', open: '[think]', close: '[/think]' },
    { kind: 'channel', open: '<|channel>', close: '<channel|>' },
  ].flatMap(({ kind, open, close }): [string, KnownTag][] => [
    [open, { kind, closing: false }],
    [close, { kind, closing: true }],
  ]),
);

/** Kinds whose opener counts only with a closer, since they are likely words in an answer. */
const NEEDS_CLOSER = new Set(['reasoning', 'thought', 'channel']);

/**
 * The thinking that belongs to the tag at an offset of a text that is still being written: up to its closing tag or the
 * end so far, or everything before a closing tag whose opening tag was in the prompt. `undefined` if no tag there
 * counts yet. Pure.
 */
export function thinkingAt(text: string, at: number): Pick<ThinkBlock, 'from' | 'to' | 'end'> | undefined {
  TAG_HERE.lastIndex = at;
  const [written = ''] = TAG_HERE.exec(text) ?? [];
  const tag = tagOf(written);
  if (!tag) return undefined;
  const isVague = NEEDS_CLOSER.has(tag.kind);
  const from = at + written.length;
  if (tag.closing) return isVague ? undefined : { from: 0, to: at, end: from };
  THINK_TAG.lastIndex = from;
  for (let match = THINK_TAG.exec(text); match !== null; match = THINK_TAG.exec(text)) {
    const { kind, closing } = tagOf(match[0]) ?? {};
    if (closing && kind === tag.kind) return { from, to: match.index, end: match.index + match[0].length };
  }
  return isVague ? undefined : { from, to: text.length, end: text.length };
}

/**
 * The think tags of a text and their pairs (P4, P5), found in one pass on first use. The scanner decides which of them
 * count, since a tag inside an argument is data.
 */
export class ThinkTags {
  readonly #source: Source;
  #found: ThinkTag[] | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** The block that opens at an offset. An unclosed one extends to the end of the text (P5). */
  blockAt(at: number): ThinkBlock | undefined {
    const tag = this.#at(at);
    if (!tag || tag.closing) return undefined;
    const closer = tag.partner === undefined ? undefined : this.#tags[tag.partner];
    const { text } = this.#source;
    // Gemma 4 names its channel; a mere mention of the token does not.
    const isNamed = tag.kind === 'channel' && text.startsWith('thought', tag.end);
    if (!closer && NEEDS_CLOSER.has(tag.kind) && !isNamed) return undefined;
    return {
      start: tag.at,
      from: tag.end,
      to: closer?.at ?? text.length,
      end: closer?.end ?? text.length,
      closed: closer !== undefined,
    };
  }

  /** Offset after the closing tag at an offset. */
  closerEnd(at: number): number | undefined {
    const tag = this.#at(at);
    return tag?.closing && !NEEDS_CLOSER.has(tag.kind) ? tag.end : undefined;
  }

  /** Whether a closer without an opener lies between two offsets. Thinking ends there, whatever surrounds it. */
  hasOrphanCloser(from: number, to: number): boolean {
    for (let index = this.#firstFrom(from); index < this.#tags.length; index++) {
      const tag = this.#tags[index];
      if (!tag || tag.at >= to) return false;
      if (tag.closing && !NEEDS_CLOSER.has(tag.kind) && (tag.openedAt ?? -1) < from) return true;
    }
    return false;
  }

  get #tags(): readonly ThinkTag[] {
    this.#found ??= findTags(this.#source);
    return this.#found;
  }

  /** Index of the first tag from an offset on. */
  #firstFrom(offset: number): number {
    let low = 0;
    let high = this.#tags.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#tags[middle]?.at ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #at(at: number): ThinkTag | undefined {
    // Most tags are not think tags, and a text without think tags needs no index.
    TAG_HERE.lastIndex = at;
    if (!TAG_HERE.test(this.#source.text)) return undefined;
    const tag = this.#tags[this.#firstFrom(at)];
    return tag?.at === at ? tag : undefined;
  }
}

function findTags(source: Source): ThinkTag[] {
  const { text } = source;
  source.step(text.length);
  const tags: ThinkTag[] = [];
  const open = new Map<string, ThinkTag[]>();
  THINK_TAG.lastIndex = 0;
  for (let match = THINK_TAG.exec(text); match !== null; match = THINK_TAG.exec(text)) {
    const [written] = match;
    const known = tagOf(written);
    if (known === undefined) continue;
    const { kind, closing } = known;
    const end = match.index + written.length;
    const tag: ThinkTag = { at: match.index, end, kind, closing, partner: undefined, openedAt: undefined };
    const waiting = open.get(kind) ?? [];
    open.set(kind, waiting);
    const index = tags.push(tag) - 1;
    if (!closing) {
      waiting.push(tag);
      continue;
    }
    const opener = waiting.pop();
    if (opener) {
      opener.partner = index;
      tag.openedAt = opener.at;
    }
  }
  linkUnbalanced(tags);
  return tags;
}

function tagOf(written: string): KnownTag | undefined {
  const lower = written.toLowerCase();
  return TAGS.get(lower) ?? TAGS.get(lower.replace(WITH_SUFFIX, '$1>'));
}

/** An unmatched opener ends at the next closer of its kind: `<think>a <think> b</think>answer`. */
function linkUnbalanced(tags: readonly ThinkTag[]): void {
  const nextCloser = new Map<string, number>();
  for (let index = tags.length - 1; index >= 0; index--) {
    const tag = tags[index];
    if (!tag) continue;
    if (tag.closing) nextCloser.set(tag.kind, index);
    else tag.partner ??= nextCloser.get(tag.kind);
  }
}

/** A stretch of text between think tags. */
export interface ThinkBlock {
  /** Offset of the opening tag. */
  start: number;
  /** Offsets of the thoughts themselves. */
  from: number;
  to: number;
  /** Offset behind the closing tag, or the end of the text. */
  end: number;
}

interface ThinkTag {
  at: number;
  end: number;
  kind: string;
  closing: boolean;
  /** For an opener: index of the closer that balances it. */
  partner?: number;
  /** For a closer: offset of the opener that it balances. */
  openedAt?: number;
}

const THINK_TAG =
  /<(\/?)(think|thinking|reasoning|thought|seed:think|mm:think|longcat_think)>|<\|(?:(START|END)_THINKING|inner_(prefix|suffix))\|>|\[(\/?)THINK\]|<(\|?)channel(\|?)>/gi;

/** Kinds whose opener counts only with a closer: as words of an answer they are too likely. */
const NEEDS_CLOSER = new Set(['reasoning', 'thought', 'channel']);

/**
 * Where the think tags of a text are and which belong together (P4, P5). Found in one pass when first asked for; the
 * scanner decides which of them count, since a tag inside an argument is data.
 */
export class ThinkTags {
  readonly #tags: ThinkTag[] = [];
  readonly #byOffset = new Map<number, number>();
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    const open = new Map<string, ThinkTag[]>();
    for (const match of text.matchAll(THINK_TAG)) {
      const tag = toTag(match);
      if (tag === undefined) continue;
      const waiting = open.get(tag.kind) ?? [];
      open.set(tag.kind, waiting);
      const index = this.#tags.push(tag) - 1;
      this.#byOffset.set(tag.at, index);
      if (!tag.closing) waiting.push(tag);
      else {
        const opener = waiting.pop();
        if (opener) {
          opener.partner = index;
          tag.openedAt = opener.at;
        }
      }
    }
    this.#linkUnbalanced();
  }

  /** An opener that nothing balances ends at the next closer of its kind: `<think>a <think> b</think>answer`. */
  #linkUnbalanced(): void {
    const nextCloser = new Map<string, number>();
    for (let index = this.#tags.length - 1; index >= 0; index--) {
      const tag = this.#tags[index];
      if (!tag) continue;
      if (tag.closing) nextCloser.set(tag.kind, index);
      else tag.partner ??= nextCloser.get(tag.kind);
    }
  }

  /** The block that opens at an offset. One that is never closed reaches to the end (P5). */
  blockAt(at: number): ThinkBlock | undefined {
    const tag = this.#at(at);
    if (!tag || tag.closing) return undefined;
    const closer = tag.partner === undefined ? undefined : this.#tags[tag.partner];
    if (!closer && NEEDS_CLOSER.has(tag.kind)) return undefined;
    return { start: tag.at, from: tag.end, to: closer?.at ?? this.#length, end: closer?.end ?? this.#length };
  }

  /** Offset behind the closing tag that stands at an offset. */
  closerEnd(at: number): number | undefined {
    const tag = this.#at(at);
    return tag?.closing && !NEEDS_CLOSER.has(tag.kind) ? tag.end : undefined;
  }

  /** Whether a closer stands between two offsets without its opener: thoughts end there, whatever surrounds it. */
  hasOrphanCloser(from: number, to: number): boolean {
    for (let index = this.#firstFrom(from); index < this.#tags.length; index++) {
      const tag = this.#tags[index];
      if (!tag || tag.at >= to) return false;
      if (tag.closing && !NEEDS_CLOSER.has(tag.kind) && (tag.openedAt ?? -1) < from) return true;
    }
    return false;
  }

  /** Index of the first tag at or behind an offset. */
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
    const index = this.#byOffset.get(at);
    return index === undefined ? undefined : this.#tags[index];
  }
}

function toTag(match: RegExpExecArray): ThinkTag | undefined {
  const [written, slash, name, startOrEnd, inner, bracketSlash, barBefore, barBehind] = match;
  const span = { at: match.index, end: match.index + written.length };
  if (name !== undefined) return { ...span, kind: name.toLowerCase(), closing: slash === '/' };
  if (startOrEnd !== undefined) return { ...span, kind: 'command-r', closing: /end/i.test(startOrEnd) };
  if (inner !== undefined) return { ...span, kind: 'apertus', closing: /suffix/i.test(inner) };
  if (bracketSlash !== undefined) return { ...span, kind: 'mistral', closing: bracketSlash === '/' };
  // Gemma 4 opens with `<|channel>` and closes with `<channel|>`; the other two combinations are no think tags.
  if (barBefore === barBehind) return undefined;
  return { ...span, kind: 'channel', closing: barBehind === '|' };
}

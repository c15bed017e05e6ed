import type { EventOf } from '../../events/registry.ts';
import { PARSER_LAYERS, type ParserLayer, totalCalls } from '../../parser/layers.ts';
import { formatCount, plural } from './format.ts';
import { LAYER_WORDS } from './layer-words.ts';

type Parsed = EventOf<'reply.parsed'>;

/** One layer of the reading, with the formats that were recognized in it. */
export interface Rung {
  readonly layer: ParserLayer;
  /** `skipped`: an earlier layer had calls already. `off`: this run does not read it. */
  readonly state: 'won' | 'nothing' | 'skipped' | 'off';
  /** Calls found. */
  readonly found: number;
  readonly formats: readonly { readonly format: string; readonly found: number }[];
}

/**
 * The rungs of the parse ladder, always all three and in the order in which they are tried, so that two replies can be
 * compared at a glance (P2, P17). Pure.
 */
export function ladderOf(parsed: Pick<Parsed, 'attempts' | 'calls'>): Rung[] {
  return PARSER_LAYERS.map((layer) => {
    const tried = parsed.attempts.filter((attempt) => attempt.layer === layer);
    const formats = tried.flatMap(({ format, found }) => (format === undefined ? [] : [{ format, found }]));
    const found = parsed.calls.filter((call) => call.layer === layer).length;
    const earlier = parsed.calls.some(
      (call) => PARSER_LAYERS.indexOf(call.layer) < PARSER_LAYERS.indexOf(layer),
    );
    if (found > 0) return { layer, state: 'won', found, formats };
    if (tried.length > 0) return { layer, state: 'nothing', found, formats };
    return { layer, state: earlier ? 'skipped' : 'off', found, formats };
  });
}

/** How a piece of a reply was handled. */
export interface Mark {
  readonly kind: 'call' | 'refusal';
  /** The call's number, or the refusal's reason. */
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

/** The stretches of one of the reply's texts that were taken as calls or refused, in reading order. Pure. */
export function marksOf(parsed: Pick<Parsed, 'calls' | 'refusals'>, where: 'content' | 'thinking'): Mark[] {
  const calls = parsed.calls.flatMap(({ span, call_id }): Mark[] =>
    span?.in === where ? [{ kind: 'call', label: call_id, start: span.start, end: span.end }] : [],
  );
  const refusals = parsed.refusals.flatMap(({ span, reason }): Mark[] =>
    span?.in === where ? [{ kind: 'refusal', label: reason, start: span.start, end: span.end }] : [],
  );
  return [...calls, ...refusals].sort((a, b) => a.start - b.start || b.end - a.end);
}

export interface MarkedPiece {
  /** Where the piece begins in the text: unique, so a list can key by it. */
  readonly start: number;
  readonly text: string;
  readonly mark?: Mark;
}

/**
 * Cuts a text at its marks. Offsets are UTF-16 code units, as the parser counts. A mark inside an earlier one, or beyond
 * the text (of which only the beginning may be here), is left out.
 */
export function markedText(text: string, marks: readonly Mark[]): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let from = 0;
  for (const mark of marks) {
    if (mark.start < from || mark.start >= text.length || mark.end <= mark.start) continue;
    if (mark.start > from) pieces.push({ start: from, text: text.slice(from, mark.start) });
    from = Math.min(mark.end, text.length);
    pieces.push({ start: mark.start, text: text.slice(mark.start, from), mark });
  }
  if (from < text.length) pieces.push({ start: from, text: text.slice(from) });
  return pieces;
}

/**
 * `17 calls: 12 native, 4 JSON in text, 1 XML in text · 2 repaired · 3 unreadable`, or `undefined` before the first reply that was read
 * (P17). Refused and unreadable ones are not among the calls.
 */
export function readingWords(counts: ReadingCounts): string | undefined {
  const formats = formatWords(counts);
  if (formats === undefined) return undefined;
  const calls = totalCalls(counts);
  return `${plural(calls, 'call')}${calls > 0 ? ': ' : ' · '}${formats}`;
}

type ReadingCounts = Readonly<Record<ParserLayer | 'repaired' | 'refused' | 'malformed', number>>;

/** The same without the number of calls, for a place that shows it already. */
export function formatWords(counts: ReadingCounts): string | undefined {
  const named = (parts: readonly { count: number; word: string }[]) =>
    parts.flatMap(({ count, word }) => (count > 0 ? [`${formatCount(count)} ${word}`] : []));
  const layers = named(
    PARSER_LAYERS.map((layer) => ({ count: counts[layer], word: LAYER_WORDS[layer].label })),
  );
  const others = named([
    { count: counts.repaired, word: 'repaired' },
    { count: counts.refused, word: 'refused' },
    { count: counts.malformed, word: 'unreadable' },
  ]);
  if (layers.length + others.length === 0) return undefined;
  return [...(layers.length > 0 ? [layers.join(', ')] : []), ...others].join(' · ');
}

/** Every reason for which text is not taken as a call, in two or three words. */
const REFUSAL_WORDS: Readonly<Record<string, string>> = {
  malformed: 'broken',
  cut: 'cut off',
  'name-not-offered': 'no such tool',
  'definition-echo': 'repeats a definition',
  'result-echo': 'repeats a result',
  'inside-thinking': 'only in thinking',
  'code-sample': 'a code sample',
  'unsafe-key': 'unsafe key',
  'too-deep': 'nested too deep',
  'too-large': 'too large',
};

/** The reason of a refusal in words; unknown ones as they are. */
export function refusalWords(reason: string): string {
  return REFUSAL_WORDS[reason] ?? reason;
}

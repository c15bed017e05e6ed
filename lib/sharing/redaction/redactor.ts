import { z } from 'zod';
import { type EventOf, type RunEvent, runEvent } from '../../events/registry.ts';
import { isCredential, isDistinctive } from './credentials.ts';
import { type ExactValues, maskOf } from './find-sensitive.ts';
import type { FindingGroup, FindingKind } from './match.ts';
import { RememberedTexts } from './remembered-texts.ts';
import { type RewriteText, rewriteBySchema } from './rewrite-by-schema.ts';
import { type Finding, Tallies } from './tallies.ts';

export interface RedactorOptions {
  /** Absolute path of the run's workspace. */
  workspace?: string | undefined;
  /** Other paths that reveal the layout of this machine, such as the data directory. */
  paths?: readonly string[];
  /** Values from the server's environment (`environmentSecrets`). */
  environment?: readonly string[];
  /** Tokens of this server. Always redacted, whatever `show` contains. */
  tokens?: readonly string[];
  /** Kinds to leave readable. */
  show?: ReadonlySet<FindingKind>;
  /** Cache size for scanned texts, in characters. */
  remembered?: number;
}

export interface Redactor {
  /** Redacts an event; the result is valid by its schema. Events must be passed in order of `seq`. */
  event(event: RunEvent): RunEvent;
  text(text: string): string;
  /** Learns the secrets of an event without counting or rewriting it, so that they are known everywhere. */
  learn(event: RunEvent): void;
  findings(): Finding[];
  /** Distinct values redacted so far, counted or learned. */
  masked(): number;
}

/** A replacement in a text: offsets before and after. */
interface Edit {
  start: number;
  end: number;
  to: number;
  length: number;
}

/** The replacements in one call's reply. */
interface ReplyEdits {
  content: readonly Edit[];
  thinking: readonly Edit[];
}

/** Limits the learned values, such as those of `password: …`, so that a hostile text cannot slow down the search. */
const MAX_LEARNED = 200;
/** Total length of cached texts; redactors of open links live long. */
const MAX_SEEN_CHARS = 250_000;
const CREDENTIAL = 'credential';
const OPERATOR_TOKEN = 'operator token';
const UNCHANGED: ReplyEdits = { content: [], thinking: [] };

/**
 * Redacts secrets, e-mail addresses, home folders, private addresses and environment values in the events and texts of
 * one run. The same value gets the same mask everywhere, and a value found next to a name like `password` is masked
 * everywhere from then on.
 *
 * Only complete events can be redacted: half a secret is not recognizable, so senders of redacted events must withhold
 * the deltas between them.
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const show = options.show ?? new Set<FindingKind>();
  const learned = new Map<string, FindingKind>();
  const given: ExactValues[] = [
    { kind: OPERATOR_TOKEN, group: 'secret', values: written(options.tokens ?? []) },
    { kind: 'workspace', group: 'path', values: folders([options.workspace ?? '']), wholeNames: true },
    { kind: 'folder', group: 'path', values: folders(options.paths ?? []), wholeNames: true },
    { kind: 'environment value', group: 'environment', values: written(options.environment ?? []) },
  ];
  const replies = new Map<string, ReplyEdits>();
  const isShown = (kind: FindingKind) => isShowable(kind) && show.has(kind);
  const tallies = new Tallies(isShown);
  const texts = new RememberedTexts({ maxChars: options.remembered ?? MAX_SEEN_CHARS });

  /** The values to search for literally: given and learned ones. */
  let exact: readonly ExactValues[] = given;

  const learn = (kind: FindingKind, value: string) => {
    if (learned.size >= MAX_LEARNED || learned.has(value) || isShown(kind)) return;
    learned.set(value, kind);
    exact = [...exact, { kind, group: 'secret', values: [value] }];
  };

  /** Records the value and returns its mask. */
  const note = (kind: FindingKind, group: FindingGroup, value: string): string =>
    maskOf(kind, tallies.note(kind, group, value));

  const rewrite = (text: string): { text: string; edits: readonly Edit[] } => {
    const edits: Edit[] = [];
    let out = '';
    let from = 0;
    for (const match of texts.find(text, exact)) {
      const value = text.slice(match.start, match.end);
      if (match.learned) learn(match.kind, value);
      const mask = note(match.kind, match.group, value);
      if (isShown(match.kind)) continue;
      out += text.slice(from, match.start);
      edits.push({ start: match.start, end: match.end, to: out.length, length: mask.length });
      out += mask;
      from = match.end;
    }
    return { text: out + text.slice(from), edits };
  };

  /** Redacts a string of an event, given its key. If the result violates the schema, the whole string is masked. */
  const leaf: RewriteText = (value, { key, schema }) => {
    if (key !== undefined && isCredential(key, value)) {
      if (isDistinctive(value)) learn(CREDENTIAL, value);
      const mask = note(CREDENTIAL, 'secret', value);
      if (!isShown(CREDENTIAL)) return mask;
    }
    const masked = rewrite(value).text;
    return masked === value || schema === undefined || z.safeParse(schema, masked).success
      ? masked
      : maskOf('text', 1);
  };

  /** Repeats while new values are learned, because they may occur in what was already rewritten. */
  const settle = <Result>(work: () => Result): Result => {
    for (let tries = 0; ; tries += 1) {
      const known = learned.size;
      tallies.forgetNoted();
      const result = work();
      if (learned.size === known || tries === 3) return result;
    }
  };

  const rewriteEvent = (event: RunEvent): RunEvent =>
    settle(() => {
      const masked = runEvent.parse(rewriteBySchema(runEvent, withoutPlaces(event, replies), leaf));
      if (event.type === 'model-call.ended') {
        const { content: said, thinking: thought = '' } = event.message;
        const { content, thinking } = tallies.unnoted(() => ({
          content: rewrite(said).edits,
          thinking: rewrite(thought).edits,
        }));
        const unchanged = content.length === 0 && thinking.length === 0;
        replies.set(replyKey(event), unchanged ? UNCHANGED : { content, thinking });
      }
      return masked;
    });

  return {
    event(event) {
      const masked = rewriteEvent(event);
      tallies.count(event.seq);
      return masked;
    },
    text(value) {
      const masked = settle(() => rewrite(value).text);
      tallies.count(undefined);
      return masked;
    },
    learn(event) {
      rewriteEvent(event);
      tallies.forgetNoted();
    },
    findings: () => tallies.findings(),
    masked: () => tallies.masked(),
  };
}

/** Whether a kind may be left readable; the operator token may not. */
export function isShowable(kind: FindingKind): boolean {
  return kind !== OPERATOR_TOKEN;
}

/** Adjusts spans to the redacted reply or drops them, and removes the machine's name. */
function withoutPlaces(event: RunEvent, replies: ReadonlyMap<string, ReplyEdits>): RunEvent {
  if (event.type === 'run.started' || event.type === 'run.resumed') return { ...event, worker: 'worker' };
  if (event.type !== 'reply.parsed') return event;
  const edits = replies.get(replyKey(event));
  if (edits === UNCHANGED) return event;
  return {
    ...event,
    calls: event.calls.map(({ span, ...call }) => ({ ...call, ...movedSpan(span, edits) })),
    refusals: event.refusals.map(({ span, ...refusal }) => ({ ...refusal, ...movedSpan(span, edits) })),
  };
}

type Span = EventOf<'reply.parsed'>['calls'][number]['span'];

function movedSpan(span: Span, edits: ReplyEdits | undefined): { span?: Span } {
  if (span === undefined || edits === undefined) return {};
  const { in: text, start, end } = span;
  return { span: { in: text, start: moved(edits[text], start).from, end: moved(edits[text], end).to } };
}

/** Maps an offset through the edits. One inside a replaced range maps to the range's start and end. */
function moved(edits: readonly Edit[], offset: number): { from: number; to: number } {
  let shift = 0;
  for (const { start, end, to, length } of edits) {
    if (offset <= start) break;
    if (offset < end) return { from: to, to: to + length };
    shift += length - (end - start);
  }
  return { from: offset + shift, to: offset + shift };
}

function replyKey(event: { run_id: string; call: number }): string {
  return `${event.run_id} ${event.call}`;
}

/**
 * The forms in which a value may occur in a log: plain, JSON, form-encoded, hexadecimal, and base64, also as part of a longer
 * value. Other escapes are decoded first (`unescaped`).
 */
function written(values: readonly string[]): string[] {
  return longestFirst(
    values.flatMap((value) => {
      const hex = Buffer.from(value).toString('hex');
      return [
        value,
        JSON.stringify(value).slice(1, -1),
        value.replaceAll(' ', '+'),
        ...(value.length < MIN_ENCODED ? [] : [hex, hex.toUpperCase()]),
        ...inBase64(value),
      ];
    }),
  );
}

/** The encoding of a shorter value is too short to be distinctive. */
const MIN_ENCODED = 8;

/** The base64 of a value alone, and the invariant part of it within longer data, in both alphabets. */
function inBase64(value: string): string[] {
  const alone = Buffer.from(value).toString('base64');
  const within = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    // Skip characters that also encode bits of the neighbours.
    const from = Math.ceil((before * 4) / 3);
    return bytes.toString('base64').slice(from, Math.floor((bytes.length * 4) / 3));
  });
  const forms = value.length < MIN_ENCODED ? [alone] : [alone, ...within];
  return [
    ...forms,
    ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')),
  ];
}

function folders(paths: readonly string[]): string[] {
  return longestFirst(
    paths
      .map((path) => path.replace(/[/\\]$/, ''))
      .flatMap((path) => [path, JSON.stringify(path).slice(1, -1)]),
  );
}

function longestFirst(values: readonly string[]): string[] {
  return [...new Set(values)].filter((value) => value.length >= 4).sort((a, b) => b.length - a.length);
}

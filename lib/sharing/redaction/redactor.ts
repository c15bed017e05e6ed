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
  /** Other paths that say where things lie on this machine, for example the data directory. */
  paths?: readonly string[];
  /** Values of the server's own environment (`environmentSecrets`). */
  environment?: readonly string[];
  /** Tokens of this program. They are masked whatever `show` says. */
  tokens?: readonly string[];
  /** Kinds that stay readable. */
  show?: ReadonlySet<FindingKind>;
  /** How many characters of texts are remembered with what was found in them. */
  remembered?: number;
}

export interface Redactor {
  /** The event with everything masked that should not leave; valid by its schema. Events come in order of `seq`. */
  event(event: RunEvent): RunEvent;
  text(text: string): string;
  /** Takes in the secrets of an event without counting or rewriting it, so that they are known wherever they stand. */
  learn(event: RunEvent): void;
  findings(): Finding[];
  /** Distinct values that were masked in what went through, counted or learned. */
  masked(): number;
}

/** What was replaced in a text: offsets before and after. */
interface Edit {
  start: number;
  end: number;
  to: number;
  length: number;
}

/** What was replaced in the reply of one call. */
interface ReplyEdits {
  content: readonly Edit[];
  thinking: readonly Edit[];
}

/** A value of `password: …` and its like is looked for elsewhere; so many of them, that a hostile text costs no time. */
const MAX_LEARNED = 200;
/** Texts whose findings are kept, by their length in all: redactors of open links stay for long. */
const MAX_SEEN_CHARS = 250_000;
const CREDENTIAL = 'credential';
const OPERATOR_TOKEN = 'operator token';
const UNCHANGED: ReplyEdits = { content: [], thinking: [] };

/**
 * Masks secrets, e-mail addresses, home paths, private addresses and values of the server's environment in the events
 * and texts of one run. The same value gets the same mask in all of them, and a value that stood beside a name like
 * `password` is masked wherever it stands from then on.
 *
 * Only whole events are ever rewritten: half a secret cannot be told from a word, so whoever sends redacted events
 * withholds the deltas between them.
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

  /** What is looked for as it is: what was given, and what was learned, by the kind it was found as. */
  let exact: readonly ExactValues[] = given;

  const learn = (kind: FindingKind, value: string) => {
    if (learned.size >= MAX_LEARNED || learned.has(value) || isShown(kind)) return;
    learned.set(value, kind);
    exact = [...exact, { kind, group: 'secret', values: [value] }];
  };

  /** Notes the value and brings its mask. */
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

  /** A string of an event, with the key it stands under. Where its schema no longer takes it, the mask is the whole. */
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

  /** Again, as long as values were learned that may stand in what was rewritten before. */
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

/** Whether a kind may be left readable: the token that opens this program may not. */
export function isShowable(kind: FindingKind): boolean {
  return kind !== OPERATOR_TOKEN;
}

/** Rewrites a whole log: what any of its events gives away is masked in all of them. */
export function redactLog(
  events: readonly RunEvent[],
  options: RedactorOptions = {},
): { events: RunEvent[]; findings: Finding[] } {
  const redactor = createRedactor(options);
  for (const event of events) redactor.learn(event);
  const redacted = events.map((event) => redactor.event(event));
  return { events: redacted, findings: redactor.findings() };
}

/** The event with spans that fit the rewritten reply, or none; and without the name of the machine. */
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

/** Where an offset lies after the edits. One that lies in what was replaced becomes the place before or after it. */
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
 * A value as it may be written in a log: plain, within JSON, in a form, as hexadecimal digits, and as base64, also in the
 * middle of more. Percents and escapes of other kinds are read as what they mean (`unescaped`).
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

/** Of a shorter value too little is left in an encoding to tell it from chance. */
const MIN_ENCODED = 8;

/** Base64 of a value alone, and what it always becomes in the middle of more, in both alphabets. */
function inBase64(value: string): string[] {
  const alone = Buffer.from(value).toString('base64');
  const within = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    // Signs that also hold bits of the neighbours are left out.
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

import { z } from 'zod';
import type { FileBefore } from '../../events/changed-file.ts';
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
/** Replacements for texts whose schema rejects a mask, such as a host or a tool name; the first valid one is used. */
const REPLACEMENTS = [maskOf('text', 1), 'masked'];
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
  return new RunRedactor(options);
}

/** What to redact in a run: also the folders in its configuration. */
export function withRunFolders(
  masks: RedactorOptions,
  { workspace, copied_from }: { workspace: string; copied_from?: string },
): RedactorOptions {
  const paths = copied_from === undefined ? masks.paths : [...(masks.paths ?? []), copied_from];
  return { ...masks, paths, workspace: workspace || undefined };
}

class RunRedactor implements Redactor {
  readonly #show: ReadonlySet<FindingKind>;
  readonly #learned = new Set<string>();
  /** Secrets that were found by their shape, which a part of them may lack. */
  readonly #shaped = new Set<string>();
  /** The values to search for literally: given and learned ones. */
  #exact: readonly ExactValues[];
  readonly #replies = new Map<string, ReplyEdits>();
  readonly #tallies: Tallies;
  readonly #texts: RememberedTexts;

  constructor({ show, tokens, workspace, paths, environment, remembered }: RedactorOptions) {
    this.#show = show ?? new Set();
    this.#exact = [
      { kind: OPERATOR_TOKEN, group: 'secret', values: written(tokens ?? []) },
      { kind: 'workspace', group: 'path', values: folders([workspace ?? '']), wholeNames: true },
      { kind: 'folder', group: 'path', values: folders(paths ?? []), wholeNames: true },
      { kind: 'environment value', group: 'environment', values: written(environment ?? []) },
    ];
    this.#tallies = new Tallies((kind) => this.#isShown(kind));
    this.#texts = new RememberedTexts({ maxChars: remembered ?? MAX_SEEN_CHARS });
  }

  event(event: RunEvent): RunEvent {
    const masked = this.#rewriteEvent(event);
    this.#tallies.count(event.seq);
    return masked;
  }

  text(value: string): string {
    const masked = this.#settle(() => this.#rewrite(value).text);
    this.#tallies.count(undefined);
    return masked;
  }

  learn(event: RunEvent): void {
    this.#rewriteEvent(event);
    this.#tallies.forgetNoted();
  }

  findings(): ReturnType<Redactor['findings']> {
    return this.#tallies.findings();
  }

  masked(): ReturnType<Redactor['masked']> {
    return this.#tallies.masked();
  }

  #isShown(kind: FindingKind): boolean {
    return isShowable(kind) && this.#show.has(kind);
  }

  #learnValue(kind: FindingKind, value: string): void {
    if (this.#learned.size >= MAX_LEARNED || this.#learned.has(value) || this.#isShown(kind)) return;
    this.#learned.add(value);
    this.#exact = [...this.#exact, { kind, group: 'secret', values: [value] }];
  }

  #learnShaped(kind: FindingKind, value: string): void {
    if (this.#shaped.size >= MAX_LEARNED || this.#shaped.has(value) || this.#learned.has(value)) return;
    if (this.#isShown(kind) || !isDistinctive(value)) return;
    this.#shaped.add(value);
    this.#exact = [...this.#exact, { kind, group: 'secret', values: [value], piecesOnly: true }];
  }

  /** Records the value and returns its mask. */
  #note(kind: FindingKind, group: FindingGroup, value: string): string {
    return maskOf(kind, this.#tallies.note(kind, group, value));
  }

  #rewrite(text: string): { text: string; edits: readonly Edit[] } {
    const edits: Edit[] = [];
    let out = '';
    let from = 0;
    for (const match of this.#texts.find(text, this.#exact)) {
      const value = text.slice(match.start, match.end);
      if (match.learned) this.#learnValue(match.kind, value);
      else if (match.group === 'secret' && match.whole === undefined) this.#learnShaped(match.kind, value);
      const mask = this.#note(match.kind, match.group, match.whole ?? value);
      if (this.#isShown(match.kind)) continue;
      out += text.slice(from, match.start);
      edits.push({ start: match.start, end: match.end, to: out.length, length: mask.length });
      out += mask;
      from = match.end;
    }
    return { text: out + text.slice(from), edits };
  }

  /** Redacts a string of an event, given its key. If the result violates the schema, the whole string is replaced. */
  readonly #leaf: RewriteText = (value, { key, schema }) => {
    if (key !== undefined && isCredential(key, value)) {
      if (isDistinctive(value)) this.#learnValue(CREDENTIAL, value);
      const mask = this.#note(CREDENTIAL, 'secret', value);
      if (!this.#isShown(CREDENTIAL)) return mask;
    }
    const masked = this.#rewrite(value).text;
    const fits = (text: string) => schema === undefined || z.safeParse(schema, text).success;
    return masked === value || fits(masked) ? masked : (REPLACEMENTS.find(fits) ?? maskOf('text', 1));
  };

  /** Repeats while new values are learned, because they may occur in what was already rewritten. */
  #settle<Result>(work: () => Result): Result {
    for (let tries = 0; ; tries += 1) {
      const known = this.#exact;
      this.#tallies.forgetNoted();
      const result = work();
      if (this.#exact === known || tries === 3) return result;
    }
  }

  #rewriteEvent(event: RunEvent): RunEvent {
    return this.#settle(() => {
      const masked = runEvent.parse(
        rewriteBySchema(runEvent, withoutPlaces(event, this.#replies), this.#leaf),
      );
      if (event.type === 'model-call.ended') {
        const { content: said, thinking: thought = '' } = event.message;
        const { content, thinking } = this.#tallies.unnoted(() => ({
          content: this.#rewrite(said).edits,
          thinking: this.#rewrite(thought).edits,
        }));
        const unchanged = content.length === 0 && thinking.length === 0;
        this.#replies.set(replyKey(event), unchanged ? UNCHANGED : { content, thinking });
      }
      return masked;
    });
  }
}

/** Whether a kind may be left readable; the operator token may not. */
export function isShowable(kind: FindingKind): boolean {
  return kind !== OPERATOR_TOKEN;
}

/** Adjusts spans to the redacted reply or drops them, and removes the machine's name and bytes that cannot be searched. */
function withoutPlaces(event: RunEvent, replies: ReadonlyMap<string, ReplyEdits>): RunEvent {
  switch (event.type) {
    case 'run.started':
    case 'run.resumed':
      return { ...event, worker: 'worker' };
    case 'approval.requested':
    case 'tool-call.started':
      return event.file?.before.kind === 'binary'
        ? { ...event, file: { ...event.file, before: withoutBytes(event.file.before.base64) } }
        : event;
    case 'reply.parsed': {
      const edits = replies.get(replyKey(event));
      if (edits === UNCHANGED) return event;
      return {
        ...event,
        calls: event.calls.map(({ span, ...call }) => ({ ...call, ...movedSpan(span, edits) })),
        refusals: event.refusals.map(({ span, ...refusal }) => ({ ...refusal, ...movedSpan(span, edits) })),
      };
    }
    default:
      return event;
  }
}

/** The content of a file that is not UTF-8, which may be text in another encoding: secrets in it are not found. */
function withoutBytes(base64: string): FileBefore {
  return { kind: 'not_kept', size_bytes: Buffer.byteLength(base64, 'base64') };
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
 * The forms in which a value may occur in a log: plain, JSON, JSON within JSON, form-encoded, hexadecimal, and base64, also as part of a longer
 * value. Other escapes are decoded first (`unescaped`).
 */
function written(values: readonly string[]): string[] {
  return longestFirst(
    values.flatMap((value) => {
      const hex = Buffer.from(value).toString('hex');
      const json = inJson(value);
      return [
        ...[value, json, inJson(json)],
        value.replaceAll(' ', '+'),
        ...(value.length < MIN_ENCODED ? [] : [hex, hex.toUpperCase()]),
        ...inBase64(value),
      ];
    }),
  );
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** The encoding of a shorter value is too short to be distinctive. */
const MIN_ENCODED = 8;

/** The base64 of a value alone, and the invariant part of it within longer data, in both alphabets. */
function inBase64(value: string): string[] {
  const alone = Buffer.from(value).toString('base64');
  const within = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    // Skip characters that also encode bits of the neighbors.
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
    paths.map((path) => path.replace(/[/\\]$/, '')).flatMap((path) => [path, inJson(path)]),
  );
}

function longestFirst(values: readonly string[]): string[] {
  return [...new Set(values)].filter((value) => value.length >= 4).sort((a, b) => b.length - a.length);
}

import { z } from 'zod';
import type { RunDelta } from '../events/delta.ts';
import type { SharedRunStore } from '../store/shared-run-store.ts';
import { jsonValue } from '../util/json.ts';
import { LiveTexts, nothingSeen, type SeenTexts } from './live-texts.ts';

/** How often pieces go out. What a model writes meanwhile goes in one. */
const SEND_MS = 100;
/** How often a process says what its viewers look at, and for how long that counts. */
const ASK_MS = 2000;
const WANTED_MS = 3 * ASK_MS;
/** A message holds 8000 bytes, and a character takes up to six of them. */
const PIECE_CHARS = 1000;
const MESSAGES_AT_A_TIME = 64;
const AHEAD_AT_MOST = 50;
const RUNS_PER_QUESTION = 20;

const textPiece = z.object({
  type: z.enum(['text', 'thinking']),
  call: z.number(),
  offset: z.number(),
  text: z.string(),
  since: z.number().optional(),
});
const piece = z.discriminatedUnion('type', [
  textPiece,
  z.object({ type: z.literal('tool-output'), call_id: z.string(), offset: z.number(), text: z.string() }),
  z.object({
    type: z.literal('queue'),
    position: z.number(),
    ahead: z.array(z.string()),
    expected_at: z.number().optional(),
  }),
  z.object({ type: z.literal('load'), size_bytes: z.number().optional(), vram_bytes: z.number().optional() }),
]);
const message = z.union([
  /** Viewers look at these runs; of the `fresh` ones they have nothing yet. */
  z.object({ want: z.array(z.string()), fresh: z.array(z.string()) }),
  /** What is written in a run after its event `seq`. */
  z.object({ run: z.string(), seq: z.number(), delta: piece }),
]);

interface Writing {
  lastSeq: number;
  texts: LiveTexts;
}

type Followed = Pick<ReadonlyMap<string, unknown>, 'keys' | 'has'>;

/**
 * Text in progress of runs that another process works on. It is asked for while somebody looks, and comes in pieces that
 * are stored nowhere: without viewers elsewhere nothing is said, and an append never waits for it. A piece that is lost
 * is asked for again.
 */
export class DistantTexts {
  readonly #store: Pick<SharedRunStore, 'say' | 'onSaid'>;
  readonly #held: (runId: string) => Writing | undefined;
  readonly #followed: Followed;
  readonly #onChange: (runId: string) => void;
  readonly #here = new Map<string, Writing>();
  readonly #wanted = new Map<string, { until: number; seq: number; seen: SeenTexts; changed: boolean }>();
  readonly #asking: NodeJS.Timeout;
  #sending: NodeJS.Timeout | undefined;

  constructor(options: {
    store: Pick<SharedRunStore, 'say' | 'onSaid'>;
    /** A run that this process works on. */
    held: (runId: string) => Writing | undefined;
    /** The runs that viewers of this process look at. */
    followed: Followed;
    /** There is something new to show. */
    onChange: (runId: string) => void;
  }) {
    this.#store = options.store;
    this.#held = options.held;
    this.#followed = options.followed;
    this.#onChange = options.onChange;
    this.#store.onSaid((text) => this.#hear(text));
    this.#asking = setInterval(() => this.ask(), ASK_MS).unref();
  }

  /** What is being written in a run after its event `lastSeq`, as far as it came here. */
  of(runId: string): Writing | undefined {
    return this.#here.get(runId);
  }

  /** A run that this process works on has something new. */
  changed(runId: string): void {
    const wanted = this.#wanted.get(runId);
    if (!wanted) return;
    wanted.changed = true;
    this.#sending ??= setTimeout(() => void this.#send(), SEND_MS).unref();
  }

  /** Another process has appended: what was being written is in the log, or is sent again after this event. */
  appended(runId: string, lastSeq: number): void {
    const here = this.#here.get(runId);
    if (here && here.lastSeq !== lastSeq) this.#here.delete(runId);
  }

  /** Asks for what viewers look at here. */
  ask(): void {
    for (const runId of this.#here.keys()) if (!this.#wants(runId)) this.#here.delete(runId);
    const want = [...this.#followed.keys()].filter((runId) => this.#wants(runId));
    const questions = [];
    for (let from = 0; from < want.length; from += RUNS_PER_QUESTION) {
      const some = want.slice(from, from + RUNS_PER_QUESTION);
      questions.push({ want: some, fresh: some.filter((runId) => !this.#here.has(runId)) });
    }
    if (questions.length > 0) this.#say(questions);
  }

  close(): void {
    clearInterval(this.#asking);
    clearTimeout(this.#sending);
  }

  #wants(runId: string): boolean {
    return this.#followed.has(runId) && !this.#held(runId);
  }

  #say(messages: readonly z.input<typeof message>[]): void {
    // Shown live or not at all: the events bring every text whole.
    void this.#store.say(messages.map((each) => JSON.stringify(each))).catch(() => undefined);
  }

  #hear(text: string): void {
    const { data } = message.safeParse(jsonValue(text)); // others may write on our channel
    if (!data) return;
    if ('want' in data) for (const runId of data.want) this.#want(runId, data.fresh.includes(runId));
    else this.#take(data.run, data.seq, data.delta);
  }

  #want(runId: string, fresh: boolean): void {
    const held = this.#held(runId);
    if (!held) return;
    const known = this.#wanted.get(runId);
    const seen = fresh || !known ? nothingSeen() : known.seen;
    const until = performance.now() + WANTED_MS;
    this.#wanted.set(runId, { until, seq: held.lastSeq, seen, changed: false });
    this.changed(runId);
  }

  async #send(): Promise<void> {
    const messages: string[] = [];
    for (const [runId, wanted] of this.#wanted) {
      const held = this.#held(runId);
      if (!held || performance.now() > wanted.until) this.#wanted.delete(runId);
      else if (wanted.changed) {
        wanted.changed = false;
        // After an event the others begin anew: they do not know what it ended.
        if (wanted.seq !== held.lastSeq) wanted.seen = nothingSeen();
        wanted.seq = held.lastSeq;
        for (const delta of held.texts.since(wanted.seen)) {
          for (const part of inPieces(delta)) {
            messages.push(JSON.stringify({ run: runId, seq: held.lastSeq, delta: part }));
          }
        }
      }
    }
    for (let from = 0; from < messages.length; from += MESSAGES_AT_A_TIME) {
      await this.#store.say(messages.slice(from, from + MESSAGES_AT_A_TIME)).catch(() => undefined); // as in `#say`
    }
    this.#sending = undefined;
    for (const [runId, { changed }] of this.#wanted) if (changed) this.changed(runId);
  }

  #take(runId: string, seq: number, delta: RunDelta): void {
    if (!this.#wants(runId)) return;
    let here = this.#here.get(runId);
    if (here && seq < here.lastSeq) return;
    if (!here || seq > here.lastSeq) here = { lastSeq: seq, texts: new LiveTexts() };
    if (here.texts.lacks(delta)) {
      this.#here.delete(runId);
      this.#say([{ want: [runId], fresh: [runId] }]);
      return;
    }
    this.#here.set(runId, here);
    if (here.texts.add(delta)) this.#onChange(runId);
  }
}

/** A long text as parts that a message can hold. */
function inPieces(delta: RunDelta): RunDelta[] {
  if (delta.type === 'load') return [delta];
  if (delta.type === 'queue') return [{ ...delta, ahead: delta.ahead.slice(0, AHEAD_AT_MOST) }];
  const pieces: RunDelta[] = [];
  for (let from = 0; from < delta.text.length; from += PIECE_CHARS) {
    const text = delta.text.slice(from, from + PIECE_CHARS);
    pieces.push({ ...delta, offset: delta.offset + from, text });
  }
  return pieces;
}

import { z } from 'zod';
import type { RunDelta } from '../events/delta.ts';
import type { ProcessMessages } from '../store/leases.ts';
import { jsonValue } from '../util/json.ts';
import { LiveDeltas, nothingSeen, type SeenTexts } from './live-deltas.ts';

/** Interval for sending deltas. Text written in between is sent as one. */
const SEND_MS = 100;
/** How often a process announces the runs its viewers follow, and how long an announcement is valid. */
const ASK_MS = 2000;
const WANTED_MS = 3 * ASK_MS;
/** A message holds 8000 bytes, and a character takes up to six bytes as JSON. */
const PIECE_CHARS = 1000;
const MESSAGES_PER_BATCH = 64;
const MAX_AHEAD = 50;
const RUNS_PER_REQUEST = 20;

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
  z.object({ type: z.literal('server-wait'), next_try_at: z.number() }),
  z.object({ type: z.literal('load'), size_bytes: z.number().optional(), vram_bytes: z.number().optional() }),
]);
const message = z.union([
  /** Viewers follow these runs and have no text yet of the `fresh` ones. */
  z.object({ want: z.array(z.string()), fresh: z.array(z.string()) }),
  /** Text in progress after event `seq` of a run. */
  z.object({ run: z.string(), seq: z.number(), delta: piece }),
]);

interface Writing {
  lastSeq: number;
  texts: LiveDeltas;
}

type Followed = Pick<ReadonlyMap<string, unknown>, 'keys' | 'has'>;

/**
 * Text in progress of runs that another process works on. It is requested while someone is watching and sent in messages
 * that are not stored: without remote viewers nothing is sent, and an append never waits for it. Lost messages are
 * requested again.
 */
export class RemoteDeltas {
  readonly #store: ProcessMessages;
  readonly #held: (runId: string) => Writing | undefined;
  readonly #followed: Followed;
  readonly #onChange: (runId: string) => void;
  readonly #here = new Map<string, Writing>();
  readonly #wanted = new Map<string, { until: number; seq: number; seen: SeenTexts; changed: boolean }>();
  readonly #asking: NodeJS.Timeout;
  #sending: NodeJS.Timeout | undefined;

  constructor(options: {
    store: ProcessMessages;
    /** Returns a run that this process works on. */
    held: (runId: string) => Writing | undefined;
    /** The runs followed by viewers of this process. */
    followed: Followed;
    /** Called when there is something new to show. */
    onChange: (runId: string) => void;
  }) {
    this.#store = options.store;
    this.#held = options.held;
    this.#followed = options.followed;
    this.#onChange = options.onChange;
    this.#store.onBroadcast((text) => this.#receive(text));
    this.#asking = setInterval(() => this.ask(), ASK_MS).unref();
  }

  /** The text in progress after event `lastSeq`, as received so far. */
  of(runId: string): Writing | undefined {
    return this.#here.get(runId);
  }

  /** Call when a run that this process works on has new text. */
  changed(runId: string): void {
    const wanted = this.#wanted.get(runId);
    if (!wanted) return;
    wanted.changed = true;
    this.#sending ??= setTimeout(() => void this.#send(), SEND_MS).unref();
  }

  /** Call when another process has appended: the text in progress is now in the log, or is sent again. */
  appended(runId: string, lastSeq: number): void {
    const here = this.#here.get(runId);
    if (here && here.lastSeq !== lastSeq) this.#here.delete(runId);
  }

  /** Requests the runs that viewers of this process follow. */
  ask(): void {
    for (const runId of this.#here.keys()) if (!this.#wants(runId)) this.#here.delete(runId);
    const want = [...this.#followed.keys()].filter((runId) => this.#wants(runId));
    const requests = [];
    for (let from = 0; from < want.length; from += RUNS_PER_REQUEST) {
      const some = want.slice(from, from + RUNS_PER_REQUEST);
      requests.push({ want: some, fresh: some.filter((runId) => !this.#here.has(runId)) });
    }
    if (requests.length > 0) this.#broadcast(requests);
  }

  close(): void {
    clearInterval(this.#asking);
    clearTimeout(this.#sending);
  }

  #wants(runId: string): boolean {
    return this.#followed.has(runId) && !this.#held(runId);
  }

  #broadcast(messages: readonly z.input<typeof message>[]): void {
    // Best effort: the events contain every text in full.
    void this.#store.broadcast(messages.map((each) => JSON.stringify(each))).catch(() => undefined);
  }

  #receive(text: string): void {
    const { data } = message.safeParse(jsonValue(text)); // other programs may write to our channel
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
        // After an event the other processes discard their text, so send it from the start.
        if (wanted.seq !== held.lastSeq) wanted.seen = nothingSeen();
        wanted.seq = held.lastSeq;
        for (const delta of held.texts.since(wanted.seen)) {
          for (const part of inPieces(delta)) {
            messages.push(JSON.stringify({ run: runId, seq: held.lastSeq, delta: part }));
          }
        }
      }
    }
    for (let from = 0; from < messages.length; from += MESSAGES_PER_BATCH) {
      await this.#store.broadcast(messages.slice(from, from + MESSAGES_PER_BATCH)).catch(() => undefined); // as in `#broadcast`
    }
    this.#sending = undefined;
    for (const [runId, { changed }] of this.#wanted) if (changed) this.changed(runId);
  }

  #take(runId: string, seq: number, delta: RunDelta): void {
    if (!this.#wants(runId)) return;
    let here = this.#here.get(runId);
    if (here && seq < here.lastSeq) return;
    if (!here || seq > here.lastSeq) here = { lastSeq: seq, texts: new LiveDeltas() };
    if (here.texts.lacks(delta)) {
      this.#here.delete(runId);
      this.#broadcast([{ want: [runId], fresh: [runId] }]);
      return;
    }
    this.#here.set(runId, here);
    if (here.texts.add(delta)) this.#onChange(runId);
  }
}

/** Splits a long text into parts that fit a message. */
function inPieces(delta: RunDelta): RunDelta[] {
  if (delta.type === 'load' || delta.type === 'server-wait') return [delta];
  if (delta.type === 'queue') return [{ ...delta, ahead: delta.ahead.slice(0, MAX_AHEAD) }];
  const pieces: RunDelta[] = [];
  for (let from = 0; from < delta.text.length; from += PIECE_CHARS) {
    const text = delta.text.slice(from, from + PIECE_CHARS);
    pieces.push({ ...delta, offset: delta.offset + from, text });
  }
  return pieces;
}

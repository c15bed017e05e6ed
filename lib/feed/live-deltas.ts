import type { RunDelta } from '../events/delta.ts';

/** Live text is cut off here; the event that ends it contains it in full. */
const MAX_LIVE_CHARS = 1024 * 1024;

interface LiveText {
  readonly piece: (offset: number, text: string) => TextDelta;
  text: string;
}

/**
 * The text in progress of a run. A viewer stores only how far it has read and pulls the rest from here, so a slow viewer
 * costs a number rather than a queue.
 */
export class LiveDeltas {
  readonly #texts = new Map<string, LiveText>();
  /** Only the latest queue position, load state or next check of the server is kept. */
  #note: NoteDelta | undefined;
  #noteVersion = 0;

  /** Merges a delta by its offset. Returns whether there is something new to show. */
  add(delta: RunDelta): boolean {
    if (isNote(delta)) {
      this.#note = delta;
      this.#noteVersion += 1;
      return true;
    }
    const key = keyOf(delta);
    const live = this.#texts.get(key) ?? { piece: pieceOf(delta), text: '' };
    this.#texts.set(key, live);
    // An overlapping delta adds only its new part; one after a gap is appended as is.
    const known = Math.max(0, live.text.length - delta.offset);
    const fresh = delta.text.slice(known, known + MAX_LIVE_CHARS - live.text.length);
    live.text += fresh;
    return fresh !== '';
  }

  /** Whether text before this delta is missing. */
  lacks(delta: RunDelta): boolean {
    if (isNote(delta)) return false;
    return delta.offset > (this.#texts.get(keyOf(delta))?.text.length ?? 0);
  }

  /** Drops texts that an event now contains in full. */
  endCall(call: number): void {
    this.#texts.delete(`text ${call}`);
    this.#texts.delete(`thinking ${call}`);
  }

  endTool(callId: string): void {
    this.#texts.delete(`tool ${callId}`);
  }

  endNote(): void {
    this.#note = undefined;
  }

  /** Returns the deltas that a viewer has not seen, and updates `seen`. */
  since(seen: SeenTexts): RunDelta[] {
    const deltas: RunDelta[] = [];
    if (this.#note && seen.noteVersion !== this.#noteVersion) deltas.push(this.#note);
    seen.noteVersion = this.#noteVersion;
    for (const key of seen.offsets.keys()) if (!this.#texts.has(key)) seen.offsets.delete(key);
    for (const [key, { piece, text }] of this.#texts) {
      const offset = seen.offsets.get(key) ?? 0;
      if (text.length === offset) continue;
      deltas.push(piece(offset, text.slice(offset)));
      seen.offsets.set(key, text.length);
    }
    return deltas;
  }
}

/** How much of each text in progress a viewer has been sent. */
export interface SeenTexts {
  offsets: Map<string, number>;
  noteVersion: number;
}

export function nothingSeen(): SeenTexts {
  return { offsets: new Map(), noteVersion: 0 };
}

type NoteDelta = Extract<RunDelta, { type: 'queue' | 'load' | 'server-wait' }>;
type TextDelta = Exclude<RunDelta, NoteDelta>;

function isNote(delta: RunDelta): delta is NoteDelta {
  return delta.type === 'queue' || delta.type === 'load' || delta.type === 'server-wait';
}

function keyOf(delta: TextDelta): string {
  return delta.type === 'tool-output' ? `tool ${delta.call_id}` : `${delta.type} ${delta.call}`;
}

function pieceOf(delta: TextDelta): LiveText['piece'] {
  if (delta.type === 'tool-output') {
    const { call_id } = delta;
    return (offset, text) => ({ type: 'tool-output', call_id, offset, text });
  }
  const { type, call, since } = delta;
  return (offset, text) => ({ type, call, offset, text, since });
}

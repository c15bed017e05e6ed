import type { RunDelta } from '../events/delta.ts';

/** Longer texts are shown whole by the event that ends them; what runs beyond this is not shown live. */
const MAX_LIVE_CHARS = 1024 * 1024;

interface LiveText {
  readonly piece: (offset: number, text: string) => TextDelta;
  text: string;
}

/**
 * The text so far of everything a run is writing at the moment. Viewers hold only how much they have seen and take the
 * rest from here, so that a slow one costs a number and not a queue.
 */
export class LiveTexts {
  readonly #texts = new Map<string, LiveText>();
  /** What is shown in its last state only: the place in the queue, the load. */
  #note: NoteDelta | undefined;
  #noteVersion = 0;

  /** Takes a piece in by its offset. Returns whether there is something new to show. */
  add(delta: RunDelta): boolean {
    if (delta.type === 'queue' || delta.type === 'load') {
      this.#note = delta;
      this.#noteVersion += 1;
      return true;
    }
    const key = keyOf(delta);
    const live = this.#texts.get(key) ?? { piece: pieceOf(delta), text: '' };
    this.#texts.set(key, live);
    // A piece that overlaps adds what is new of it; one that leaves a gap continues the text as it is.
    const known = Math.max(0, live.text.length - delta.offset);
    const fresh = delta.text.slice(known, known + MAX_LIVE_CHARS - live.text.length);
    live.text += fresh;
    return fresh !== '';
  }

  /** Whether there is text before the piece that never came. */
  lacks(delta: RunDelta): boolean {
    if (delta.type === 'queue' || delta.type === 'load') return false;
    return delta.offset > (this.#texts.get(keyOf(delta))?.text.length ?? 0);
  }

  /** Drops what an event has brought whole. */
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

  /** What a viewer has not seen yet. `seen` is the viewer's own and is brought up to date. */
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

/** How much of the running texts a viewer has been sent. */
export interface SeenTexts {
  offsets: Map<string, number>;
  noteVersion: number;
}

export function nothingSeen(): SeenTexts {
  return { offsets: new Map(), noteVersion: 0 };
}

type NoteDelta = Extract<RunDelta, { type: 'queue' | 'load' }>;
type TextDelta = Exclude<RunDelta, NoteDelta>;

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

import type { RunDelta } from '../../events/delta.ts';
import { MAX_STREAMED_CHARS } from '../../events/limits.ts';

/** Text that is still coming. `start` is above 0 when its beginning was left out or not received. */
export interface LiveText {
  readonly start: number;
  readonly text: string;
}

/** Live data between two events, for the rows that are open now. */
export interface Live {
  /** The model call that is writing. */
  readonly call: number;
  readonly text: LiveText | undefined;
  readonly thinking: LiveText | undefined;
  readonly toolOutput: Readonly<Record<string, LiveText>>;
  /** When the model began to think and to write, in milliseconds since 1970, by the server's clock. */
  readonly thinkingSince: number | undefined;
  readonly textSince: number | undefined;
  /** Ollama's report on the model that it is loading. */
  readonly load:
    | { readonly sizeBytes: number | undefined; readonly vramBytes: number | undefined }
    | undefined;
  /** When Loupe next checks whether the server is back, in milliseconds since 1970. */
  readonly serverWait: { readonly nextTryAt: number } | undefined;
  readonly queue:
    | { readonly position: number; readonly ahead: readonly string[]; readonly expectedAt?: number }
    | undefined;
}

export const emptyLive: Live = {
  call: 0,
  text: undefined,
  thinking: undefined,
  toolOutput: {},
  queue: undefined,
  serverWait: undefined,
  load: undefined,
  thinkingSince: undefined,
  textSince: undefined,
};

/**
 * Merges a piece of text by its offset, so that a repeated piece changes nothing and a late viewer's first piece
 * contains everything. Returns the same object when nothing is new.
 */
export function applyPiece(live: LiveText | undefined, offset: number, piece: string): LiveText {
  if (!live) return trim({ start: offset, text: piece });
  const end = live.start + live.text.length;
  if (offset + piece.length <= end && offset >= live.start) return live;
  // A gap: continue with what arrived; `start` marks it as incomplete.
  if (offset > end || offset < live.start) return trim({ start: offset, text: piece });
  return trim({ start: live.start, text: live.text + piece.slice(end - offset) });
}

function trim(live: LiveText): LiveText {
  const surplus = live.text.length - MAX_STREAMED_CHARS;
  if (surplus <= MAX_STREAMED_CHARS / 2) return live;
  return { start: live.start + surplus, text: live.text.slice(surplus) };
}

/** Applies a delta. Pure. */
export function applyDelta(live: Live, delta: RunDelta): Live {
  switch (delta.type) {
    case 'text':
    case 'thinking': {
      const base =
        live.call === delta.call
          ? live
          : {
              ...live,
              call: delta.call,
              text: undefined,
              thinking: undefined,
              textSince: undefined,
              thinkingSince: undefined,
            };
      const sinceField = delta.type === 'text' ? 'textSince' : 'thinkingSince';
      const before = base[delta.type];
      const after = applyPiece(before, delta.offset, delta.text);
      return after === before && base === live
        ? live
        : { ...base, queue: undefined, [delta.type]: after, [sinceField]: delta.since ?? base[sinceField] };
    }
    case 'tool-output': {
      const before = live.toolOutput[delta.call_id];
      const after = applyPiece(before, delta.offset, delta.text);
      return after === before
        ? live
        : { ...live, toolOutput: { ...live.toolOutput, [delta.call_id]: after } };
    }
    case 'server-wait':
      return { ...live, serverWait: { nextTryAt: delta.next_try_at } };
    case 'load':
      return { ...live, load: { sizeBytes: delta.size_bytes, vramBytes: delta.vram_bytes } };
    case 'queue':
      return {
        ...live,
        queue: { position: delta.position, ahead: delta.ahead, expectedAt: delta.expected_at },
      };
  }
}

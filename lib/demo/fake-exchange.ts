import type { ServerResponse } from 'node:http';

/** A received request. */
export interface RecordedRequest {
  method: string;
  path: string;
  /** The parsed JSON body; `undefined` if there is none, the text if it is invalid JSON. */
  body: unknown;
  /** Milliseconds since 1970. */
  at: number;
  scenario?: string;
  /** The turn that was answered, from 0. */
  turn?: number;
  /** How the exchange ended; `undefined` while it is in progress. */
  endedBy?: 'server' | 'client';
}

/** A client that disconnected before its response was complete. */
export interface CloseEvent {
  path: string;
  /** The stage of the exchange: in the queue, loading the model, before the first byte, or within the reply. */
  phase: 'queue' | 'load' | 'waiting' | 'reply';
  /** Milliseconds since 1970. */
  at: number;
}

/** One request with its response, and whether the client is still connected. */
export class Exchange {
  phase: CloseEvent['phase'] = 'waiting';
  isStreamed = false;
  isMalformed = false;
  recorded: RecordedRequest | undefined;
  readonly gone: AbortSignal;
  readonly res: ServerResponse;

  /**
   * The rest of a reply is not read: the client left a stream, or a parser gave up on a whole reply before it was
   * complete.
   */
  get hasLostReader(): boolean {
    return this.phase === 'reply' && (this.isStreamed ? this.gone.aborted : this.isMalformed);
  }

  constructor(path: string, res: ServerResponse, closeEvents: CloseEvent[]) {
    const controller = new AbortController();
    this.gone = controller.signal;
    this.res = res;
    res.on('close', () => {
      const byClient = !res.writableEnded;
      if (this.recorded) this.recorded.endedBy = byClient ? 'client' : 'server';
      if (byClient) closeEvents.push({ path, phase: this.phase, at: Date.now() });
      controller.abort();
    });
  }
}

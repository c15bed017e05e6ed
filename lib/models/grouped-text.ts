import { PACE_MS } from '../feed/pace.ts';

type Kind = 'thinking' | 'text';

/**
 * Sends the pieces of a reply in groups: a model writes faster than a slow viewer reads, and each waiting message takes
 * several times the memory of its token.
 */
export class GroupedText {
  readonly #send: (group: { type: Kind; text: string }) => void;
  #held: Record<Kind, string> = { thinking: '', text: '' };
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (group: { type: Kind; text: string }) => void) {
    this.#send = send;
  }

  add(type: Kind, text: string): void {
    this.#held[type] += text;
    this.#timer ??= setTimeout(() => this.flush(), PACE_MS);
  }

  /** Sends what is held. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = this.#held;
    this.#held = { thinking: '', text: '' };
    for (const type of ['thinking', 'text'] as const) if (held[type]) this.#send({ type, text: held[type] });
  }
}

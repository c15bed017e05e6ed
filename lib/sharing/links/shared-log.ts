import { setImmediate as turn } from 'node:timers/promises';
import type { ShareRecord } from '../../api/share.ts';
import type { RunEvent } from '../../events/registry.ts';
import type { RunReader } from '../../store/run-store.ts';
import { createRedactor, type Redactor, type RedactorOptions } from '../redaction/redactor.ts';
import { inScope } from '../redaction/scope.ts';
import type { Finding } from '../redaction/tallies.ts';

const ignored = () => undefined;

/** Events that are looked through before others get their turn. */
const PAGE = 50;

/**
 * A run as one link shows it: in its scope, masked, up to its last event. The page, the stream and the preview all go
 * through here, so that none of them can show more than another.
 *
 * Every event is looked through in order before any is shown: what gives a secret away late is masked early as well, and
 * a value has the same mask wherever a reader begins.
 */
export class SharedLog {
  readonly #store: Pick<RunReader, 'read'>;
  readonly #runId: string;
  readonly #scope: ShareRecord['scope'];
  readonly #redactor: Redactor;
  #known = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(options: {
    store: Pick<RunReader, 'read'>;
    runId: string;
    scope: ShareRecord['scope'];
    redaction: RedactorOptions;
  }) {
    this.#store = options.store;
    this.#runId = options.runId;
    this.#scope = options.scope;
    this.#redactor = createRedactor(options.redaction);
  }

  /** Looks through the log up to an event, once. */
  lookThrough(seq: number): Promise<void> {
    // A look that failed, as of a store that was busy, is no reason for the next to fail.
    this.#work = this.#work.catch(ignored).then(async () => {
      while (this.#known < seq) {
        const limit = Math.min(PAGE, seq - this.#known);
        const events = await this.#store.read(this.#runId, { afterSeq: this.#known, limit });
        if (events.length === 0) return;
        for (const event of events) this.#redactor.learn(event);
        this.#known += events.length;
        await turn();
      }
    });
    return this.#work;
  }

  /** Events of the run as this link shows them. */
  async show(events: readonly RunEvent[]): Promise<RunEvent[]> {
    await this.lookThrough(events.at(-1)?.seq ?? 0);
    return events.map((event) => this.#redactor.event(inScope(event, this.#scope)));
  }

  /** One event as this link shows it; `undefined` beyond its last. */
  async one(seq: number, untilSeq: number): Promise<RunEvent | undefined> {
    if (seq > untilSeq) return undefined;
    const [event] = await this.#store.read(this.#runId, { afterSeq: seq - 1, limit: 1 });
    return event?.seq === seq ? (await this.show([event]))[0] : undefined;
  }

  /** Reads on from an event, page by page, up to `untilSeq`. */
  async *read(range: { afterSeq: number; untilSeq: number }): AsyncGenerator<RunEvent[]> {
    for (let afterSeq = range.afterSeq; afterSeq < range.untilSeq; ) {
      const limit = Math.min(PAGE, range.untilSeq - afterSeq);
      const events = await this.#store.read(this.#runId, { afterSeq, limit });
      const last = events.at(-1);
      if (!last) return;
      afterSeq = last.seq;
      yield await this.show(events);
      await turn();
    }
  }

  /** Distinct values that are masked, as far as the log was looked through. */
  masked(): number {
    return this.#redactor.masked();
  }

  text(text: string): string {
    return this.#redactor.text(text);
  }

  /** What was found in what was shown so far. */
  findings(): Finding[] {
    return this.#redactor.findings();
  }
}

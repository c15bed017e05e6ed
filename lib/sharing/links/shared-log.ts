import { setImmediate as turn } from 'node:timers/promises';
import type { ShareRecord } from '../../api/share.ts';
import { imagesOfEvent } from '../../events/images-of-event.ts';
import type { RunEvent } from '../../events/registry.ts';
import type { ImageReader, StoredImage } from '../../store/image-store.ts';
import type { RunReader } from '../../store/run-store.ts';
import { createRedactor, type Redactor, type RedactorOptions } from '../redaction/redactor.ts';
import { inScope } from '../redaction/scope.ts';
import type { Finding } from '../redaction/tallies.ts';

const ignored = () => undefined;

/** Events to process before yielding to other work. */
const PAGE = 50;

/**
 * A run as one link shows it: limited to its scope, redacted, up to its last event. The page, the stream and the preview
 * all read through this class, so none of them can reveal more than another.
 *
 * All events are scanned in order before any is shown: a secret that is only recognized late is also masked in earlier
 * events, and a value has the same mask wherever a reader starts.
 */
export class SharedLog {
  readonly #store: Pick<RunReader, 'read'> & Pick<ImageReader, 'image'>;
  readonly #runId: string;
  readonly #scope: ShareRecord['scope'];
  readonly #redactor: Redactor;
  /** Hashes of the images that the link shows, each with the first event that contains it. */
  readonly #images = new Map<string, number>();
  #known = 0;
  /** The last event whose masked values are counted, if the scope withholds others. */
  #counted = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(options: {
    store: Pick<RunReader, 'read'> & Pick<ImageReader, 'image'>;
    runId: string;
    scope: ShareRecord['scope'];
    redaction: RedactorOptions;
  }) {
    this.#store = options.store;
    this.#runId = options.runId;
    this.#scope = options.scope;
    this.#redactor = createRedactor(options.redaction);
  }

  /** Scans the log up to an event; each event is scanned once. */
  lookThrough(seq: number): Promise<void> {
    // A failed scan, for example because the store was busy, must not fail the next one.
    this.#work = this.#work.catch(ignored).then(async () => {
      while (this.#known < seq) {
        const limit = Math.min(PAGE, seq - this.#known);
        const events = await this.#store.read(this.#runId, { afterSeq: this.#known, limit });
        if (events.length === 0) return;
        for (const event of events) this.#learn(event);
        this.#known += events.length;
        await turn();
      }
    });
    return this.#work;
  }

  #learn(event: RunEvent): void {
    this.#redactor.learn(event);
    for (const { hash } of imagesOfEvent(inScope(event, this.#scope))) {
      if (!this.#images.has(hash)) this.#images.set(hash, event.seq);
    }
  }

  /** An image that this link shows, as it is: nothing in it is masked. `undefined` for all others of the run. */
  async image(hash: string, untilSeq: number): Promise<StoredImage | undefined> {
    await this.lookThrough(untilSeq);
    const seq = this.#images.get(hash);
    return seq === undefined || seq > untilSeq ? undefined : this.#store.image(this.#runId, hash);
  }

  /** Redacts events of the run for this link. */
  async show(events: readonly RunEvent[]): Promise<RunEvent[]> {
    await this.lookThrough(events.at(-1)?.seq ?? 0);
    return events.map((event) => this.#redactor.event(inScope(event, this.#scope)));
  }

  /** One redacted event; `undefined` if it is after the last one of this link. */
  async one(seq: number, untilSeq: number): Promise<RunEvent | undefined> {
    if (seq > untilSeq) return undefined;
    const [event] = await this.#store.read(this.#runId, { afterSeq: seq - 1, limit: 1 });
    return event?.seq === seq ? (await this.show([event]))[0] : undefined;
  }

  /** Reads the redacted events after `afterSeq` up to `untilSeq`, page by page. */
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

  /** The number of distinct images in everything scanned so far. */
  images(): number {
    return this.#images.size;
  }

  /** The number of distinct values masked in what the link shows up to an event, without what its scope withholds. */
  async masked(untilSeq: number): Promise<number> {
    if (this.#scope === 'everything') return this.#redactor.masked();
    for await (const shown of this.read({ afterSeq: this.#counted, untilSeq })) {
      this.#counted = shown.at(-1)?.seq ?? this.#counted;
    }
    const masked = this.findings().filter(({ shown }) => !shown);
    return masked.reduce((sum, { values }) => sum + values, 0);
  }

  text(text: string): string {
    return this.#redactor.text(text);
  }

  /** The findings in everything scanned so far. */
  findings(): Finding[] {
    return this.#redactor.findings();
  }
}

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { RunEvent } from '../../events/registry.ts';
import type { RunReader } from '../../store/run-store.ts';
import {
  createRedactor,
  type Redactor,
  type RedactorOptions,
  withRunFolders,
} from '../redaction/redactor.ts';
import type { AppendObserver } from './append-observer.ts';
import { SpanProjection } from './run-spans.ts';

const PAGE = 500;
/** Batch limits: spans are sent after this many milliseconds, or at this count. */
const SEND_AFTER_MS = 1000;
const SEND_AT = 200;
/** Max queued spans, so that an unresponsive collector does not fill the memory; more are dropped. */
const MAX_WAITING = 10_000;
const TIMEOUT_MS = 10_000;
/** A killed process may not have sent, or not completely, what ended this long before its last event. */
const UNSENT_MS = SEND_AFTER_MS + TIMEOUT_MS;

interface Followed {
  projection: SpanProjection;
  redactor: Redactor;
  seq: number;
}

/**
 * Sends the spans of runs to a collector of OpenTelemetry as they end (OTLP over HTTP, JSON). Texts are included,
 * masked, only if the operator asked for them. A collector that fails is reported once and affects no run.
 */
export class SpanSender implements AppendObserver {
  readonly #exporter: OTLPTraceExporter;
  readonly #content: boolean;
  readonly #masks: RedactorOptions;
  readonly #read: RunReader['read'];
  readonly #runs = new Map<string, Followed>();
  #waiting: ReadableSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #failing = false;

  /** @param options.read returns the events of a run that this process resumes */
  constructor(options: {
    /** The collector's URL for spans: `http://127.0.0.1:4318/v1/traces`. */
    url: string;
    content: boolean;
    masks: RedactorOptions;
    read: RunReader['read'];
  }) {
    this.#exporter = new OTLPTraceExporter({ url: options.url, timeoutMillis: TIMEOUT_MS });
    this.#content = options.content;
    this.#masks = options.masks;
    this.#read = options.read;
  }

  async write(runId: string, events: readonly RunEvent[]): Promise<void> {
    try {
      const known = this.#runs.get(runId);
      if (known && events[0]?.seq === known.seq + 1) this.#take(known, events, { send: true });
      else await this.#begin(runId, events);
    } catch (error) {
      this.#runs.delete(runId);
      console.error(`The spans of run ${runId} could not be created:`, error);
    } finally {
      if (events.some(({ type }) => type === 'run.ended')) this.#runs.delete(runId);
    }
  }

  async remove(runId: string): Promise<void> {
    this.#runs.delete(runId);
  }

  /** Sends all queued spans and waits for the response. */
  async close(): Promise<void> {
    this.#send();
    await this.#exporter.shutdown();
  }

  /**
   * Starts a new or resumed run. Spans of earlier events were sent by the process that appended them. If it was killed,
   * the last ones may be missing, so a resumed run sends them again, with the same IDs.
   */
  async #begin(runId: string, events: readonly RunEvent[]): Promise<void> {
    const followed = {
      projection: new SpanProjection({ content: this.#content }),
      redactor: createRedactor(this.#masks),
      seq: 0,
    };
    const first = events[0]?.seq ?? 1;
    const [last] =
      events[0]?.type === 'run.resumed' ? await this.#read(runId, { afterSeq: first - 2, limit: 1 }) : [];
    const sentUntil = last ? last.at - UNSENT_MS : Number.POSITIVE_INFINITY;
    while (followed.seq < first - 1) {
      const limit = Math.min(PAGE, first - 1 - followed.seq);
      const page = await this.#read(runId, { afterSeq: followed.seq, limit });
      if (page.length === 0) return;
      const unsent = page.findIndex(({ at }) => at >= sentUntil);
      const sent = unsent === -1 ? page.length : unsent;
      this.#take(followed, page.slice(0, sent), { send: false });
      this.#take(followed, page.slice(sent), { send: true });
    }
    this.#runs.set(runId, followed);
    this.#take(followed, events, { send: true });
  }

  #take(followed: Followed, events: readonly RunEvent[], { send }: { send: boolean }): void {
    for (const event of events) {
      followed.seq = event.seq;
      if (event.type === 'run.created') {
        followed.redactor = createRedactor(withRunFolders(this.#masks, event.config));
      }
      const spans = followed.projection.take(followed.redactor.event(event));
      if (send) this.#waiting.push(...spans.slice(0, Math.max(0, MAX_WAITING - this.#waiting.length)));
    }
    if (this.#waiting.length >= SEND_AT) this.#send();
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), SEND_AFTER_MS).unref();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const spans = this.#waiting;
    this.#waiting = [];
    if (spans.length === 0) return;
    this.#exporter.export(spans, ({ error }) => {
      if (error && !this.#failing) {
        console.warn(`Spans could not be sent to the collector (LOUPE_OTLP_ENDPOINT): ${error.message}`);
      }
      this.#failing = error !== undefined;
    });
  }
}

import type { RunConfig } from '../../events/config.ts';
import { imagesOfEvent } from '../../events/images-of-event.ts';
import type { RunEvent } from '../../events/registry.ts';
import type { ShareScope } from '../../events/share-scopes.ts';
import { createRedactor, type RedactorOptions } from '../redaction/redactor.ts';
import { inScope } from '../redaction/scope.ts';

/** How long a log is cached: an export takes seconds and reads the log twice. */
const REMEMBERED_CHARS = 8_000_000;

type Pages = AsyncIterable<readonly RunEvent[]>;

/** A log ready for export: limited to its scope, and masked unless requested otherwise. */
export interface ExportedLog {
  readonly config: RunConfig;
  readonly scope: ShareScope;
  /** The events from the first, page by page, all up to the same last one. */
  pages: () => AsyncGenerator<readonly RunEvent[]>;
  /** Hashes of the images that its events refer to. */
  readonly images: ReadonlySet<string>;
  /** Number of values masked so far; `undefined` for an unmasked log. */
  masked: () => number | undefined;
}

/**
 * Prepares a log for export. Reads it twice: first to learn its secrets, so that a value that only a later event
 * reveals to be a secret is masked in earlier events, too.
 *
 * @param options.read returns the current log; may be called repeatedly
 * @param options.redaction what to mask; `undefined` masks nothing
 */
export async function exportedLog(options: {
  config: RunConfig;
  read: () => Pages;
  scope: ShareScope;
  redaction: RedactorOptions | undefined;
}): Promise<ExportedLog> {
  const { read, scope } = options;
  const redactor =
    options.redaction && createRedactor({ ...options.redaction, remembered: REMEMBERED_CHARS });
  let config = options.config;
  const images = new Set<string>();
  let last = 0;
  for await (const events of read()) {
    for (const event of events) {
      redactor?.learn(event);
      for (const { hash } of imagesOfEvent(inScope(event, scope))) images.add(hash);
      last = event.seq;
    }
  }
  const leaving = (event: RunEvent) => {
    const seen = inScope(event, scope);
    return redactor ? redactor.event(seen) : seen;
  };
  // The first event contains the configuration, so that the run's details are masked like its log.
  for await (const [created] of read()) {
    const first = created && leaving(created);
    if (first?.type === 'run.created') config = first.config;
    break;
  }
  return {
    config,
    scope,
    images,
    async *pages() {
      for await (const events of read()) {
        const kept = events.filter(({ seq }) => seq <= last);
        if (kept.length > 0) yield kept.map(leaving);
      }
    },
    masked: () =>
      redactor
        ?.findings()
        .filter(({ shown }) => !shown)
        .reduce((sum, { values }) => sum + values, 0),
  };
}

import type { RunEvent } from '../../events/registry.ts';
import { createRedactor, type RedactorOptions } from './redactor.ts';
import type { Finding } from './tallies.ts';

/** Redacts a log like exports and share links do: read once to learn its secrets, then redacted. */
export function redactLog(
  events: readonly RunEvent[],
  options: RedactorOptions = {},
): { events: RunEvent[]; findings: Finding[] } {
  const redactor = createRedactor(options);
  for (const event of events) redactor.learn(event);
  const redacted = events.map((event) => redactor.event(event));
  return { events: redacted, findings: redactor.findings() };
}

import type { RunSummary } from '../api/run-summary.ts';
import { AppError } from '../errors/app-error.ts';
import { foldCycles, noCycles } from '../events/fold-cycles.ts';
import { modeFacts } from '../events/modes.ts';
import type { RunEvent } from '../events/registry.ts';
import type { Cycles } from '../events/timeline.ts';

/** The cycles of a run, read from its log page by page. @throws the signal's reason */
export async function readCycles(
  log: AsyncIterable<readonly RunEvent[]>,
  signal: AbortSignal,
): Promise<Cycles> {
  let cycles = noCycles;
  for await (const page of log) {
    signal.throwIfAborted();
    cycles = foldCycles(cycles, page);
  }
  return cycles;
}

/** @throws {AppError} `invalid_request` for a run whose mode has no cycles */
export function requireCycles({ id, mode }: RunSummary): void {
  if (modeFacts(mode).hasCycles) return;
  throw new AppError({
    code: 'invalid_request',
    message: `Run ${id} has no cycles: it is a ${modeFacts(mode).run.toLowerCase()}.`,
    hint: 'Name explorations only.',
  });
}

import type { RunMode } from '../../events/modes.ts';
import type { RunEvent } from '../../events/registry.ts';

/** Derives something from events as they are stored: a log file, spans. A failure here never affects the run. */
export interface AppendObserver {
  /** Takes events that this process has just stored. The append ends when this resolves. Never throws. */
  write(runId: string, events: readonly RunEvent[], mode: RunMode): Promise<void>;
  /** Called when the run was deleted. The deletion ends when this resolves. */
  remove(runId: string): Promise<void>;
}

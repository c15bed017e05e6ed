import type { CheckVerdict } from '../api/model-check.ts';
import type { ToolProbe } from '../api/tool-check.ts';

/** The progress of a check. */
export type CheckStep =
  | { type: 'loading' }
  | { type: 'probe-started'; id: string }
  | { type: 'probe-ended'; id: string; verdict: CheckVerdict; durationMs: number };

/** The progress of a check of a server's tools. */
export type ToolCheckStep =
  | { type: 'loading' }
  | { type: 'probing'; total: number }
  | { type: 'probe-ended'; probe: ToolProbe };

import type { CheckVerdict } from '../api/model-check.ts';

/** The progress of a check. */
export type CheckStep =
  | { type: 'loading' }
  | { type: 'probe-started'; id: string }
  | { type: 'probe-ended'; id: string; verdict: CheckVerdict; durationMs: number };

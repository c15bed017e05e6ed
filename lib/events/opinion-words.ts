import type { Opinion } from './verification.ts';

/** A model's verdict, as pages and exports write it. */
export function verdictWord(verdict: Opinion['verdict']): string {
  return verdict ?? 'not judged';
}

/** An opinion as a line of text: `Opinion of qwen3:8b: pass`, or why there is none. */
export function opinionWords({ model, verdict, reason }: Opinion): string {
  return `Opinion of ${model}: ${verdictWord(verdict)}${verdict ? '' : `: ${reason}`}`;
}

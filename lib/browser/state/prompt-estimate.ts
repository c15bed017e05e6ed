import type { CallRow, Timeline } from '../../events/timeline.ts';
import { promptReading } from '../words/call-phases.ts';

/** How much of its prompt a call has to read, and how long that takes, both estimated. */
export interface PromptEstimate {
  readonly tokens: number;
  readonly ms: number;
}

/** Shorter readings are over before an estimate helps. */
const WORTH_SHOWING_MS = 1500;

/**
 * Estimates how long an open call reads its prompt, from the speed at which earlier calls of the run read theirs. The
 * tokens that the previous call read and wrote count as cached, unless the model was loaded since, results were
 * shortened, or another conversation began. Pure.
 *
 * @returns `undefined` if the speed of no earlier call is known, or there is little to read
 */
export function promptEstimate({ rows, rowOfSeq }: Timeline, call: CallRow): PromptEstimate | undefined {
  let before: CallRow | undefined;
  let rate: number | undefined;
  let isCached = !call.afterLoad;
  for (let index = (rowOfSeq[call.seq] ?? 0) - 1; index >= 0; index -= 1) {
    const row = rows[index];
    if (!row || row.attempt !== call.attempt) break;
    if (row.kind === 'policy' && row.event.type === 'policy.compacted' && !before) isCached = false;
    if (row.kind !== 'call' || row.status !== 'ended') continue;
    before ??= row;
    rate ??= promptReading(row)?.rate;
    if (rate !== undefined) break;
  }
  if (!before || !rate) return undefined;
  const { prompt_tokens = 0, reply_tokens = 0 } = before.ended ?? {};
  // Characters divided by four are wrong by the same factor for all of a conversation.
  const factor = prompt_tokens > 0 ? prompt_tokens / Math.max(1, before.started.estimated_tokens) : 1;
  const tokens = call.started.estimated_tokens * factor - (isCached ? prompt_tokens + reply_tokens : 0);
  const ms = (tokens / rate) * 1000;
  return ms >= WORTH_SHOWING_MS ? { tokens: Math.round(tokens), ms } : undefined;
}

/**
 * How far the reading is, in words: `about 40% of 12,300 tokens`. An estimate never reaches 100%.
 *
 * @param sinceMs time since the call began
 */
export function promptShare({ ms }: PromptEstimate, sinceMs: number): number {
  return Math.min(0.95, Math.max(0, sinceMs / ms));
}

import type { EventOf } from '../../events/registry.ts';
import type { JsonValue } from '../../util/json.ts';

/** What the alarm `prompt_cut` tells. Tokens are estimates but for `evaluated`. */
export interface PromptCutFacts {
  readonly sent: number;
  readonly evaluated: number;
  readonly lostCount: number;
  /** The first of them, with their place in the request from 0. */
  readonly lost: readonly { index: number; role: string; excerpt: string; tokens: number }[];
}

/** The figures of the warning `prompt_cut`; `undefined` for other warnings and for figures of another shape. */
export function promptCutOf({ code, detail }: EventOf<'policy.warned'>): PromptCutFacts | undefined {
  if (code !== 'prompt_cut' || !detail) return undefined;
  const { sent_tokens: sent, evaluated_tokens: evaluated, lost_count: lostCount, lost } = detail;
  if (typeof sent !== 'number' || typeof evaluated !== 'number' || typeof lostCount !== 'number')
    return undefined;
  return { sent, evaluated, lostCount, lost: Array.isArray(lost) ? lost.flatMap(messageOf) : [] };
}

function messageOf(value: JsonValue): PromptCutFacts['lost'][number][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { index, role, excerpt, tokens } = value;
  if (typeof index !== 'number' || typeof role !== 'string') return [];
  if (typeof excerpt !== 'string' || typeof tokens !== 'number') return [];
  return [{ index, role, excerpt, tokens }];
}

import { refusesLongChats } from '../../events/prompt-share.ts';
import type { EventOf } from '../../events/registry.ts';
import type { JsonValue } from '../../util/json.ts';

/** The texts of the `prompt_cut` alarm. Tokens are estimates, except for `evaluated` and `window`. */
export interface PromptCutFacts {
  readonly sent: number;
  readonly evaluated: number;
  /** The window in effect; missing in older logs. */
  readonly window: number | undefined;
  /** What to do about it, as a sentence. */
  readonly advice: string;
  readonly lostCount: number;
  /** The first of them, with their place in the request from 0. */
  readonly lost: readonly { index: number; role: string; excerpt: string; tokens: number }[];
}

/** The figures of the warning `prompt_cut`; `undefined` for other warnings and for figures of another shape. */
export function promptCutOf({ code, detail }: EventOf<'policy.warned'>): PromptCutFacts | undefined {
  if (code !== 'prompt_cut' || !detail) return undefined;
  const { sent_tokens: sent, evaluated_tokens: evaluated, lost_count: lostCount, lost } = detail;
  const { window_tokens: window, server_version: version } = detail;
  if (typeof sent !== 'number' || typeof evaluated !== 'number' || typeof lostCount !== 'number')
    return undefined;
  return {
    sent,
    evaluated,
    window: typeof window === 'number' ? window : undefined,
    advice: adviceFor(typeof version === 'string' ? version : undefined),
    lostCount,
    lost: Array.isArray(lost) ? lost.flatMap(messageOf) : [],
  };
}

/** A version that refuses long prompts can't have cut one that it was asked not to cut. */
function adviceFor(version: string | undefined): string {
  if (refusesLongChats(version)) {
    return `Loupe requests an error instead of truncation, which Ollama ${version} supports, so a proxy probably drops “truncate” from requests. Connect Loupe to Ollama directly, or use a larger window.`;
  }
  return 'Loupe requests an error instead of truncation, which Ollama supports since 0.12.6. Update Ollama, or use a larger window.';
}

function messageOf(value: JsonValue): PromptCutFacts['lost'][number][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { index, role, excerpt, tokens } = value;
  if (typeof index !== 'number' || typeof role !== 'string') return [];
  if (typeof excerpt !== 'string' || typeof tokens !== 'number') return [];
  return [{ index, role, excerpt, tokens }];
}

import { promptFate, unreadShare } from '../../events/prompt-share.ts';
import type { RunState } from '../../events/run-state.ts';
import type { CallRow } from '../../events/timeline.ts';

/** How much of the window a model request took, in tokens, as far as known. */
export interface CallContext {
  /** `num_ctx` of the request. */
  readonly requested: number | undefined;
  /** The window the model was loaded with, as reported by the server. */
  readonly effective: number | undefined;
  /** The window that counts: the smaller of the two. 0 when neither is known. */
  readonly window: number;
  /** Characters / 4 over all that was sent (C1). */
  readonly estimated: number;
  /** How many tokens the server reported to have read. */
  readonly evaluated: number | undefined;
  /** Room kept for the reply: `num_predict`. */
  readonly reserve: number | undefined;
  /** `cut`: the server left something out to make it fit; `fewer`: it read far less than estimated, but cut nothing. */
  readonly fate: ReturnType<typeof promptFate>;
  /** Share of the estimate, 0 to 1, that was not read, where `fate` is set and the estimate was higher. */
  readonly missing: number | undefined;
}

/** The context of one call (C7, C11). Pure. */
export function contextOf(
  call: Pick<CallRow, 'started' | 'ended' | 'failed'>,
  { loaded, preflight }: Pick<RunState, 'loaded' | 'preflight'>,
): CallContext {
  const { options, estimated_tokens: estimated } = call.started;
  const requested = positive(options.num_ctx);
  const effective = loaded?.context_tokens;
  const window = Math.min(effective ?? Number.POSITIVE_INFINITY, requested ?? Number.POSITIVE_INFINITY);
  const known = Number.isFinite(window) ? window : 0;
  const evaluated = call.ended?.prompt_tokens ?? call.failed?.prompt_tokens;
  return {
    requested,
    effective,
    window: known,
    estimated,
    evaluated,
    reserve: positive(options.num_predict),
    // A prompt that was refused as too long was counted, and not cut.
    fate: promptFate({
      estimated,
      evaluated: call.ended?.prompt_tokens,
      window: known,
      windowIsReported: effective !== undefined,
      serverVersion: preflight?.server_version,
    }),
    missing: unreadShare(estimated, evaluated),
  };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

import type { CallRow } from '../../events/fold-timeline.ts';
import { unreadShare } from '../../events/prompt-share.ts';

/** What a request to the model took of its window, in tokens, as far as it is known. */
export interface CallContext {
  /** `num_ctx` of the request. */
  readonly requested: number | undefined;
  /** The window the model was loaded with, as the server says. */
  readonly effective: number | undefined;
  /** The window that counts: the effective one, else the requested. 0 when neither is known. */
  readonly window: number;
  /** Characters / 4 over all that was sent (C1). */
  readonly estimated: number;
  /** What the server says it read. */
  readonly evaluated: number | undefined;
  /** Room kept for the reply: `num_predict`. */
  readonly reserve: number | undefined;
  /** Share of the estimate, 0 to 1, that the server did not read, when it is more than an estimate can be wrong. */
  readonly missing: number | undefined;
}

/** The context of one call (C7, C11). Pure. */
export function contextOf(
  call: Pick<CallRow, 'started' | 'ended' | 'failed'>,
  effective: number | undefined,
): CallContext {
  const { options, estimated_tokens: estimated } = call.started;
  const requested = positive(options.num_ctx);
  const evaluated = call.ended?.prompt_tokens ?? call.failed?.prompt_tokens;
  return {
    requested,
    effective,
    window: effective ?? requested ?? 0,
    estimated,
    evaluated,
    reserve: positive(options.num_predict),
    missing: unreadShare(estimated, evaluated),
  };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

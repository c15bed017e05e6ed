import type { RunConfig } from '../events/config.ts';
import type { ModelErrorKind } from '../model/model-error.ts';

type Think = RunConfig['think'];

/** The `think` setting to send: the configured one, or the fallback that the model accepts. */
export function thinkToSend({
  acceptedThink,
  config,
}: {
  acceptedThink: Think | undefined;
  config: Pick<RunConfig, 'think'>;
}): Think {
  return acceptedThink ?? config.think;
}

/**
 * The setting to try after a refusal: plain thinking instead of a level, none instead of plain thinking.
 *
 * @returns `undefined` when nothing is left to try
 */
export function thinkAfterRefusal(sent: Think, kind: ModelErrorKind): Think | undefined {
  if (sent === false) return undefined;
  return kind === 'no_thinking_levels' && sent !== true;
}

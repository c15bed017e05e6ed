import { type ModelCheck, PROBES_VERSION } from '../api/model-check.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { fullName } from '../util/model-name.ts';
import type { CheckStep } from './check-step.ts';
import { MAX_LATE, openForProbes, tooSlow } from './open-for-probes.ts';
import { PROBES } from './probes.ts';
import { runProbe } from './run-probe.ts';
import { Tally } from './tally.ts';

/** The probes are short; a larger window would only use memory. */
const WINDOW_TOKENS = 8192;

/**
 * Runs all probes against a model at temperature 0 with a fixed seed, and judges the replies by rules. The tools
 * return fixed results and have no side effects.
 *
 * @throws {ModelError} on errors that end the check: stopped, server unreachable, model missing, load failed, or
 *   repeated timeouts
 */
export async function checkModel(
  model: ChatModel,
  name: string,
  {
    signal,
    onStep,
    clock = Date.now,
  }: { signal: AbortSignal; onStep: (step: CheckStep) => void; clock?: () => number },
): Promise<ModelCheck> {
  const startedAt = clock();
  const { settings, details, conditions } = await openForProbes(model, name, {
    signal,
    windowTokens: WINDOW_TOKENS,
    onLoading: () => onStep({ type: 'loading' }),
  });
  const tally = new Tally();
  const probes: ModelCheck['probes'] = [];
  let late = 0;
  for (const probe of PROBES) {
    onStep({ type: 'probe-started', id: probe.id });
    const { result, failure } = await runProbe(probe, { model, settings, tally, signal });
    probes.push(result);
    onStep({ type: 'probe-ended', id: probe.id, verdict: result.verdict, durationMs: result.duration_ms });
    late = failure === 'timeout' ? late + 1 : 0;
    if (late >= MAX_LATE) throw tooSlow(name);
  }
  return {
    model: fullName(name),
    digest: details.digest ?? '',
    probes_version: PROBES_VERSION,
    started_at: startedAt,
    ended_at: clock(),
    conditions,
    measured: tally.counts,
    probes,
  };
}

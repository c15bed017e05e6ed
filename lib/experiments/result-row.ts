import type { ExperimentResult } from '../api/experiment.ts';
import { definedOf } from '../api/run-settings.ts';
import { foldCycles, meanNovelty, noCycles } from '../events/fold-cycles.ts';
import { foldAll } from '../events/fold-run.ts';
import type { EventOf, RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { tokensPerSecond } from '../events/speed.ts';
import { runTimeMs } from '../policies/budget.ts';
import { thinkToSend } from '../policies/thinking.ts';
import { shortText } from '../util/short-text.ts';

const OUTPUT_CHARS = 2000;

/** The result of a run, read from its log in pages. `undefined` if the run has not ended. */
export async function resultOfLog(
  pages: AsyncIterable<readonly RunEvent[]>,
): Promise<ExperimentResult | undefined> {
  let state = emptyRunState('');
  let folded = noCycles;
  const counts = { nudges: 0, retries: 0, cut_offs: 0 };
  let sent: EventOf<'model-call.started'>['options'] | undefined;
  for await (const page of pages) {
    state = foldAll(state.seq === 0 ? emptyRunState(page[0]?.run_id ?? '') : state, page);
    folded = foldCycles(folded, page);
    for (const event of page) {
      if (event.type === 'policy.nudged') counts.nudges += 1;
      else if (event.type === 'policy.retried') counts.retries += 1;
      else if (event.type === 'model-call.ended' && event.done_reason === 'length') counts.cut_offs += 1;
    }
    sent ??= page.find((event) => event.type === 'model-call.started')?.options;
  }
  const { ended, result } = state;
  if (!ended || !result) return undefined;
  const { cycles } = folded;
  const novelty = meanNovelty(cycles);
  const speed = tokensPerSecond(state.spent.writtenTokens, state.spent.writingMs);
  return {
    status: result.status,
    termination_reason: result.termination_reason,
    message: ended.message,
    seconds: Math.max(0, runTimeMs(state, ended.at)) / 1000,
    iterations: result.iterations_used,
    cycles: cycles.filter(({ endedBy }) => endedBy !== undefined).length,
    model_calls: state.calls,
    ...(typeof sent?.num_ctx === 'number' ? { num_ctx: sent.num_ctx } : {}),
    ...(typeof sent?.num_predict === 'number' ? { num_predict: sent.num_predict } : {}),
    tool_calls: state.toolCalls,
    failed_tool_calls: state.failedToolCalls,
    tokens_in: result.tokens_in,
    tokens_out: result.tokens_out,
    ...(ended.tokens_estimated === undefined ? {} : { tokens_estimated: ended.tokens_estimated }),
    ...(state.costUsd === undefined ? {} : { cost_usd: state.costUsd }),
    memories: state.memory.size,
    messages: state.agentMessages.length,
    ...(novelty === undefined ? {} : { novelty: novelty.novelty, novelty_measure: novelty.measure }),
    files_written: ended.files_written.length,
    attempts: state.attempt,
    calls_native: state.parsed.native,
    calls_json: state.parsed.json,
    calls_xml: state.parsed.xml,
    repairs: state.parsed.repaired,
    refused_calls: state.parsed.refused,
    ...counts,
    ...(speed === undefined ? {} : { tokens_per_second: speed }),
    ...provenanceOf(state),
    ...(state.config && state.calls > 0 ? { think: thinkToSend({ ...state, config: state.config }) } : {}),
    ...(ended.verification === undefined ? {} : { verification: ended.verification }),
    ...(state.outcome ? { outcome: state.outcome } : {}),
    output: shortText(result.output, OUTPUT_CHARS),
  };
}

function provenanceOf({
  preflight,
}: RunState): Pick<ExperimentResult, 'ollama_version' | 'digest' | 'quantization' | 'parameter_size'> {
  if (!preflight) return {};
  const { server_version, digest, quantization, parameter_size } = preflight;
  return definedOf({ ollama_version: server_version, digest, quantization, parameter_size });
}

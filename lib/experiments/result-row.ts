import type { ExperimentResult } from '../api/experiment.ts';
import { foldCycles, noCycles } from '../events/fold-cycles.ts';
import { foldAll } from '../events/fold-run.ts';
import type { RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import { mean } from '../util/mean.ts';
import { shortText } from '../util/short-text.ts';

const OUTPUT_CHARS = 2000;

/** What came out of a run, from its log, page by page. `undefined` while the run has not ended. */
export async function resultOfLog(
  pages: AsyncIterable<readonly RunEvent[]>,
): Promise<ExperimentResult | undefined> {
  let state = emptyRunState('');
  let folded = noCycles;
  for await (const page of pages) {
    state = foldAll(state.seq === 0 ? emptyRunState(page[0]?.run_id ?? '') : state, page);
    folded = foldCycles(folded, page);
  }
  const { ended, result } = state;
  if (!ended || !result) return undefined;
  const { cycles } = folded;
  const novelty = mean(cycles.flatMap((cycle) => (cycle.novelty === undefined ? [] : [cycle.novelty])));
  return {
    status: result.status,
    termination_reason: result.termination_reason,
    message: ended.message,
    seconds: Math.max(0, ended.at - (state.startedAt ?? ended.at) - state.lostMs) / 1000,
    iterations: result.iterations_used,
    cycles: cycles.filter(({ endedBy }) => endedBy !== undefined).length,
    model_calls: state.calls,
    tool_calls: state.toolCalls,
    failed_tool_calls: state.failedToolCalls,
    tokens_in: result.tokens_in,
    tokens_out: result.tokens_out,
    memories: state.memory.size,
    messages: state.agentMessages.length,
    ...(novelty === undefined ? {} : { novelty }),
    files_written: ended.files_written.length,
    ...(ended.verification === undefined ? {} : { verification: ended.verification }),
    output: shortText(result.output, OUTPUT_CHARS),
  };
}

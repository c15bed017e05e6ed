import type { ExperimentResult } from '../api/experiment.ts';
import { definedOf } from '../api/run-settings.ts';
import { foldCycles, meanNovelty, noCycles } from '../events/fold-cycles.ts';
import { foldAll } from '../events/fold-run.ts';
import { modeFacts } from '../events/modes.ts';
import type { EventOf, RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { tokensPerSecond } from '../events/speed.ts';
import type { Opinion } from '../events/verification.ts';
import { workedMs } from '../events/worked-ms.ts';
import { thinkToSend } from '../policies/thinking.ts';
import { shortText } from '../util/short-text.ts';

const OUTPUT_CHARS = 2000;

/** Data recorded with a result besides the run's log. */
export type ResultFacts = Pick<ExperimentResult, 'loupe_version' | 'suite_hash' | 'machine'>;

/** The result of a run, read from its log in pages. `undefined` if the run has not ended. */
export async function resultOfLog(
  pages: AsyncIterable<readonly RunEvent[]>,
  facts: ResultFacts = {},
): Promise<ExperimentResult | undefined> {
  let state = emptyRunState('');
  let folded = noCycles;
  const counts = new EventCounts();
  let sent: EventOf<'model-call.started'>['options'] | undefined;
  for await (const page of pages) {
    state = foldAll(state.seq === 0 ? emptyRunState(page[0]?.run_id ?? '') : state, page);
    folded = foldCycles(folded, page);
    for (const event of page) counts.add(event);
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
    seconds: workedMs(state, ended.at) / 1000,
    iterations: result.iterations_used,
    ...(modeFacts(state.config?.mode).hasTurns && { turns: state.turns.completed }),
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
    malformed_replies: state.parsed.malformed,
    ...counts.figures,
    ...counts.opinions,
    calls_by_format: Object.fromEntries(counts.formats),
    ...(speed === undefined ? {} : { tokens_per_second: speed }),
    ...provenanceOf(state),
    ...(sent === undefined ? {} : { options_sent: sent }),
    ...definedOf(facts),
    ...(state.config && state.calls > 0 ? { think: thinkToSend({ ...state, config: state.config }) } : {}),
    ...(ended.verification === undefined ? {} : { verification: ended.verification }),
    ...(state.outcome ? { outcome: state.outcome } : {}),
    output: shortText(result.output, OUTPUT_CHARS),
  };
}

/** Counts facts that the fold of a run does not keep. */
class EventCounts {
  readonly figures = {
    ...{ nudges: 0, retries: 0, cut_offs: 0, overflows: 0, coercions: 0 },
    ...{ model_replies: 0, prompt_tokens_estimated: 0, prompt_tokens_measured: 0 },
  };
  readonly formats = new Map<string, number>();
  /** Of the last attempt; empty without any. */
  opinions: Pick<ExperimentResult, 'opinions_judged' | 'opinions_passed'> = {};
  #estimate = 0;

  add(event: RunEvent): void {
    const { figures, formats } = this;
    switch (event.type) {
      case 'policy.nudged':
        figures.nudges += 1;
        break;
      case 'policy.retried':
        figures.retries += 1;
        break;
      case 'model-call.started':
        this.#estimate = event.estimated_tokens;
        break;
      case 'model-call.failed':
        if (event.kind === 'overflow') figures.overflows += 1;
        if (hasPartialReply(event)) figures.model_replies += 1;
        break;
      case 'model-call.ended':
        figures.model_replies += 1;
        if (event.done_reason === 'length') figures.cut_offs += 1;
        if (event.prompt_tokens !== undefined) {
          figures.prompt_tokens_estimated += this.#estimate;
          figures.prompt_tokens_measured += event.prompt_tokens;
        }
        break;
      case 'reply.parsed':
        figures.coercions += event.coercions.length;
        for (const { format } of event.calls) formats.set(format, (formats.get(format) ?? 0) + 1);
        break;
      case 'verification.checked':
        this.opinions = opinionCounts(event.opinions);
        break;
      default: // counted by the fold, or not at all
    }
  }
}

/** Whether the model had started to reply, or its reply arrived but Ollama could not read it. */
function hasPartialReply({
  kind,
  partial_text = '',
  partial_thinking = '',
}: EventOf<'model-call.failed'>): boolean {
  return kind === 'malformed_call' || partial_text !== '' || partial_thinking !== '';
}

function opinionCounts(opinions: readonly Opinion[] | undefined): EventCounts['opinions'] {
  if (!opinions) return {};
  return {
    opinions_judged: opinions.filter(({ verdict }) => verdict !== undefined).length,
    opinions_passed: opinions.filter(({ verdict }) => verdict === 'pass').length,
  };
}

type RunProvenance = Pick<
  ExperimentResult,
  'ollama_version' | 'digest' | 'quantization' | 'parameter_size' | 'template_hash' | 'gpu_share'
>;

function provenanceOf({ preflight, loaded }: RunState): RunProvenance {
  const { size_bytes: size = 0, vram_bytes: vram } = loaded ?? {};
  const gpu_share = vram === undefined || size === 0 ? undefined : Math.min(1, vram / size);
  if (!preflight) return definedOf({ gpu_share });
  const { server_version, digest, quantization, parameter_size, template_hash } = preflight;
  return definedOf({
    ...{ ollama_version: server_version, digest, quantization, parameter_size },
    ...{ template_hash, gpu_share },
  });
}

import { foldRun } from '../events/fold-run.ts';
import type { EventOf, RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';

/** What a run took and did, and under which conditions. */
export interface Figures {
  iterations: number;
  model_calls: number;
  tool_calls: number;
  failed_tool_calls: number;
  /** How often each tool was called, by name. */
  tools: Record<string, number>;
  tokens_in: number;
  tokens_out: number;
  /** Time with the model and with tools, without waiting, in milliseconds; of a fork with the copied part. */
  model_ms: number;
  tool_ms: number;
  /** How fast the model wrote, over all replies that tell it. */
  tokens_per_second?: number;
  /** Calls by the layer they were read from, and replies that needed repair. */
  layers: { native: number; json: number; xml: number; repaired: number };
  reason?: string;
  message?: string;
}

/** What a run met that is no setting: it may be why an equal run went otherwise. */
export interface Conditions {
  server_version?: string;
  digest?: string;
  quantization?: string;
  /** The window in effect, in tokens. */
  context_tokens?: number;
  /** Whether the model was in memory already. */
  warm?: boolean;
  /** Share of the model on the GPU, 0 to 1. */
  gpu_share?: number;
}

/** Adds up a log as its events come, and holds nothing of what was said in it. */
export class FigureReader {
  readonly #tools = new Map<string, number>();
  #state = emptyRunState('');

  /** Takes the next event. @throws {RangeError} when it is not the next one of this run */
  take(event: RunEvent): void {
    const before = this.#state.seq === 0 ? { ...this.#state, runId: event.run_id } : this.#state;
    this.#state = withoutHistory(foldRun(before, event));
    if (event.type === 'tool-call.started') {
      this.#tools.set(event.tool, (this.#tools.get(event.tool) ?? 0) + 1);
    }
  }

  figures(): Figures {
    const state = this.#state;
    const { native, json, xml, repaired } = state.parsed;
    const { modelMs, toolMs, writtenTokens, writingMs } = state.spent;
    return {
      iterations: state.iterationsUsed,
      model_calls: state.calls,
      tool_calls: state.toolCalls,
      failed_tool_calls: state.failedToolCalls,
      tools: Object.fromEntries(this.#tools),
      tokens_in: state.tokensIn,
      tokens_out: state.tokensOut,
      model_ms: Math.round(modelMs),
      tool_ms: Math.round(toolMs),
      ...(writingMs > 0 ? { tokens_per_second: Math.round((writtenTokens / writingMs) * 10_000) / 10 } : {}),
      layers: { native, json, xml, repaired },
      ...(state.ended ? { reason: state.ended.result.termination_reason, message: state.ended.message } : {}),
    };
  }
}

/** Looks for the conditions that a run's first replies were made under, in its events as they come. */
export class ConditionReader {
  #preflight: EventOf<'preflight.checked'> | undefined;
  #loaded: EventOf<'model.loaded'> | undefined;

  take(event: RunEvent): void {
    if (event.type === 'preflight.checked') this.#preflight ??= event;
    if (event.type === 'model.loaded') this.#loaded ??= event;
  }

  conditions(): Conditions {
    const { size_bytes: size, vram_bytes: vram } = this.#loaded ?? {};
    const found: Conditions = {
      server_version: this.#preflight?.server_version,
      digest: this.#preflight?.digest,
      quantization: this.#preflight?.quantization,
      context_tokens: this.#loaded?.context_tokens,
      warm: this.#loaded?.already_loaded,
      gpu_share: size && vram !== undefined ? Math.round((vram / size) * 100) / 100 : undefined,
    };
    return JSON.parse(JSON.stringify(found));
  }
}

/**
 * A state without what grows with the log and counts for no figure: each step of the fold copies these lists, which makes
 * a log of ten times the length cost a hundred times as much, and they hold all that was said.
 */
function withoutHistory(state: RunState): RunState {
  const { messages, callHistory, operatorMessages, agentMessages, memory, reflections } = state;
  const grown = [messages, callHistory, operatorMessages, agentMessages, reflections];
  if (memory.size === 0 && grown.every(({ length }) => length === 0)) return state;
  return {
    ...state,
    messages: [],
    folded: {},
    callHistory: [],
    callHistorySeqs: [],
    operatorMessages: [],
    agentMessages: [],
    reflections: [],
    memory: new Map(),
    filesWritten: [],
    nudgeSeqs: [],
    approvals: approvalsInHand(state),
  };
}

/** Whether a call was denied counts when it ends, and it is of the reply in hand until then. */
function approvalsInHand({ reply, approvals }: RunState): RunState['approvals'] {
  const ids = reply?.calls.map(({ callId }) => callId) ?? [];
  return Object.fromEntries(
    ids.flatMap((id) => {
      const approval = Object.hasOwn(approvals, id) ? approvals[id] : undefined;
      return approval ? [[id, approval]] : [];
    }),
  );
}

import { noAutoRunFiles } from '../events/auto-run-files.ts';
import type { RunConfig } from '../events/config.ts';
import { foldRun } from '../events/fold-run.ts';
import type { EventOf, RunEvent } from '../events/registry.ts';
import { emptyRunState, type RunState } from '../events/run-state.ts';
import { tokensPerSecond } from '../events/speed.ts';

/** A run's totals. */
export interface Figures {
  iterations: number;
  /** Turns ended; 0 except in sessions. */
  turns: number;
  model_calls: number;
  tool_calls: number;
  failed_tool_calls: number;
  /** How often each tool was called, by name. */
  tools: Record<string, number>;
  tokens_in: number;
  tokens_out: number;
  /** How many of these tokens are estimates; missing if none. */
  tokens_estimated?: number;
  /** In US dollars; missing if the model had no price. */
  cost_usd?: number;
  /** Time spent in model calls and tools, without waiting, in milliseconds; includes the copied part of a fork. */
  model_ms: number;
  tool_ms: number;
  /** Generation speed over all replies that report timings. */
  tokens_per_second?: number;
  /** Calls per parser layer, and replies that needed repair. */
  layers: { native: number; json: number; xml: number; repaired: number };
  reason?: string;
  message?: string;
}

/** Conditions that are not settings but can make identical runs diverge. */
export interface Conditions {
  server_version?: string;
  digest?: string;
  quantization?: string;
  /** The window in effect, in tokens. */
  context_tokens?: number;
  /** Whether the model was already loaded. */
  warm?: boolean;
  /** Share of the model on the GPU, 0 to 1. */
  gpu_share?: number;
  /** The `think` value of the last request, which is lower than the setting if the model refused that. */
  think?: RunConfig['think'];
}

/** Computes the totals of a log from its event stream, without keeping any messages. */
export class FigureReader {
  readonly #tools = new Map<string, number>();
  #state = emptyRunState('');

  /** Processes the next event. @throws {RangeError} if it is not the run's next event */
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
    const rate = tokensPerSecond(writtenTokens, writingMs);
    return {
      iterations: state.iterationsUsed,
      turns: state.turns.completed,
      model_calls: state.calls,
      tool_calls: state.toolCalls,
      failed_tool_calls: state.failedToolCalls,
      tools: Object.fromEntries(this.#tools),
      tokens_in: state.tokensIn,
      tokens_out: state.tokensOut,
      ...(state.tokensEstimated > 0 && { tokens_estimated: state.tokensEstimated }),
      ...(state.costUsd === undefined ? {} : { cost_usd: state.costUsd }),
      model_ms: Math.round(modelMs),
      tool_ms: Math.round(toolMs),
      ...(rate === undefined ? {} : { tokens_per_second: rate }),
      layers: { native, json, xml, repaired },
      ...(state.ended ? { reason: state.ended.result.termination_reason, message: state.ended.message } : {}),
    };
  }
}

/** Reads the conditions of a run from its event stream. */
export class ConditionReader {
  #preflight: EventOf<'preflight.checked'> | undefined;
  #loaded: EventOf<'model.loaded'> | undefined;
  #think: RunConfig['think'] | undefined;

  take(event: RunEvent): void {
    if (event.type === 'preflight.checked') this.#preflight ??= event;
    if (event.type === 'model.loaded') this.#loaded ??= event;
    if (event.type === 'model-call.started') this.#think = event.think;
  }

  conditions(): Conditions {
    const { size_bytes: size, vram_bytes: vram } = this.#loaded ?? {};
    const found: Conditions = {
      server_version: this.#preflight?.server_version,
      digest: this.#preflight?.digest,
      quantization: this.#preflight?.quantization,
      context_tokens: this.#loaded?.context_tokens,
      // Not applicable to remote models.
      warm: this.#loaded?.remote_host === undefined ? this.#loaded?.already_loaded : undefined,
      gpu_share: size && vram !== undefined ? Math.min(1, vram / size) : undefined,
      think: this.#think,
    };
    return JSON.parse(JSON.stringify(found));
  }
}

/**
 * Drops the state that grows with the log and affects no total. Each fold step copies these lists, which would make
 * the cost quadratic in the length of the log.
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
    autoRunFiles: noAutoRunFiles,
    nudgeSeqs: [],
    approvals: approvalsInHand(state),
  };
}

/** Approvals are needed until their calls end, and only calls of the current reply are open. */
function approvalsInHand({ reply, approvals }: RunState): RunState['approvals'] {
  const ids = reply?.calls.map(({ callId }) => callId) ?? [];
  return Object.fromEntries(
    ids.flatMap((id) => {
      const approval = Object.hasOwn(approvals, id) ? approvals[id] : undefined;
      return approval ? [[id, approval]] : [];
    }),
  );
}

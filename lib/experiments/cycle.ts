import { MemoryLog } from '../engine/memory-log.ts';
import { runLoop } from '../engine/run-loop.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunConfig } from '../events/config.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import type { ChatMessage, ChatModel, ModelOptions } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { exploreMode, OllamaResponseError } from '../modes/explore.ts';
import { type AgentState, EXPLORE_SYSTEM_PROMPT } from '../modes/explore-prompt.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { cycleLine } from '../policies/cycles.ts';
import {
  type EventType,
  type ExploreLogEntry,
  ExploreLogProjection,
} from '../sharing/exports/explore-log.ts';
import { createToolBox } from '../tools/registry.ts';
import type { ToolBox } from '../tools/tool.ts';
import { failedWith, succeeded } from '../tools/tool-results.ts';
import type { JsonObject } from '../util/json.ts';

/** What a script configures an exploration with (X19). */
export interface ExperimentConfig {
  run_id: string;
  model_name: string;
  /** Sent with every call (X18). */
  model_options: RunConfig['model_options'];
}

/** Tools that answer with text (O11). `ToolDispatcher` is one. */
export interface TextDispatcher {
  getToolDefinitions(): readonly ToolDefinition[];
  dispatch(name: string, args: JsonObject, signal?: AbortSignal): Promise<string>;
}

/** Takes the entries of an exploration log as they come (X14, X15). */
export interface JsonlLogger {
  logEvent(type: EventType, entry: ExploreLogEntry): void | Promise<void>;
}

export interface CycleParts {
  model: ChatModel;
  dispatcher: TextDispatcher;
  /** Missing is fine: nothing is logged then (X20). */
  logger?: JsonlLogger;
  /** Default: `EXPLORE_SYSTEM_PROMPT`. */
  systemPrompt?: string;
  /** Follows the system prompt in every call of the cycle (X3). */
  diversityFeedback?: string;
  signal?: AbortSignal;
}

/**
 * One chat call: model, messages, tools and options in, the whole reply out (X5). `stream: false` is sent.
 *
 * @param model that answers
 * @param options.signal aborts the call
 * @param options.timeoutMs for the whole call; default 120,000
 * @returns what makes a call out of model name, messages, tools and options, and resolves to the reply
 * @throws {OllamaResponseError} for every failure; keeps status and cause (X6)
 * @example
 * const reply = await executeChatCompletion(model)('qwen3:8b', messages, tools, { num_ctx: 8192, num_predict: 512 });
 */
export function executeChatCompletion(
  model: Pick<ChatModel, 'chat'>,
  {
    signal = new AbortController().signal,
    timeoutMs = 120_000,
  }: { signal?: AbortSignal; timeoutMs?: number } = {},
) {
  return async (
    modelName: string,
    messages: readonly ChatMessage[],
    tools: readonly ToolDefinition[],
    options: ModelOptions,
  ) => {
    const request = {
      model: modelName,
      messages,
      tools,
      options,
      think: false,
      stream: false,
      keepAlive: '30m',
    };
    try {
      return await model.chat(request, { signal, timeoutMs });
    } catch (error) {
      throw error instanceof ModelError ? new OllamaResponseError(error) : error;
    }
  };
}

/**
 * Runs one cycle over a state of one's own: calls, results and the final reflection, by the same engine that runs
 * explorations (X7-X13). Pure as to the state: the next one is returned, with the number of the next cycle.
 *
 * @param agent where the exploration stands; stays as it is
 * @param config model and options of every call
 * @param parts what the cycle works with
 * @returns where the exploration stands after the cycle
 * @throws {OllamaResponseError} when the model call failed for good
 * @throws {AppError} `cycle_unfinished` when the history fits the window no more, or the signal fired
 * @example
 * let state = { run_id: 'r', cycle_number: 1, model_name: 'qwen3:8b', message_history: [], reflection_history: [] };
 * state = await executeCycle(state, { run_id: 'r', model_name: 'qwen3:8b', model_options: { seed: 1 } }, parts);
 */
export async function executeCycle(
  agent: AgentState,
  config: ExperimentConfig,
  parts: CycleParts,
): Promise<AgentState> {
  const log = new LoggedCycle(agent.run_id, parts.logger);
  const toolbox = toolboxOf(parts.dispatcher);
  await log.append(openingOf(agent, config, parts, toolbox));
  let failure: OllamaResponseError | undefined;
  const left = await runLoop({
    log,
    model: parts.model,
    mode: {
      ...exploreMode,
      failure: (error) => {
        failure = new OllamaResponseError(error);
        return failure;
      },
    },
    openTools: async () => ({
      toolbox,
      sandbox: { available: false, kind: 'none' },
      runChecks: async () => [],
      close: async () => {},
    }),
    signal: parts.signal,
  });
  if (left.error !== undefined) throw left.error;
  const { state } = log;
  if (state.result?.termination_reason !== 'final_answer') throw failure ?? unfinished(state);
  const [, ...history] = state.messages;
  return {
    ...agent,
    cycle_number: agent.cycle_number + 1,
    message_history: history,
    reflection_history: [...agent.reflection_history, ...state.reflections.map(({ text }) => text)],
  };
}

/** Runs cycle after cycle with one logger, one client and one dispatcher (X20). */
export class ExperimentRunner {
  readonly #config: ExperimentConfig;
  readonly #parts: CycleParts;
  #state: AgentState;

  constructor(config: ExperimentConfig, parts: CycleParts) {
    this.#config = config;
    this.#parts = parts;
    this.#state = {
      run_id: config.run_id,
      cycle_number: 1,
      model_name: config.model_name,
      message_history: [],
      reflection_history: [],
    };
  }

  get state(): AgentState {
    return this.#state;
  }

  /** @throws what `executeCycle` throws, and keeps the state of the last whole cycle */
  async run(cycles: number): Promise<AgentState> {
    for (let done = 0; done < cycles; done += 1) {
      this.#state = await executeCycle(this.#state, this.#config, this.#parts);
    }
    return this.#state;
  }
}

/** Why a cycle did not come to its end although no call failed. */
function unfinished({ ended, cycle }: RunState): AppError {
  return new AppError({
    code: 'cycle_unfinished',
    message: ended?.message ?? `Cycle ${cycle.number} was broken off.`,
    hint: 'The state of the last whole cycle is kept.',
  });
}

/** A log in memory that hands on its exploration entries before the loop goes on (X17). */
class LoggedCycle extends MemoryLog {
  readonly #logger: JsonlLogger | undefined;
  readonly #projection = new ExploreLogProjection();
  #seen = 0;

  constructor(runId: string, logger: JsonlLogger | undefined) {
    super({ runId });
    this.#logger = logger;
  }

  override async append(events: readonly NewEvent[]): Promise<RunState> {
    const state = await super.append(events);
    const fresh: RunEvent[] = this.events.slice(this.#seen);
    this.#seen = this.events.length;
    for (const event of fresh) {
      for (const entry of this.#projection.take(event)) await this.#logger?.logEvent(entry.event_type, entry);
    }
    return state;
  }
}

/** The beginning of a run that stands where the agent stands: what remains to be done is its cycle. */
function openingOf(
  agent: AgentState,
  config: ExperimentConfig,
  parts: CycleParts,
  toolbox: ToolBox,
): NewEvent[] {
  const cycle = agent.cycle_number;
  const run = resolveConfig(
    {
      mode: 'explore',
      agentic: true,
      task: '',
      model: config.model_name,
      max_cycles: Math.max(1, cycle),
      model_options: config.model_options,
    },
    { workspace: '', offeredTools: [] },
  );
  const { diversityFeedback } = parts;
  return [
    { type: 'run.created', config: run },
    { type: 'run.started', worker: 'script', epoch: 1 },
    { type: 'preflight.checked', sandbox: { available: false, kind: 'none' } },
    { type: 'model.loaded', already_loaded: true, load_ms: 0 },
    {
      type: 'attempt.started',
      attempt: 1,
      messages: [
        { role: 'system', content: parts.systemPrompt ?? EXPLORE_SYSTEM_PROMPT },
        ...agent.message_history,
      ],
      tools: [...toolbox.definitions],
    },
    { type: 'cycle.started', cycle, line: cycleLine(cycle) },
    ...(diversityFeedback
      ? [
          {
            type: 'diversity.advised' as const,
            ...{
              cycle,
              measure: 'ngram' as const,
              similarity: 1,
              threshold: 0,
              nearest_cycle: 1,
              compared: [],
            },
            feedback: diversityFeedback,
          },
        ]
      : []),
  ];
}

/** A dispatcher as the engine's tools. One that throws gives a failed result (O15). */
function toolboxOf(dispatcher: TextDispatcher): ToolBox {
  const tools = dispatcher.getToolDefinitions().map((definition) => ({
    definition,
    effect: 'write' as const,
    run: async () => succeeded(definition.function.name, ''),
  }));
  return {
    ...createToolBox(tools, ''),
    async execute({ name, arguments: args }, { signal }) {
      try {
        const text = await dispatcher.dispatch(name, args, signal);
        return text.startsWith('Error:')
          ? { success: false, tool: name, output: { error: text.slice('Error:'.length).trim() } }
          : succeeded(name, text);
      } catch (error) {
        return failedWith(name, error);
      }
    },
  };
}

import type { RunConfig } from '../events/config.ts';
import type { NewEvent } from '../events/registry.ts';
import type { PendingReply } from '../events/run-state.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ModelError } from '../model/model-error.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { Ending, ReadyState, Rule, Verdict } from '../policies/rule.ts';

/** Inputs for starting an attempt, besides the state. */
interface Opening {
  /** From 1. */
  attempt: number;
  /** The tools selected by `offer`. */
  tools: readonly ToolDefinition[];
  /** The workspace's system prompt, if any (S5). */
  workspacePrompt?: string;
  /** The log file written during the run (S4). */
  logPath?: string;
}

/**
 * A kind of run: its prompt, tools and rules. The loop knows nothing else about a mode, so adding one means adding
 * such an object. Stops, budgets, the context window and retries of failed calls work the same in every mode.
 */
export interface Mode {
  readonly name: string;
  /** Whether a tool box is opened for the run. */
  readonly usesTools: boolean;
  /** Whether the first reply is already the answer, so that it must fit the run's `answer_schema`. */
  readonly answersAtOnce?: boolean;
  /** Whether older results may be shortened (C2); otherwise a full window ends the run. */
  readonly shortens: boolean;
  /** Selects the tools offered to the model. */
  offer(available: readonly ToolDefinition[]): readonly ToolDefinition[];
  /** Whether replies are streamed over the wire. */
  streams(state: ReadyState): boolean;
  /** The events that start an attempt, `attempt.started` first; earlier attempts are in the state (V6). */
  open(state: ReadyState, opening: Opening): readonly NewEvent[];
  /**
   * The end of the system prompt: the part that depends on the tools and the schema of the answer. Missing if none
   * does.
   */
  toolPrompt?(tools: readonly ToolDefinition[], config: Pick<RunConfig, 'answer_schema'>): string;
  /** The messages of a request. Default: the conversation with shortened older results (C5). */
  prompt?(state: ReadyState): readonly ChatMessage[];
  /** Checked between iterations; the first verdict counts, as in every list of rules here (G18). */
  readonly betweenIterations: readonly Rule[];
  /** Checked once the next iteration may start: messages or measurements needed before its call. */
  readonly beforeIteration: readonly Rule[];
  /** Checked before the calls of a reply run. */
  readonly beforeRound: readonly Rule[];
  /** Checked after the calls of a reply have run. */
  readonly afterRound: readonly Rule[];
  /** Whether a truncated or malformed reply is discarded and retried once (T21, T22). */
  setsAside(reply: PendingReply): boolean;
  /**
   * Handles a reply with text but no calls. `broken`: warnings about a reply that is used although truncated or
   * malformed.
   */
  onText(state: ReadyState, broken: readonly NewEvent[]): Verdict;
  /** Handles a reply with neither. `malformed`: it had a call that could not be parsed. */
  onSilence(state: ReadyState, cause: 'empty' | 'malformed'): Verdict;
  /** How to end when Ollama refuses the conversation as too long. Default: the plain reason. */
  whenFull?(state: ReadyState): Ending;
  /** Converts the error of a failed call for this mode. Default: unchanged. */
  failure?(error: ModelError): ModelError;
}

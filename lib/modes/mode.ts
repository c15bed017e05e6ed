import type { RunConfig } from '../events/config.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { ReadyState, Rule, Verdict } from '../policies/rule.ts';

/**
 * What makes one kind of run different from another: its prompt, its tools and its rules. The loop knows nothing else
 * of a mode, so a new one is an object like this. Stops, budgets, the window, retries, T21 and T22 hold in every mode.
 */
export interface Mode {
  readonly name: string;
  /** Whether a tool box is opened for the run. */
  readonly usesTools: boolean;
  /** Whether older results may be sent shortened (C2); otherwise a full window ends the run. */
  readonly shortens: boolean;
  /** Which of the tools there are the model is offered. */
  offer(available: readonly ToolDefinition[]): readonly ToolDefinition[];
  /** Whether replies are streamed over the wire. */
  streams(config: RunConfig): boolean;
  /** The first messages of the attempt that begins now; earlier attempts are in the state (V6). */
  openingMessages(state: ReadyState, tools: readonly ToolDefinition[]): readonly ChatMessage[];
  /** Looked at between two iterations; the first verdict counts, as in every list of rules here (G18). */
  readonly betweenIterations: readonly Rule[];
  /** Looked at before the calls of a reply are executed. */
  readonly beforeRound: readonly Rule[];
  /** Looked at after the calls of a reply were executed. */
  readonly afterRound: readonly Rule[];
  /** What a reply with text and without calls means. */
  onText(state: ReadyState): Verdict;
  /** What a reply with neither means. `malformed`: the model wrote a call that nobody could read. */
  onSilence(state: ReadyState, cause: 'empty' | 'malformed'): Verdict;
}

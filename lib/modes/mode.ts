import type { NewEvent } from '../events/registry.ts';
import type { PendingReply, RunState } from '../events/run-state.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ModelError } from '../model/model-error.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { Ending, ReadyState, Rule, Verdict } from '../policies/rule.ts';

/** What a mode begins an attempt with, beside the state. */
export interface Opening {
  /** From 1. */
  attempt: number;
  /** What `offer` chose. */
  tools: readonly ToolDefinition[];
  /** The system prompt that the workspace brings, if any (S5). */
  workspacePrompt?: string;
  /** The log file that is written as the run goes (S4). */
  logPath?: string;
}

/**
 * What makes one kind of run different from another: its prompt, its tools and its rules. The loop knows nothing else
 * of a mode, so a new one is an object like this. Stops, budgets, the window and retries of failed calls hold in every
 * mode.
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
  streams(state: ReadyState): boolean;
  /** The events that begin an attempt, `attempt.started` first; earlier attempts are in the state (V6). */
  open(state: ReadyState, opening: Opening): readonly NewEvent[];
  /**
   * The messages of a request. Left out: the conversation, older results in their shorter form (C5).
   */
  prompt?(state: ReadyState): readonly ChatMessage[];
  /** Looked at between two iterations; the first verdict counts, as in every list of rules here (G18). */
  readonly betweenIterations: readonly Rule[];
  /** Looked at when nothing forbids the next iteration: what has to be said or measured before its call. */
  readonly beforeIteration: readonly Rule[];
  /** Looked at before the calls of a reply are executed. */
  readonly beforeRound: readonly Rule[];
  /** Looked at after the calls of a reply were executed. */
  readonly afterRound: readonly Rule[];
  /** Whether a reply that was cut off or broken is set aside and asked for once more (T21, T22). */
  setsAside(reply: PendingReply): boolean;
  /** What a reply with text and without calls means. `broken`: warnings about a reply that is used although cut or broken. */
  onText(state: ReadyState, broken: readonly NewEvent[]): Verdict;
  /** What a reply with neither means. `malformed`: the model wrote a call that nobody could read. */
  onSilence(state: ReadyState, cause: 'empty' | 'malformed'): Verdict;
  /**
   * The end of a conversation that no longer fits its window. Left out: the plain reason.
   *
   * @param estimate tokens of the request that does not fit; `undefined` when Ollama refused it
   */
  whenFull?(state: ReadyState, estimate: number | undefined): Ending;
  /** A failed call in the words of this mode. Left out: as it is. */
  failure?(error: ModelError): ModelError;
  /** The lines a console would show for an event (S11, O14). */
  notices?(event: NewEvent, state: RunState): readonly string[];
}

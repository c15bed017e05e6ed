import type { ChatMessage } from '../model/chat-model.ts';
import type { PromptRoles, RoleTokens } from './prompt-role.ts';

/** Measured messages of the current conversation, so that each is measured once. */
export interface PromptTally {
  readonly counted: number;
  readonly last: ChatMessage | undefined;
  readonly chars: RoleTokens;
  /** Messages per role that viewers receive truncated. */
  readonly truncated: RoleTokens;
}

/** The composition of every prompt that a run sent. */
export interface PromptHistory {
  readonly prompts: readonly PromptRoles[];
  readonly promptTally: PromptTally;
}

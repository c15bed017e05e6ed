import type { ChatMessage } from '../model/chat-model.ts';
import { MAX_STREAMED_CHARS } from './limits.ts';
import { CHARS_PER_TOKEN, messageChars, toolChars } from './message-size.ts';
import type { PromptHistory, PromptTally } from './prompt-history.ts';
import { PROMPT_ROLES, type PromptRole, type PromptRoles, type RoleTokens } from './prompt-role.ts';
import type { EventOf, RunEvent } from './registry.ts';
import type { RunState } from './run-state.ts';

type RoleChars = Record<PromptRole, number>;

const ROLE_OF: Readonly<Record<ChatMessage['role'], PromptRole>> = {
  system: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'results',
};

const noChars = (): RoleChars => ({ system: 0, tools: 0, user: 0, assistant: 0, results: 0, other: 0 });

const emptyTally: PromptTally = { counted: 0, last: undefined, chars: noChars(), truncated: noChars() };

export const noPrompts: PromptHistory = { prompts: [], promptTally: emptyTally };

/** Folds the composition of prompts along with the run, at the cost of the new messages of each call. */
export class PromptFold {
  readonly #before: readonly PromptRoles[];
  #prompts: PromptRoles[] | undefined;
  #tally: PromptTally;

  /** @param before is not modified */
  constructor(before: PromptHistory) {
    this.#before = before.prompts;
    this.#tally = before.promptTally;
  }

  /** @param state the run after the event */
  take(state: RunState, event: RunEvent): void {
    // Both may replace messages that were measured.
    if (event.type === 'attempt.started' || event.type === 'run.forked') this.#tally = emptyTally;
    if (event.type !== 'model-call.started') return;
    this.#tally = counted(this.#tally, state.messages);
    this.#prompts ??= this.#before.slice();
    this.#prompts.push({ call: event.call, seq: event.seq, roles: rolesOf(state, this.#tally, event) });
  }

  get history(): PromptHistory {
    return { prompts: this.#prompts ?? this.#before, promptTally: this.#tally };
  }
}

function counted(before: PromptTally, messages: readonly ChatMessage[]): PromptTally {
  const grown = before.counted > 0 && messages[before.counted - 1] === before.last;
  const from = grown ? before : emptyTally;
  const chars = { ...from.chars };
  const truncated = { ...from.truncated };
  for (let index = from.counted; index < messages.length; index += 1) {
    const message = messages[index];
    if (!message) continue;
    const role = ROLE_OF[message.role];
    const size = messageChars(message);
    chars[role] += size;
    // A truncated text may be one character shorter, to keep a surrogate pair whole.
    if (size >= MAX_STREAMED_CHARS - 1) truncated[role] += 1;
  }
  return { counted: messages.length, last: messages.at(-1), chars, truncated };
}

/**
 * The estimate of a call divided by role. The log has the exact total, so what the measured messages do not explain is
 * known as well: texts that viewers receive truncated, or texts that a copy of the log leaves out.
 */
function rolesOf(state: RunState, tally: PromptTally, event: EventOf<'model-call.started'>): RoleTokens {
  const chars = { ...tally.chars };
  chars.tools += event.tool_count > 0 ? toolChars(state.tools) : 0;
  chars.system += feedbackChars(state);
  for (const [index, shorter] of Object.entries(state.folded)) {
    const message = state.messages[Number(index)];
    if (message) chars[ROLE_OF[message.role]] += shorter.length - message.content.length;
  }
  const missing = event.estimated_tokens * CHARS_PER_TOKEN - sumOf(chars);
  // The estimate is rounded up to whole tokens.
  if (missing >= CHARS_PER_TOKEN) addMissing(chars, missing, tally.truncated);
  const measured = sumOf(chars);
  const scale = measured > 0 ? event.estimated_tokens / measured : 0;
  for (const role of PROMPT_ROLES) chars[role] *= scale;
  return chars;
}

/** The diversity feedback of the cycle, which explorations append to the system prompt after a blank line (X3). */
function feedbackChars({ diversity, cycle }: RunState): number {
  return diversity?.feedback !== undefined && diversity.cycle === cycle.number
    ? diversity.feedback.length + 2
    : 0;
}

function addMissing(chars: RoleChars, missing: number, truncated: RoleTokens): void {
  const texts = sumOf(truncated);
  if (texts === 0) chars.other += missing;
  else for (const role of PROMPT_ROLES) chars[role] += (missing * truncated[role]) / texts;
}

function sumOf(chars: Readonly<RoleChars>): number {
  return PROMPT_ROLES.reduce((sum, role) => sum + chars[role], 0);
}

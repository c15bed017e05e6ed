/**
 * What a prompt is made of: a role of its messages, or the tool definitions sent with them. `other`: what this copy of
 * the log does not have, such as masked texts on a shared page.
 */
export const PROMPT_ROLES = ['system', 'tools', 'user', 'assistant', 'results', 'other'] as const;
export type PromptRole = (typeof PROMPT_ROLES)[number];

/** Estimated tokens by role. */
export type RoleTokens = Readonly<Record<PromptRole, number>>;

/** The prompt of one model call. */
export interface PromptRoles {
  readonly call: number;
  /** `model-call.started` of the call. */
  readonly seq: number;
  /** Estimated tokens; their sum is the estimate of the whole prompt (C1). */
  readonly roles: RoleTokens;
}

/** Prefix of an agent's messages to the operator (O14). */
export const AGENT_PREFIX = '[AGENT]:';

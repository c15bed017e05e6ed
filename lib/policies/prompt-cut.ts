import { unreadShare } from '../events/prompt-share.ts';
import type { NewEvent } from '../events/registry.ts';
import type { ChatRequest } from '../model/chat-model.ts';
import { CHARS_PER_TOKEN, messageChars, toolChars } from './estimate.ts';
import type { ReadyState } from './rule.ts';

const NAMED = 20;
const EXCERPT_CHARS = 80;
/** An estimate may be this far below the truth: text in other alphabets takes two characters a token. */
const ESTIMATE_MAY_DOUBLE = 2;

/**
 * The alarm when Ollama read far fewer tokens than were sent: it cuts in silence where `truncate: false` is unknown to it,
 * and then the task is the first to go (OL2). Names the messages that are most likely lost. Where the window in effect is
 * known and has room for all, nothing was cut: then it is a note (`prompt_unread`), and no message is called lost.
 *
 * @param evaluated `prompt_eval_count` of the reply
 */
export function promptCut(
  state: ReadyState,
  request: Pick<ChatRequest, 'messages' | 'tools'>,
  evaluated: number | undefined,
): Extract<NewEvent, { type: 'policy.warned' }> | undefined {
  const estimated = state.openCall?.estimated_tokens ?? 0;
  if (evaluated === undefined || unreadShare(estimated, evaluated) === undefined) return undefined;
  const number = (count: number) => count.toLocaleString('en').replaceAll(',', ' ');
  const figures = `sent ≈ ${number(estimated)} tokens, evaluated ${number(evaluated)}`;
  const counts = { call: state.calls, sent_tokens: estimated, evaluated_tokens: evaluated };
  const window = state.loaded?.context_tokens;
  if (window !== undefined && estimated * ESTIMATE_MAY_DOUBLE <= window) {
    return {
      type: 'policy.warned',
      code: 'prompt_unread',
      iteration: state.iteration,
      message: `Not all was read: ${figures}. The window of ${number(window)} has room for all of it, so nothing was cut: the model's template leaves out part of what is sent, such as the tools or the system prompt, or the server counts only what it had not read before. “Rendered prompt” under what the model saw shows it.`,
      detail: counts,
    };
  }
  const lost = lostMessages(request, evaluated);
  const names = lost.slice(0, 3).map(({ role, excerpt }) => `${role} “${excerpt}”`);
  const rest = lost.length > names.length ? ` and ${lost.length - names.length} more` : '';
  return {
    type: 'policy.warned',
    code: 'prompt_cut',
    iteration: state.iteration,
    message: `Prompt cut: ${figures}.${
      lost.length === 0
        ? ' No message was left out as a whole: parts of the last ones are missing.'
        : ` Most likely lost, from the front: ${names.join(', ')}${rest}.`
    }`,
    detail: {
      ...counts,
      lost_count: lost.length,
      lost: lost
        .slice(0, NAMED)
        .map(({ index, role, excerpt, tokens }) => ({ index, role, excerpt, tokens })),
    },
  };
}

interface Lost {
  /** Place in the request, from 0. */
  index: number;
  role: string;
  excerpt: string;
  /** Estimated. */
  tokens: number;
}

/**
 * Which messages a server leaves out that keeps the system messages and the last one and drops the others from the front
 * until the rest fits (OL2, `chatPrompt`). By the estimate, so it is the likely answer and not a certain one.
 */
export function lostMessages(
  { messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>,
  evaluated: number,
): Lost[] {
  const tokens = messages.map((message) => messageChars(message) / CHARS_PER_TOKEN);
  let left = tokens.reduce((sum, each) => sum + each, toolChars(tools) / CHARS_PER_TOKEN);
  const lost: Lost[] = [];
  for (const [index, message] of messages.entries()) {
    if (left <= evaluated || index === messages.length - 1) break;
    if (message.role === 'system') continue;
    left -= tokens[index] ?? 0;
    lost.push({
      index,
      role: message.role,
      excerpt: excerptOf(message),
      tokens: Math.ceil(tokens[index] ?? 0),
    });
  }
  return lost;
}

function excerptOf(message: ChatRequest['messages'][number]): string {
  const names = message.tool_calls?.map((call) => call.function.name).join(', ');
  const text = message.content.trim().replace(/\s+/g, ' ') || names || 'empty';
  return text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text;
}

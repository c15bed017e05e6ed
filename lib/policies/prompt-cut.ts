import { CHARS_PER_TOKEN, imageTokensOfRun, messageChars, toolChars } from '../events/message-size.ts';
import { promptFate, refusesLongChats } from '../events/prompt-share.ts';
import type { NewEvent } from '../events/registry.ts';
import { effectiveWindow } from '../events/window.ts';
import type { ChatRequest } from '../model/chat-model.ts';
import { formatCount } from '../util/numbers.ts';
import type { ReadyState } from './rule.ts';

const MAX_LISTED = 20;
const EXCERPT_CHARS = 80;

type Warning = Extract<NewEvent, { type: 'policy.warned' }>;

/** The figures of a completed request that decide whether to warn. */
interface Figures {
  estimated: number;
  evaluated: number;
  window: number;
  serverVersion: string | undefined;
}

/**
 * Warns when Ollama silently truncated a prompt, which happens when the server does not know or did not receive
 * `truncate: false` (OL2); the task is dropped first. If truncation is ruled out but far fewer tokens were evaluated
 * than estimated, it is a note (`prompt_unread`). Each is reported once per run; truncation once per window size.
 *
 * @param evaluated `prompt_eval_count` of the reply
 */
export function promptCut(
  state: ReadyState,
  request: Pick<ChatRequest, 'messages' | 'tools'>,
  evaluated: number | undefined,
): Warning | undefined {
  // The tokens of an image depend on the model, so only text is compared.
  const images = imageTokensOfRun(state, request.messages);
  const estimated = Math.max(0, (state.openCall?.estimated_tokens ?? 0) - images);
  const window = effectiveWindow(state);
  const serverVersion = state.preflight?.server_version;
  const windowIsReported = state.loaded?.context_tokens !== undefined;
  const fate = promptFate({ estimated, evaluated, window, windowIsReported, serverVersion });
  if (evaluated === undefined || fate === undefined) return undefined;
  const { promptAlarms } = state;
  const figures = { estimated, evaluated, window, serverVersion };
  if (fate === 'cut') {
    return promptAlarms.prompt_cut === window ? undefined : cutAlarm(state, request, figures);
  }
  return promptAlarms.prompt_unread === undefined ? unreadNote(state, figures) : undefined;
}

function cutAlarm(
  state: ReadyState,
  request: Pick<ChatRequest, 'messages' | 'tools'>,
  figures: Figures,
): Warning {
  const { estimated, evaluated, window, serverVersion } = figures;
  const lost = lostMessages(request, evaluated);
  const full = evaluated === window ? ', which is the whole window' : '';
  return {
    type: 'policy.warned',
    code: 'prompt_cut',
    iteration: state.iteration,
    message: `Prompt cut: ${sentAndRead(figures)}${full}. ${lossWords(lost, figures)}`,
    detail: {
      call: state.calls,
      sent_tokens: estimated,
      evaluated_tokens: evaluated,
      window_tokens: window,
      ...(serverVersion === undefined ? {} : { server_version: serverVersion }),
      lost_count: lost.length,
      lost: lost
        .slice(0, MAX_LISTED)
        .map(({ index, role, excerpt, tokens }) => ({ index, role, excerpt, tokens })),
    },
  };
}

function lossWords(lost: readonly Lost[], { estimated, evaluated }: Figures): string {
  if (estimated <= evaluated) return 'The oldest messages go first; the estimate is too low to name them.';
  if (lost.length === 0) return 'No message was left out as a whole: parts of the last ones are missing.';
  const names = lost.slice(0, 3).map(({ role, excerpt }) => `${role} “${excerpt}”`);
  const rest = lost.length > names.length ? ` and ${lost.length - names.length} more` : '';
  return `Most likely lost, from the front: ${names.join(', ')}${rest}.`;
}

function unreadNote(state: ReadyState, figures: Figures): Warning {
  const { estimated, evaluated, window, serverVersion } = figures;
  const proof = refusesLongChats(serverVersion)
    ? `Ollama ${serverVersion} refuses a prompt that does not fit`
    : `the window of ${formatCount(window)} has room for all of it`;
  return {
    type: 'policy.warned',
    code: 'prompt_unread',
    iteration: state.iteration,
    message: `Fewer tokens read than estimated: ${sentAndRead(figures)}. Nothing was cut: ${proof}. The model's template leaves out part of what is sent, or the text takes fewer tokens than its length suggests. “Rendered prompt” under “What the model saw” shows what it was given.`,
    detail: {
      call: state.calls,
      sent_tokens: estimated,
      evaluated_tokens: evaluated,
      window_tokens: window,
    },
  };
}

function sentAndRead({ estimated, evaluated }: Figures): string {
  return `sent ≈ ${formatCount(estimated)} tokens, evaluated ${formatCount(evaluated)}`;
}

interface Lost {
  /** Index in the request, from 0. */
  index: number;
  role: string;
  excerpt: string;
  /** Estimated. */
  tokens: number;
}

/**
 * The messages dropped by a server that keeps the system messages and the last one and drops the rest from the front
 * until the prompt fits (OL2, `chatPrompt`). Based on the estimate, so likely but not certain.
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

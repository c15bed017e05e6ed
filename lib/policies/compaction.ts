import type { EventOf } from '../events/registry.ts';
import { toolResult } from '../events/tool-call.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { oneLineSummary } from '../tools/summarize.ts';
import { textStart } from '../util/short-text.ts';
import { estimateTokens } from './estimate.ts';

export interface CompactionInput {
  messages: readonly ChatMessage[];
  /** Shorter forms that are sent already, by message index. */
  folded: Readonly<Record<number, string>>;
  tools: readonly ToolDefinition[];
  /** Above this estimate the request is shortened (C2). */
  limitTokens: number;
  /** Rounds that stay verbatim (C3). */
  keepRounds: number;
  /** What a single result is cut to when folding the old ones is not enough (C6). */
  resultChars: number;
  /** Shortens below the limit too: the server has just refused the request as too long. */
  force?: boolean;
}

/** What to send shorter from now on, and what that brings. */
export type Compaction = Pick<
  EventOf<'policy.compacted'>,
  'before_tokens' | 'after_tokens' | 'limit_tokens' | 'folded'
>;

type Fold = Compaction['folded'][number];

/** No one-line form is longer (C4), and no cut result is as short: the length tells them apart. */
const MAX_LINE_CHARS = 160;

/**
 * Plans the next shortening of what is sent (C2-C6); the record keeps everything (C5). All results older than the kept
 * rounds are folded at once, each to one line, and the ones within them are cut to head and tail only if that is not
 * enough: a few large steps, because each one makes Ollama read the conversation anew.
 *
 * @returns `undefined` when the request is small enough or nothing is left to shorten
 */
export function planCompaction(input: CompactionInput): Compaction | undefined {
  const { messages, tools, limitTokens } = input;
  const before = estimateTokens(messages, tools, input.folded);
  if (before <= limitTokens && !input.force) return undefined;

  const keptFrom = startOfKeptRounds(messages, input.keepRounds);
  const folds = foldOldResults(input, keptFrom);
  const view = { ...input.folded };
  const apply = (fold: Fold) => {
    view[fold.message] = fold.content;
  };
  folds.forEach(apply);
  const stillTooLong = estimateTokens(messages, tools, view) > limitTokens;
  if (stillTooLong || (input.force && folds.length === 0)) {
    const cuts = cutRecentResults(input, keptFrom);
    cuts.forEach(apply);
    folds.push(...cuts);
  }
  if (folds.length === 0) return undefined;
  return {
    before_tokens: before,
    after_tokens: estimateTokens(messages, tools, view),
    limit_tokens: Math.max(1, limitTokens),
    folded: folds,
  };
}

/** Index of the first message of the kept rounds; a round is an assistant message with calls and its results. */
function startOfKeptRounds(messages: readonly ChatMessage[], keepRounds: number): number {
  let rounds = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    if (messages[index]?.tool_calls === undefined) continue;
    rounds += 1;
    if (rounds === keepRounds) return index;
  }
  return 0;
}

function foldOldResults({ messages, folded, tools }: CompactionInput, keptFrom: number): Fold[] {
  const folds: Fold[] = [];
  let calls: NonNullable<ChatMessage['tool_calls']> = [];
  let answered = 0;
  for (let index = 0; index < keptFrom; index += 1) {
    const message = messages[index];
    if (message?.tool_calls) {
      calls = message.tool_calls;
      answered = 0;
    }
    if (message?.role !== 'tool') continue;
    const call = calls[answered]?.function;
    answered += 1;
    const present = folded[index] ?? message.content;
    if (present.length <= MAX_LINE_CHARS && folded[index] !== undefined) continue;
    const content = oneLine(message, call, tools);
    if (content.length >= present.length) continue;
    folds.push({ message: index, kind: 'one-line', before_chars: message.content.length, content });
  }
  return folds;
}

function cutRecentResults({ messages, folded, resultChars }: CompactionInput, keptFrom: number): Fold[] {
  const folds: Fold[] = [];
  for (let index = keptFrom; index < messages.length; index += 1) {
    const message = messages[index];
    if (message?.role !== 'tool' || folded[index] !== undefined || message.content.length <= resultChars)
      continue;
    folds.push({
      message: index,
      kind: 'head-and-tail',
      before_chars: message.content.length,
      content: headAndTail(message.content, resultChars),
    });
  }
  return folds;
}

/** Tool, main argument, success and size of a result in one line (C4). */
function oneLine(
  message: ChatMessage,
  call: { name: string; arguments: EventOf<'reply.parsed'>['calls'][number]['arguments'] } | undefined,
  tools: readonly ToolDefinition[],
): string {
  const name = call?.name ?? message.tool_name ?? 'tool';
  const result = toolResult.parse(JSON.parse(message.content));
  return oneLineSummary({ name, arguments: call?.arguments ?? {} }, result, mainArgument(name, tools));
}

/** The argument that says what a call is about: the first that its schema requires, else the first it has. */
function mainArgument(name: string, tools: readonly ToolDefinition[]): string | undefined {
  const parameters = tools.find((tool) => tool.function.name === name)?.function.parameters;
  return parameters?.required?.[0] ?? Object.keys(parameters?.properties ?? {})[0];
}

/**
 * The beginning and the end of a text, with a mark between them that says how much is missing; at most `max` UTF-16
 * units, no surrogate pair split.
 */
export function headAndTail(text: string, max: number): string {
  if (text.length <= max) return text;
  const mark = `\n[… ${text.length - max} of ${text.length} characters are left out here …]\n`;
  const room = Math.max(0, max - mark.length);
  const headRoom = Math.ceil(room * 0.7);
  const tail = room > headRoom ? text.slice(headRoom - room) : '';
  return `${textStart(text, headRoom)}${mark}${withoutLowSurrogate(tail)}`;
}

function withoutLowSurrogate(text: string): string {
  return /^[\udc00-\udfff]/.test(text) ? text.slice(1) : text;
}

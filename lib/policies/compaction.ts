import { imageTokensOf, withImagesInWords } from '../events/message-images.ts';
import type { EventOf } from '../events/registry.ts';
import { toolResult } from '../events/tool-call.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { oneLineSummary } from '../tools/summarize.ts';
import type { ToolResult } from '../tools/tool.ts';
import { textStart } from '../util/short-text.ts';
import { type Folded, requestChars, tokensOf } from './estimate.ts';

export interface CompactionInput {
  /** As the model can read them. */
  messages: readonly ChatMessage[];
  /** Whether one of them may have images. Default: no. */
  hasImages?: boolean;
  /** Tokens of an image as a multiple of the estimate, as measured. Default: 1. */
  imageFactor?: number | undefined;
  /** Shortened contents already in use; immutable. */
  folded: Folded;
  tools: readonly ToolDefinition[];
  /** Requests with a higher estimate are shortened (C2). */
  limitTokens: number;
  /** Number of recent rounds kept verbatim (C3). */
  keepRounds: number;
  /** Max length of a single result once folding the old ones is not enough (C6). */
  resultChars: number;
  /** Shorten even below the limit, because the server just refused the request as too long. */
  force?: boolean;
}

/** The messages to shorten from now on, and the resulting size. */
export type Compaction = Pick<
  EventOf<'policy.compacted'>,
  'before_tokens' | 'after_tokens' | 'limit_tokens' | 'folded'
>;

type Fold = Compaction['folded'][number];

/** Max length of a one-line summary (C4). Cut results are always longer, so the length tells the two apart. */
const MAX_LINE_CHARS = 160;

/**
 * Plans the next compaction of the request (C2-C6); the log keeps everything (C5). Removes the images of results older
 * than the kept rounds, then folds all those results to one line each. Only if that is not enough, cuts the newer
 * results to head and tail and removes their images. A few large steps are cheaper than many small ones, because each
 * makes Ollama evaluate the prompt again.
 *
 * @returns `undefined` when the request is small enough or nothing is left to shorten
 */
export function planCompaction(input: CompactionInput): Compaction | undefined {
  const { messages, tools, limitTokens } = input;
  const chars = requestChars(messages, tools, input.folded);
  const { hasImages = false } = input;
  const before = tokensOf(chars) + imagesAfter([], input);
  if (before <= limitTokens && !input.force) return undefined;

  const keptFrom = startOfKeptRounds(messages, input.keepRounds);
  let folds = hasImages ? leaveOutImages(input, { from: 0, to: keptFrom }) : [];
  const after = () => tokensOf(chars - savedBy(folds, input)) + imagesAfter(folds, input);
  const isTooLarge = () => after() > limitTokens || (input.force && folds.length === 0);
  if (isTooLarge()) folds = merged(folds, foldOldResults(input, keptFrom));
  if (isTooLarge()) folds = merged(folds, cutRecentResults(input, keptFrom));
  if (hasImages && isTooLarge()) {
    const newer = leaveOutImages(input, { from: keptFrom, to: messages.length });
    folds = merged(newer, folds);
  }
  if (folds.length === 0) return undefined;
  return {
    before_tokens: before,
    after_tokens: after(),
    limit_tokens: Math.max(1, limitTokens),
    folded: folds,
  };
}

/** The tokens of the images that a request still carries with these folds. */
function imagesAfter(
  folds: readonly Fold[],
  { hasImages, messages, folded, imageFactor }: CompactionInput,
): number {
  if (!hasImages) return 0;
  const left = { ...folded, ...Object.fromEntries(folds.map(({ message, content }) => [message, content])) };
  return imageTokensOf(messages, left, imageFactor);
}

/** If both lists fold a message, the later list wins. */
function merged(folds: readonly Fold[], later: readonly Fold[]): Fold[] {
  const byMessage = new Map([...folds, ...later].map((fold) => [fold.message, fold]));
  return [...byMessage.values()].sort((a, b) => a.message - b.message);
}

/** Leaves out the images of results, and says in text what they were. Images that a person attached stay. */
function leaveOutImages(
  { messages, folded }: CompactionInput,
  { from, to }: { from: number; to: number },
): Fold[] {
  const folds: Fold[] = [];
  for (let index = from; index < to; index += 1) {
    const message = messages[index];
    if (message?.role !== 'tool' || !message.images || folded[index] !== undefined) continue;
    const { content } = withImagesInWords(message, (names) => `Images left out to save room: ${names}.`);
    folds.push({ message: index, kind: 'images', before_chars: message.content.length, content });
  }
  return folds;
}

/** The characters that these folds, each of a different message, remove from a request. */
function savedBy(folds: readonly Fold[], { messages, folded }: CompactionInput): number {
  return folds.reduce((sum, { message, content }) => {
    const present = folded[message] ?? messages[message]?.content ?? content;
    return sum + present.length - content.length;
  }, 0);
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
  const result = resultIn(message.content) ?? message.content;
  return oneLineSummary({ name, arguments: call?.arguments ?? {} }, result, mainArgument(name, tools));
}

/** The result in a tool message; `undefined` if the operator of a fork replaced it with another text. */
function resultIn(content: string): ToolResult | undefined {
  try {
    return toolResult.safeParse(JSON.parse(content)).data;
  } catch {
    return undefined;
  }
}

/** The argument that best identifies a call: the first required by its schema, otherwise its first property. */
function mainArgument(name: string, tools: readonly ToolDefinition[]): string | undefined {
  const parameters = tools.find((tool) => tool.function.name === name)?.function.parameters;
  return parameters?.required?.[0] ?? Object.keys(parameters?.properties ?? {})[0];
}

/**
 * The start and end of a text around a marker that says how much was omitted. At most `max` UTF-16 units; never
 * splits a surrogate pair.
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

import type { ChatMessage, MessageImage } from '../model/chat-model.ts';
import { jsonObject } from '../util/json.ts';
import { memoized } from '../util/memoized.ts';
import type { ImageRef, KnownImages } from './image.ts';
import { imageWords } from './image-words.ts';

/** A patch of 28 × 28 pixels is a token in Qwen-VL; Gemma and LLaVA take 256 and 576 tokens for an image of any size. */
const PATCH_PIXELS = 28;
const MIN_IMAGE_TOKENS = 64;

/** Facts of a run that decide what of its images a request carries. */
export interface ImageFacts {
  readonly messages: readonly ChatMessage[];
  readonly images: KnownImages;
  readonly preflight: { readonly capabilities?: readonly string[] } | undefined;
}

/** A run's state with more images. */
export function withImages<State extends { readonly images: KnownImages }>(
  state: State,
  images: readonly ImageRef[] | undefined,
): State {
  if (!images || images.length === 0) return state;
  const kept = new Map(state.images.kept);
  for (const { hash, bytes } of images) kept.set(hash, bytes);
  return { ...state, images: { ...state.images, kept } };
}

/** Whether the run's model can see images, by what its server reports. One that reports nothing gets none. */
export function seesImages({ preflight }: Pick<ImageFacts, 'preflight'>): boolean {
  return preflight?.capabilities?.includes('vision') ?? false;
}

/**
 * The conversation as the run's model can read it: a model without vision gets text that lists the images. Without
 * images it is the conversation itself.
 */
export function readableMessages(state: ImageFacts): readonly ChatMessage[] {
  if (state.images.kept.size === 0 || seesImages(state)) return state.messages;
  return state.messages.map((message) => (message.images ? unseenImages(message) : message));
}

// A message stays the same object in all requests, so a request only appends to the previous one.
const unseenImages = memoized((message: ChatMessage) =>
  withImagesInWords(message, (names) => `There is an image here that you cannot see: ${names}.`),
);

/**
 * A message with text in place of its images. A result in JSON stays JSON.
 *
 * @param say returns the text for the names of the images
 */
export function withImagesInWords(message: ChatMessage, say: (names: string) => string): ChatMessage {
  const { images = [], ...rest } = message;
  const note = say(images.map(imageWords).join('; '));
  return { ...rest, content: withNote(message, note) };
}

function withNote({ role, content }: ChatMessage, note: string): string {
  const result = role === 'tool' ? jsonObject(content) : undefined;
  if (!result) return `${content}\n\n[${note}]`;
  const earlier = typeof result.note === 'string' ? `${result.note} ` : '';
  return JSON.stringify({ ...result, note: earlier + note });
}

/** The estimated tokens of an image. Models differ; `measuredFactor` corrects it once a server has counted. */
function imageTokens({ width, height }: Pick<MessageImage, 'width' | 'height'>): number {
  return Math.max(MIN_IMAGE_TOKENS, Math.ceil(width / PATCH_PIXELS) * Math.ceil(height / PATCH_PIXELS));
}

/**
 * The estimated tokens of all images that a request carries.
 *
 * @param folded shortened contents by message: a shortened message is sent without its images
 * @param factor from `measuredFactor`
 */
export function imageTokensOf(
  messages: readonly ChatMessage[],
  folded: Readonly<Record<number, unknown>> = {},
  factor = 1,
): number {
  let tokens = 0;
  for (const [index, { images }] of messages.entries()) {
    if (images && folded[index] === undefined) for (const image of images) tokens += imageTokens(image);
  }
  return Math.ceil(tokens * factor);
}

/** Measured tokens of a request may be this far from the estimate before they are not believed. */
const FACTOR_RANGE = { min: 0.05, max: 4 };

/**
 * How many tokens an image really takes, as a multiple of the estimate, from a request that a server has counted.
 *
 * @returns `undefined` if the request had no image
 */
export function measuredFactor(
  state: ImageFacts & { readonly folded: Readonly<Record<number, string>> },
  { estimated, measured }: { estimated: number; measured: number | undefined },
): number | undefined {
  if (measured === undefined || state.images.kept.size === 0) return undefined;
  const messages = readableMessages(state);
  const images = imageTokensOf(messages, state.folded);
  if (images === 0) return undefined;
  const text = estimated - imageTokensOf(messages, state.folded, state.images.factor);
  return Math.min(FACTOR_RANGE.max, Math.max(FACTOR_RANGE.min, (measured - text) / images));
}

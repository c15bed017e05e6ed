import { z } from 'zod';
import { jsonValue } from '../util/json.ts';
import { fullName } from '../util/model-name.ts';
import { sampleOfSchema } from './sample-of-schema.ts';
import {
  type FakeModel,
  holds,
  type ScenarioStep,
  type SeenMessage,
  scenarioReply,
  type stepAt,
} from './scenario.ts';

/** The parts of a chat request that determine the answer; others are accepted as is. */
export const chatBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.unknown()).nullish(),
  tools: z.array(z.unknown()).nullish(),
  stream: z.boolean().nullish(),
  think: z.union([z.boolean(), z.string()]).nullish(),
  truncate: z.boolean().nullish(),
  shift: z.boolean().nullish(),
  keep_alive: z.union([z.string(), z.number()]).nullish(),
  options: z.looseObject({ num_ctx: z.number().optional(), num_predict: z.number().optional() }).nullish(),
  /** A JSON schema; other values are ignored. */
  format: z.record(z.string(), z.json()).nullish().catch(undefined),
  _debug_render_only: z.boolean().nullish(),
});
export type ChatBody = z.infer<typeof chatBody>;

export const seenMessage = z.looseObject({ role: z.string(), content: z.string().catch('') });

export function lackingCapability(
  model: FakeModel,
  body: ChatBody,
  offered: readonly string[],
): string | undefined {
  const thinks = typeof body.think === 'string' || body.think === true;
  if (thinks && !model.capabilities.includes('thinking')) return `"${body.model}" does not support thinking`;
  if (!model.capabilities.includes('completion')) return `"${body.model}" does not support chat`;
  if (offered.length > 0 && !model.capabilities.includes('tools')) {
    return `registry.ollama.ai/library/${fullName(body.model)} does not support tools`;
  }
  const images = imagesOf(body);
  if (images.length > 0 && !model.capabilities.includes('vision')) {
    return 'this model is missing data required for image input';
  }
  return images.every(isDecodable) ? undefined : 'image: unknown format';
}

/** The images of a request in base64, in the order of its messages. */
function imagesOf({ messages }: ChatBody): string[] {
  const texts = z.looseObject({ images: z.array(z.string()).default([]) });
  return (messages ?? []).flatMap((message) => texts.safeParse(message).data?.images ?? []);
}

/** Tokens of an image of any size, as for Gemma. */
const IMAGE_TOKENS = 256;

/** A token for each four characters of messages and tools, and those of the images. */
export function estimatedPromptTokens(body: ChatBody): number {
  const images = imagesOf(body);
  const imageChars = images.reduce((sum, { length }) => sum + length, 0);
  const chars = JSON.stringify(body.messages).length - imageChars + JSON.stringify(body.tools ?? []).length;
  return images.length * IMAGE_TOKENS + Math.ceil(chars / 4);
}

/** PNG and JPEG by their first bytes. */
function isDecodable(base64: string): boolean {
  return base64.startsWith('iVBORw0KGgo') || base64.startsWith('/9j/');
}

/**
 * The step of a request with a `format`: Ollama lets the model choose only tokens that fit the schema, so a step whose
 * text is not JSON is replaced by a sample of the schema.
 */
export function formatted(found: ReturnType<typeof stepAt>, { format }: ChatBody): ReturnType<typeof stepAt> {
  const { fault, attempts, reply } = found?.step ?? {};
  if (!format || fault || attempts || jsonValue(reply?.content ?? '') !== undefined) return found;
  const content = JSON.stringify(sampleOfSchema(format));
  return { round: 1, ...found, step: { reply: scenarioReply.parse({ content }) } };
}

export function unmet(
  step: ScenarioStep,
  chat: { body: ChatBody; messages: readonly SeenMessage[]; offered: readonly string[] },
): string | undefined {
  const { expect } = step;
  if (!expect) return undefined;
  const last = chat.messages.at(-1);
  if (expect.last_role !== undefined && last?.role !== expect.last_role) {
    return `the last message should be of "${expect.last_role}" and is of "${last?.role}"`;
  }
  if (expect.last_contains !== undefined && !last?.content.includes(expect.last_contains)) {
    return `the last message should contain ${JSON.stringify(expect.last_contains)}: ${JSON.stringify(last?.content)}`;
  }
  const images = imagesOf(chat.body).length;
  if (expect.images !== undefined && images !== expect.images) {
    return `the messages should have ${expect.images} images and have ${images}`;
  }
  const missing = expect.offers?.find((tool) => !chat.offered.includes(tool));
  if (missing !== undefined) return `the tool "${missing}" should be offered`;
  if (expect.body !== undefined && !holds(chat.body, expect.body)) {
    return `the body should hold ${JSON.stringify(expect.body)}`;
  }
  return undefined;
}

/** Ollama's answer to `_debug_render_only`: a reply without a message, not done, with the prompt (OL5). */
export function debugReply(model: string, rendered_template: string): string {
  const created_at = new Date().toISOString();
  const message = { role: '', content: '' };
  return JSON.stringify({ model, created_at, message, done: false, _debug_info: { rendered_template } });
}

/** The prompt as rendered by the ChatML template, with tools in the system message. */
export function renderedPrompt({ messages, tools }: ChatBody): string {
  const block = (tools ?? []).map((tool) => JSON.stringify(tool)).join('\n');
  const toolText = block === '' ? '' : `\n\n# Tools\n\n<tools>\n${block}\n</tools>`;
  const seen = (messages ?? []).map((message) => seenMessage.parse(message));
  const parts = seen.map(({ role, content, tool_calls }, index) => {
    const calls = Array.isArray(tool_calls)
      ? tool_calls.map((call) => `\n<tool_call>\n${JSON.stringify(call)}\n</tool_call>`).join('')
      : '';
    const text = role === 'tool' ? `<tool_response>\n${content}\n</tool_response>` : content;
    const shownAs = role === 'tool' ? 'user' : role;
    return `<|im_start|>${shownAs}\n${text}${calls}${index === 0 ? toolText : ''}<|im_end|>\n`;
  });
  return `${parts.join('')}<|im_start|>assistant\n`;
}

export function phaseReply(model: string, reason: 'load' | 'unload'): string {
  const created_at = new Date().toISOString();
  return JSON.stringify({
    model,
    created_at,
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: reason,
  });
}

import { z } from 'zod';
import type { McpOffersReply, McpPromptReply, McpResourceReply } from '../api/mcp-offers.ts';
import { fitMiddle } from '../tools/fit-text.ts';
import { MAX_RESULT_BYTES } from '../tools/tool-results.ts';
import { embedded, partText } from './call-result.ts';
import { cleanLine, cleanText } from './clean-text.ts';
import { type Connection, pageOf } from './connection.ts';
import { MAX_DESCRIPTION_CHARS, MAX_LISTED, MAX_NAME_CHARS, MAX_URI_CHARS } from './limits.ts';
import type { SecretMask } from './secrets.ts';

const PAGES = {
  prompts: pageOf('prompts'),
  resources: pageOf('resources'),
  templates: pageOf('resourceTemplates'),
} as const;
const PROMPT_RESULT = z.object({ messages: z.array(z.unknown()) });
const RESOURCE_RESULT = z.object({ contents: z.array(z.unknown()) });

/** Max arguments of one prompt; further ones are left out. */
const MAX_PROMPT_ARGUMENTS = 50;
/** Max messages of a prompt, and parts of a resource. */
const MAX_PARTS = 50;

type Given = Readonly<Record<string, unknown>>;

/** What a server offers besides tools. @throws {AppError} `mcp_bad_answer` */
export async function listOffers(connection: Connection, signal: AbortSignal): Promise<McpOffersReply> {
  const hasResources = connection.has('resources');
  const list = (method: string, page: (typeof PAGES)['prompts']) =>
    connection.list({ method, page, max: MAX_LISTED, signal });
  const listed = {
    prompts: connection.has('prompts') ? await list('prompts/list', PAGES.prompts) : [],
    resources: hasResources ? await list('resources/list', PAGES.resources) : [],
    // Many servers with resources do not support templates and refuse to list them.
    templates: hasResources ? await list('resources/templates/list', PAGES.templates).catch(() => []) : [],
  };
  return readOffers(listed, connection.mask);
}

/** The messages of a prompt. @throws {AppError} `mcp_bad_answer` */
export async function getPrompt(
  connection: Connection,
  { name, args, signal }: { name: string; args: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<McpPromptReply> {
  const request = { method: 'prompts/get', params: { name, arguments: args } };
  const what = 'did not give the prompt';
  return readPrompt(await connection.ask({ request, answer: PROMPT_RESULT, what, signal }), connection.mask);
}

/** The content of a resource. @throws {AppError} `mcp_bad_answer` */
export async function getResource(
  connection: Connection,
  { uri, signal }: { uri: string; signal: AbortSignal },
): Promise<McpResourceReply> {
  const request = { method: 'resources/read', params: { uri } };
  const what = 'did not give the resource';
  return readResource(
    await connection.ask({ request, answer: RESOURCE_RESULT, what, signal }),
    connection.mask,
  );
}

/** The lists within limits, cleaned and masked. Pure. */
function readOffers(
  listed: { prompts: readonly unknown[]; resources: readonly unknown[]; templates: readonly unknown[] },
  mask: SecretMask,
): McpOffersReply {
  const line = (value: unknown, maxChars: number) => cleanLine(value, maxChars, mask);
  const described = ({ title, description }: Given) => {
    const shownTitle = line(title, MAX_NAME_CHARS);
    const text = typeof description === 'string' ? description.slice(0, 4 * MAX_DESCRIPTION_CHARS) : '';
    const shown = mask.text(cleanText(text).text).slice(0, MAX_DESCRIPTION_CHARS).toWellFormed();
    return {
      ...(shownTitle === '' ? {} : { title: shownTitle }),
      ...(shown === '' ? {} : { description: shown }),
    };
  };
  const typed = ({ mimeType }: Given) =>
    typeof mimeType === 'string' ? { mime_type: line(mimeType, 100) } : {};
  return {
    prompts: unique(listed.prompts, 'name', MAX_NAME_CHARS).map((prompt) => ({
      name: String(prompt.name),
      ...described(prompt),
      arguments: unique(Array.isArray(prompt.arguments) ? prompt.arguments : [], 'name', MAX_NAME_CHARS)
        .slice(0, MAX_PROMPT_ARGUMENTS)
        .map((argument) => ({
          name: String(argument.name),
          ...described(argument),
          required: argument.required === true,
        })),
    })),
    resources: unique(listed.resources, 'uri', MAX_URI_CHARS).map((resource) => ({
      uri: String(resource.uri),
      name: line(resource.name, MAX_NAME_CHARS),
      ...described(resource),
      ...typed(resource),
      ...(typeof resource.size === 'number' && resource.size >= 0 && { size_bytes: resource.size }),
    })),
    templates: unique(listed.templates, 'uriTemplate', MAX_URI_CHARS).map((template) => ({
      uri_template: String(template.uriTemplate),
      name: line(template.name, MAX_NAME_CHARS),
      ...described(template),
      ...typed(template),
    })),
  };
}

/**
 * The entries with a usable, unique key. Keys are sent back to the server unchanged, so a key with invisible characters
 * is left out.
 */
function unique(entries: readonly unknown[], key: string, maxChars: number): Given[] {
  const seen = new Set<string>();
  return entries.slice(0, MAX_LISTED).flatMap((entry) => {
    const read: Given = typeof entry === 'object' && entry !== null ? { ...entry } : {};
    const value = read[key];
    if (typeof value !== 'string' || value === '' || value.length > maxChars) return [];
    if (seen.has(value) || cleanLine(value, maxChars) !== value) return [];
    seen.add(value);
    return [read];
  });
}

/** The messages of a prompt, as texts. Pure. */
function readPrompt(raw: z.output<typeof PROMPT_RESULT>, mask: SecretMask): McpPromptReply {
  const messages = raw.messages.slice(0, MAX_PARTS).map((message) => {
    const { role, content }: Given = typeof message === 'object' && message !== null ? { ...message } : {};
    return {
      role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
      text: partText(content, mask),
    };
  });
  const shown = messages.map(({ role, text }) => ({ role, ...shortened(text, mask, messages.length) }));
  const isCut = shown.some(({ cut }) => cut) || raw.messages.length > MAX_PARTS;
  return {
    messages: shown.map(({ role, text }) => ({ role, text })),
    ...(isCut && { truncated: true as const }),
  };
}

/** The content of a resource: texts, or the known facts about other data. Pure. */
function readResource(raw: z.output<typeof RESOURCE_RESULT>, mask: SecretMask): McpResourceReply {
  const parts = raw.contents.slice(0, MAX_PARTS);
  const shown = parts.map((part) => shortened(embedded(part, mask), mask, parts.length));
  const isCut = shown.some(({ cut }) => cut) || raw.contents.length > MAX_PARTS;
  return { texts: shown.map(({ text }) => text), ...(isCut && { truncated: true as const }) };
}

/** Divides the size limit of a result among the parts. */
function shortened(text: string, mask: SecretMask, parts: number): { text: string; cut: boolean } {
  return fitMiddle(mask.text(text), Math.floor(MAX_RESULT_BYTES / Math.max(1, parts)));
}

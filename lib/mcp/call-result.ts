import type { NamedImage } from '../events/image.ts';
import { IMAGE_LIMITS } from '../events/limits.ts';
import { plainText } from '../sandbox/plain-text.ts';
import { fitMiddle, jsonTextBytes } from '../tools/fit-text.ts';
import type { ToolResult } from '../tools/tool.ts';
import { failed, MAX_RESULT_BYTES, RESULT_OVERHEAD_BYTES, succeeded } from '../tools/tool-results.ts';
import { isBoundedObject, isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import { formatCount } from '../util/numbers.ts';
import { sortedJson } from '../util/sorted-json.ts';
import { cleanLine } from './clean-text.ts';
import { MAX_NAME_CHARS, MAX_URI_CHARS } from './limits.ts';
import type { SecretMask } from './secrets.ts';

/** The result of a tool call, as the server sent it. */
export interface RawCallResult {
  content?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
  /** Whatever else it has. */
  [field: string]: unknown;
}

/** Max parts of a result; further ones are only counted. */
const MAX_PARTS = 200;
const MAX_STRUCTURED_DEPTH = 40;

/**
 * The result of a call for the model and the log: its texts, its data, and a line for each image, audio or file. Pure.
 *
 * Data that only repeats the text is left out, because servers send both. Everything is cleaned of control characters,
 * masked, and cut at the size limit of results.
 */
export function callResult(tool: string, raw: RawCallResult, mask: SecretMask): ToolResult {
  const parts = Array.isArray(raw.content) ? raw.content : [];
  const lines = parts.slice(0, MAX_PARTS).map((part) => partText(part, mask));
  if (parts.length > MAX_PARTS) lines.push(`[${formatCount(parts.length - MAX_PARTS)} more parts left out]`);
  const text = mask.text(lines.filter((line) => line !== '').join('\n\n'));
  const structured = structuredOf(raw.structuredContent, mask);
  const shown =
    structured === undefined
      ? withOtherData(text, raw.structuredContent, mask)
      : repeats(text, structured)
        ? ''
        : text;
  const room = MAX_RESULT_BYTES - RESULT_OVERHEAD_BYTES;
  const keeps = structured !== undefined && Buffer.byteLength(JSON.stringify(structured)) <= room / 2;
  const fitted = fitMiddle(
    // Data that is too large is shown in part, as text.
    structured === undefined || keeps
      ? shown
      : [shown, JSON.stringify(structured)].filter(Boolean).join('\n\n'),
    room - (keeps ? Buffer.byteLength(JSON.stringify(structured)) : 0),
  );
  const output: JsonObject = {
    ...(fitted.text !== '' || !keeps ? { text: fitted.text } : {}),
    ...(keeps ? { data: structured } : {}),
  };
  const options = { truncated: fitted.cut || parts.length > MAX_PARTS };
  if (raw.isError !== true) return succeeded(tool, output, options);
  const { text: said, ...rest } = output;
  const error = typeof said === 'string' && said !== '' ? said : 'The tool failed without saying why.';
  return failed(tool, { error, ...rest }, options);
}

const MAX_IMAGE_CHARS = 4 * Math.ceil(IMAGE_LIMITS.max_file_bytes / 3);

/**
 * The images of a result, as their bytes. The declared type is ignored: it is detected when they are stored.
 * Images beyond the number that can be kept have no bytes: they are only counted.
 */
export function resultImages(raw: RawCallResult): NamedImage[] {
  const parts: unknown[] = Array.isArray(raw.content) ? raw.content.slice(0, MAX_PARTS) : [];
  const images: NamedImage[] = [];
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue;
    const { type, data }: Readonly<Record<string, unknown>> = { ...part };
    if (type !== 'image' || typeof data !== 'string') continue;
    // Cut data is no longer an image, so it is refused as damaged without decoding all of it.
    const isKept = images.length < IMAGE_LIMITS.max_per_result;
    const bytes = Buffer.from(isKept ? data.slice(0, MAX_IMAGE_CHARS + 4) : '', 'base64');
    images.push({ name: `image ${images.length + 1}`, data: bytes });
  }
  return images;
}

/** One part of a result or prompt as text. Masks what it cuts, but not the text of a part. */
export function partText(part: unknown, mask: SecretMask): string {
  if (typeof part !== 'object' || part === null) return '';
  const given: Readonly<Record<string, unknown>> = { ...part };
  switch (given.type) {
    case 'text':
      return typeof given.text === 'string' ? plainText(given.text.toWellFormed()) : '';
    case 'image':
      return `[Image: ${mimeType(given.mimeType, mask)}, ${byteWords(base64Bytes(given.data))}]`;
    case 'audio':
      return `[Audio: ${mimeType(given.mimeType, mask)}, ${byteWords(base64Bytes(given.data))}. It cannot be played to the model.]`;
    case 'resource_link':
      return resourceLink(given, mask);
    case 'resource':
      return embedded(given.resource, mask);
    default:
      return `[A part of the unknown type "${cleanLine(given.type, 50, mask)}"]`;
  }
}

function resourceLink(link: Readonly<Record<string, unknown>>, mask: SecretMask): string {
  const facts = [
    cleanLine(link.title ?? link.name, MAX_NAME_CHARS, mask),
    typeof link.mimeType === 'string' ? mimeType(link.mimeType, mask) : '',
    typeof link.size === 'number' && link.size >= 0 ? byteWords(link.size) : '',
    cleanLine(link.description, 500, mask),
  ];
  return `[Resource ${[cleanLine(link.uri, MAX_URI_CHARS, mask), ...facts.filter((fact) => fact !== '')].join(', ')}]`;
}

/** A part of a resource as text: its text, or the known facts about other data. */
export function embedded(resource: unknown, mask: SecretMask): string {
  if (typeof resource !== 'object' || resource === null) return '';
  const { uri, mimeType: type, text, blob }: Readonly<Record<string, unknown>> = { ...resource };
  const name = cleanLine(uri, MAX_URI_CHARS, mask);
  if (typeof text === 'string') return `[Resource ${name}]\n${plainText(text.toWellFormed())}`;
  return `[Resource ${name}, ${mimeType(type, mask)}, ${byteWords(base64Bytes(blob))}. It is not text.]`;
}

function mimeType(type: unknown, mask: SecretMask): string {
  const name = cleanLine(type, 100, mask);
  return name === '' ? 'unknown type' : name;
}

/** The size of base64 data once decoded. */
function base64Bytes(data: unknown): number {
  if (typeof data !== 'string') return 0;
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

function byteWords(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${formatCount(Math.round(bytes / 1000))} kB`;
}

/** The data of a result, if it is an object within limits, with cleaned texts. */
function structuredOf(value: unknown, mask: SecretMask): JsonObject | undefined {
  const bounds = { maxChars: 4 * MAX_RESULT_BYTES, maxDepth: MAX_STRUCTURED_DEPTH };
  if (!isBoundedObject(value, bounds)) return undefined;
  const cleaned = mask.json(cleanJson(value));
  return isRecord(cleaned) ? cleaned : undefined;
}

/**
 * A text followed by data that is not an object within limits, unless the text already contains it. Both are cut
 * together. Data that is nested too deeply is left out, with a note.
 */
function withOtherData(text: string, value: unknown, mask: SecretMask): string {
  const isData = typeof value === 'object' && value !== null;
  const bounds = { maxChars: Number.POSITIVE_INFINITY, maxDepth: MAX_STRUCTURED_DEPTH + 1 };
  if (!isData || /^\s*[[{]/.test(text)) return text;
  const data = isBoundedObject({ value }, bounds)
    ? mask.text(plainText(JSON.stringify(value)))
    : `[Data left out: it is nested more than ${MAX_STRUCTURED_DEPTH} levels deep]`;
  return [text, data].filter((part) => part !== '').join('\n\n');
}

function cleanJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return plainText(value.toWellFormed());
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanJson);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [plainText(key.toWellFormed()), cleanJson(inner)]),
  );
}

/** Whether the text is the data written as JSON. */
function repeats(text: string, data: JsonObject): boolean {
  if (jsonTextBytes(text) > 4 * MAX_RESULT_BYTES) return false;
  try {
    const parsed: JsonValue = JSON.parse(text);
    return sortedJson(parsed) === sortedJson(data);
  } catch {
    return false; // ordinary text
  }
}

import { MAX_ENTERED_CHARS } from '../events/entered-content.ts';
import type { AskedField, AskedRequest, EnteredValue } from '../events/mcp-request.ts';
import { isBoundedObject, isRecord } from '../util/json.ts';
import { formatCount } from '../util/numbers.ts';
import { textStart } from '../util/short-text.ts';
import { cleanLine, cleanText } from './clean-text.ts';
import {
  MAX_ASKED_CHARS,
  MAX_ASKED_FIELDS,
  MAX_ASKED_OPTIONS,
  MAX_ASKED_SCHEMA_CHARS,
  MAX_NAME_CHARS,
  MAX_PARAMETER_CHARS,
  MAX_SAMPLE_CHARS,
  MAX_SAMPLE_MESSAGES,
  MAX_URI_CHARS,
} from './limits.ts';
import type { SecretMask } from './secrets.ts';

/** A request that is refused without asking a person; the message tells the server why. */
export class RefusedRequestError extends Error {}

type Given = Readonly<Record<string, unknown>>;

const MAX_STOPS = 8;
/** Field names that ask for secrets, which should not be entered in a form. */
const SECRET_WORDS =
  /pass(?:word|phrase|code)?\b|secret|token|api.?key|private.?key|credential|\bpin\b|\bcvv\b|card.?number|\bssn\b|seed.?phrase|recovery/i;

/**
 * A server's request for input, within limits and with cleaned texts. Pure.
 *
 * @param params of `elicitation/create`
 * @throws {RefusedRequestError} if no form can show it
 */
export function readElicitation(params: Given, mask: SecretMask): AskedRequest {
  const message = textOf(params.message, mask, MAX_ASKED_CHARS);
  if (params.mode === 'url') return { kind: 'url', message, url: webAddress(params.url) };
  const schema = params.requestedSchema;
  if (!isBoundedObject(schema, { maxChars: MAX_ASKED_SCHEMA_CHARS, maxDepth: 8 })) {
    throw new RefusedRequestError(
      `The requested schema is missing, nested too deeply, or has more than ${formatCount(MAX_ASKED_SCHEMA_CHARS)} characters.`,
    );
  }
  const properties = Object.entries(given(schema.properties));
  if (properties.length > MAX_ASKED_FIELDS) {
    throw new RefusedRequestError(`A form can have at most ${MAX_ASKED_FIELDS} fields.`);
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = properties.map(([name, property]) =>
    fieldOf(name, given(property), { required: required.includes(name), mask }),
  );
  return { kind: 'form', message, fields };
}

/** Only shown as text, but a person may open it. */
function webAddress(value: unknown): string {
  const url = typeof value === 'string' && value.length <= MAX_URI_CHARS ? URL.parse(value) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new RefusedRequestError('The address must begin with http:// or https:// and hold no password.');
  }
  return url.href;
}

function fieldOf(
  name: string,
  property: Given,
  { required, mask }: { required: boolean; mask: SecretMask },
): AskedField {
  if (name === '__proto__' || name === '' || name.length > MAX_NAME_CHARS || cleanText(name).text !== name) {
    throw new RefusedRequestError('A field of the form has a name that cannot be used.');
  }
  const title = cleanLine(property.title, MAX_NAME_CHARS, mask);
  const description = textOf(property.description, mask, MAX_PARAMETER_CHARS);
  const looksSecret = SECRET_WORDS.test(`${wordsOf(name)} ${title}`) || property.format === 'password';
  const kind = kindOf(property);
  return {
    name,
    ...(title === '' ? {} : { title }),
    ...(description === '' ? {} : { description }),
    kind,
    required,
    ...optionsOf(kind, property, mask),
    ...formatOf(kind, property),
    ...boundsOf(kind, property),
    ...presetOf(kind, property, mask),
    ...(looksSecret && { looks_secret: true as const }),
  };
}

/** `apiKey` and `api_key` as words. */
function wordsOf(name: string): string {
  return name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' ');
}

function kindOf(property: Given): AskedField['kind'] {
  switch (property.type) {
    case 'boolean':
      return 'switch';
    case 'number':
      return 'number';
    case 'integer':
      return 'integer';
    case 'array':
      return 'choices';
    case 'string':
      return Array.isArray(property.enum) || Array.isArray(property.oneOf) ? 'choice' : 'text';
    default:
      throw new RefusedRequestError('A form can ask for texts, numbers, yes or no, and choices only.');
  }
}

function optionsOf(kind: AskedField['kind'], property: Given, mask: SecretMask): Pick<AskedField, 'options'> {
  if (kind !== 'choice' && kind !== 'choices') return {};
  const of = kind === 'choices' ? given(property.items) : property;
  const titled = listOf(of.oneOf ?? of.anyOf).map(given);
  const values = titled.length > 0 ? titled.map((each) => each.const) : listOf(of.enum);
  const labels = titled.length > 0 ? titled.map((each) => each.title) : listOf(of.enumNames);
  const options = values.flatMap((value, index) =>
    typeof value === 'string' && value.length <= MAX_NAME_CHARS
      ? [{ value, label: cleanLine(labels[index] ?? value, MAX_NAME_CHARS, mask) }]
      : [],
  );
  if (options.length === 0 || options.length !== values.length || options.length > MAX_ASKED_OPTIONS) {
    throw new RefusedRequestError(`A choice needs 1 to ${MAX_ASKED_OPTIONS} short options.`);
  }
  return { options };
}

function formatOf(kind: AskedField['kind'], { format }: Given): Pick<AskedField, 'format'> {
  if (kind !== 'text') return {};
  return format === 'email' || format === 'uri' || format === 'date' || format === 'date-time'
    ? { format }
    : {};
}

const BOUNDS: Readonly<Record<AskedField['kind'], readonly [string, string] | undefined>> = {
  text: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  choices: ['minItems', 'maxItems'],
  choice: undefined,
  switch: undefined,
};

function boundsOf(kind: AskedField['kind'], property: Given): Pick<AskedField, 'min' | 'max'> {
  const [min, max] = (BOUNDS[kind] ?? []).map((keyword) => property[keyword]);
  return { ...(isNumber(min) && { min }), ...(isNumber(max) && { max }) };
}

/** Ignores a suggestion of the wrong type, or one that contains a secret, because a masked value would be a different one. */
function presetOf(
  kind: AskedField['kind'],
  { default: preset }: Given,
  mask: SecretMask,
): { preset?: EnteredValue } {
  const fits = {
    text: typeof preset === 'string' && preset.length <= MAX_ENTERED_CHARS,
    choice: typeof preset === 'string' && preset.length <= MAX_NAME_CHARS,
    number: isNumber(preset),
    integer: isNumber(preset),
    switch: typeof preset === 'boolean',
    choices: Array.isArray(preset) && preset.every((each) => typeof each === 'string'),
  }[kind];
  if (!fits || [preset].flat().some((each) => typeof each === 'string' && mask.text(each) !== each))
    return {};
  if (Array.isArray(preset)) return { preset: preset.map(String) };
  if (typeof preset === 'string') return { preset: kind === 'text' ? cleanText(preset).text : preset };
  return typeof preset === 'number' || typeof preset === 'boolean' ? { preset } : {};
}

/**
 * A server's request for a text from the run's model. Images, audio and tools are not passed on. Pure.
 *
 * @param params of `sampling/createMessage`
 * @throws {RefusedRequestError} for a request beyond the limits, or one that needs tools
 */
export function readSampling(params: Given, mask: SecretMask): AskedRequest {
  const given_messages = listOf(params.messages);
  if (given_messages.length === 0 || given_messages.length > MAX_SAMPLE_MESSAGES) {
    throw new RefusedRequestError(`A sample needs 1 to ${MAX_SAMPLE_MESSAGES} messages.`);
  }
  if (listOf(params.tools).length > 0) {
    throw new RefusedRequestError('The model is asked for texts only, without tools.');
  }
  const messages = given_messages.map(given).map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    text: mask.text(cleanText(partsOf(content)).text),
  }));
  const system =
    typeof params.systemPrompt === 'string' ? mask.text(cleanText(params.systemPrompt).text) : '';
  const chars = messages.reduce((sum, { text }) => sum + text.length, system.length);
  if (chars > MAX_SAMPLE_CHARS) {
    throw new RefusedRequestError(
      `The messages of a sample can have at most ${formatCount(MAX_SAMPLE_CHARS)} characters.`,
    );
  }
  const { maxTokens, temperature } = params;
  const stop = listOf(params.stopSequences)
    .filter((each) => typeof each === 'string' && each.length <= MAX_NAME_CHARS)
    .map(String)
    .slice(0, MAX_STOPS);
  return {
    kind: 'sampling',
    ...(system === '' ? {} : { system }),
    messages,
    max_tokens: isNumber(maxTokens) ? Math.min(Math.max(1, Math.floor(maxTokens)), 1_000_000) : 1000,
    ...(isNumber(temperature) && temperature >= 0 && temperature <= 2 && { temperature }),
    ...(stop.length > 0 && { stop }),
  };
}

/** The texts of a message; other parts are only named. */
function partsOf(content: unknown): string {
  const parts = Array.isArray(content) ? content : [content];
  return parts
    .slice(0, MAX_SAMPLE_MESSAGES)
    .map(given)
    .map(({ type, text }) =>
      type === 'text' && typeof text === 'string'
        ? text
        : `[${cleanLine(type, 50) || 'part'}, not passed on]`,
    )
    .join('\n\n');
}

function textOf(value: unknown, mask: SecretMask, maxChars: number): string {
  if (typeof value !== 'string') return '';
  return textStart(mask.text(cleanText(textStart(value, 4 * maxChars)).text), maxChars);
}

function given(value: unknown): Given {
  return isRecord(value) ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

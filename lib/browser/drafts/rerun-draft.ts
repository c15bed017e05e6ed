import { optionValueProblem } from '../../api/model-options.ts';
import type { RerunRequest } from '../../api/rerun-call.ts';
import type { SentRequestReply } from '../../api/sent-request.ts';
import { withoutNamedOptions } from '../../events/sent-options.ts';
import type { OptionValue, ThinkSetting } from '../../events/setting-values.ts';
import { MODEL_OPTION_NAMES } from '../../events/settings.ts';
import { errorMessage } from '../../util/error-message.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../util/json.ts';
import { recordOf } from '../../util/records.ts';
import { quotedName } from '../../util/short-text.ts';
import { type NumberFieldName, readNumber, writtenNumber } from './number-fields.ts';
import { type ThinkWord, thinkOf, thinkWord } from './think-word.ts';

type WrittenMessage = Exclude<NonNullable<RerunRequest['messages']>[number], { as_sent: number }>;
export type MessageRole = WrittenMessage['role'];
export const MESSAGE_ROLES = [
  'system',
  'user',
  'assistant',
  'tool',
] as const satisfies readonly MessageRole[];

/** A message in the editor. */
export interface DraftMessage {
  /** Unique in its draft. */
  readonly key: number;
  /** Its index among the messages that were sent; missing if a person added it. */
  readonly sent?: number;
  readonly role: MessageRole;
  readonly content: string;
  /** Only for replies: thinking, and tool calls as JSON; empty if there are none. */
  readonly thinking: string;
  readonly calls: string;
  /** The tool whose result it is. */
  readonly toolName: string;
}

/** A tool in the editor: whether it is offered, and its definition as JSON. */
export interface DraftTool {
  readonly key: number;
  readonly name: string;
  readonly isOffered: boolean;
  readonly text: string;
}

/** The numbers that the editor has a field for. The window and the reply limit have the names of forms. */
export const RERUN_NUMBERS = [...MODEL_OPTION_NAMES, 'window_tokens', 'predict_first'] as const;
type RerunNumber = (typeof RERUN_NUMBERS)[number];

/** The names under which Ollama takes them. */
const OPTION_NAMES: Readonly<Partial<Record<NumberFieldName, string>>> = {
  window_tokens: 'num_ctx',
  predict_first: 'num_predict',
};
const optionName = (name: RerunNumber): string => OPTION_NAMES[name] ?? name;

/** A request in the editor. Numbers and JSON stay text until it is sent. */
export interface RerunDraft {
  readonly model: string;
  readonly messages: readonly DraftMessage[];
  readonly tools: readonly DraftTool[];
  readonly numbers: Readonly<Record<RerunNumber, string>>;
  /** All other options as JSON; empty without any. */
  readonly otherOptions: string;
  readonly think: ThinkWord;
  readonly stream: boolean;
}

/** The parts of `/api/chat`'s body that can be changed. The server built it with the schema of its log. */
interface SentBody {
  model: string;
  messages: WrittenMessage[];
  tools?: { type: 'function'; function: { name: string } & JsonObject }[];
  options: JsonObject;
  think: ThinkSetting;
  stream: boolean;
}

function sentBody({ body }: Pick<SentRequestReply, 'body'>): SentBody {
  return body as unknown as SentBody;
}

/** The request as it was sent. */
export function newRerunDraft(sent: Pick<SentRequestReply, 'body'>): RerunDraft {
  const { model, messages, tools = [], options, think, stream } = sentBody(sent);
  const others = otherOptions(options);
  return {
    model,
    messages: messages.map(draftMessage),
    tools: tools.map(draftTool),
    numbers: recordOf(RERUN_NUMBERS, (name) => writtenNumber(name, options[optionName(name)])),
    otherOptions: Object.keys(others).length > 0 ? pretty(others) : '',
    think: thinkWord(think),
    stream,
  };
}

function draftMessage(message: WrittenMessage, index: number): DraftMessage {
  return {
    key: index,
    sent: index,
    role: message.role,
    content: message.content,
    thinking: message.thinking ?? '',
    calls: message.tool_calls?.length ? pretty(message.tool_calls) : '',
    toolName: message.tool_name ?? '',
  };
}

function draftTool(tool: NonNullable<SentBody['tools']>[number], key: number): DraftTool {
  return { key, name: tool.function.name, isOffered: true, text: pretty(tool.function) };
}

/** The options without those that the editor has a field for. */
function otherOptions(options: JsonObject): JsonObject {
  const { ...others }: JsonObject = withoutNamedOptions(options);
  for (const name of MODEL_OPTION_NAMES) delete others[name];
  return others;
}

/** Inserts an empty message behind the message at an index; -1: in front of all. */
export function withMessageAfter(draft: RerunDraft, index: number, role: MessageRole): RerunDraft {
  const key = Math.max(-1, ...draft.messages.map((message) => message.key)) + 1;
  const added: DraftMessage = { key, role, content: '', thinking: '', calls: '', toolName: '' };
  return { ...draft, messages: draft.messages.toSpliced(index + 1, 0, added) };
}

export type ReadRerun =
  | { ok: true; request: RerunRequest; changes: readonly string[] }
  | { ok: false; problems: Readonly<Record<string, string>> };

/**
 * Reads the editor: the request with what differs from the call, and the differences in words; or the problems by field
 * (`messages`, `message:KEY`, `calls:KEY`, `tool:KEY`, the numbers, `otherOptions`, `model`). Pure.
 */
export function readRerunDraft(sent: Pick<SentRequestReply, 'body'>, draft: RerunDraft): ReadRerun {
  const problems: Record<string, string> = {};
  const body = sentBody(sent);
  const messages = readMessages(body, draft, problems);
  const tools = readTools(body, draft, problems);
  const options = readOptions(body, draft, problems);
  const think = thinkOf(draft.think);
  const model = draft.model.trim();
  if (model === '') problems.model = 'Choose a model.';
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  const request: RerunRequest = {
    ...(model === body.model ? {} : { model }),
    ...(messages && { messages }),
    ...(tools && { tools }),
    ...(Object.keys(options).length > 0 ? { options } : {}),
    ...(think === body.think ? {} : { think }),
    ...(draft.stream === body.stream ? {} : { stream: draft.stream }),
  };
  return { ok: true, request, changes: Object.keys(request).flatMap((name) => changeWords(name, options)) };
}

function changeWords(name: string, options: JsonObject): string[] {
  return name === 'options' ? Object.keys(options) : [name];
}

type Problems = Record<string, string>;

/** `undefined` if all messages are those that were sent. */
function readMessages(
  body: SentBody,
  { messages }: RerunDraft,
  problems: Problems,
): RerunRequest['messages'] {
  if (messages.length === 0) problems.messages = 'A request needs at least one message. Add one.';
  const read = messages.map((message) => {
    const { sent } = message;
    const original = sent === undefined ? undefined : body.messages[sent];
    // Unchanged parts are sent as they were, even if they are invalid.
    if (original && sent !== undefined && isSame({ ...message, key: sent }, draftMessage(original, sent)))
      return { as_sent: sent };
    return writtenMessage(message, original, problems);
  });
  const isUnchanged =
    read.length === body.messages.length &&
    read.every((message, index) => 'as_sent' in message && message.as_sent === index);
  return isUnchanged ? undefined : read;
}

function writtenMessage(
  message: DraftMessage,
  original: WrittenMessage | undefined,
  problems: Problems,
): WrittenMessage {
  const { key, role, content, thinking, calls, toolName } = message;
  const isReply = role === 'assistant';
  const toolCalls = isReply && calls.trim() !== '' ? readCalls(message, problems) : undefined;
  const { thinking: _thinking, tool_calls: _calls, tool_name, tool_call_id, ...others } = original ?? {};
  const needsText = role !== 'tool' && !(isReply && (calls.trim() !== '' || thinking !== ''));
  if (needsText && content.trim() === '') problems[`message:${key}`] = 'Write a text, or remove the message.';
  return {
    ...others,
    role,
    content,
    ...(isReply && thinking !== '' ? { thinking } : {}),
    ...(toolCalls && { tool_calls: toolCalls }),
    ...(role === 'tool' && toolName.trim() !== '' ? { tool_name: toolName.trim() } : {}),
    ...(role === 'tool' && tool_call_id !== undefined ? { tool_call_id } : {}),
  };
}

/** The tool calls of a reply, as JSON: a list of `{"function": {"name": …, "arguments": {…}}}`. */
function readCalls({ key, calls }: DraftMessage, problems: Problems): WrittenMessage['tool_calls'] {
  const field = `calls:${key}`;
  const read = readJson(calls);
  if (!read.ok) {
    problems[field] = read.problem;
    return undefined;
  }
  const given: unknown = read.value;
  if (!Array.isArray(given) || !given.every(isWrittenCall)) {
    problems[field] = 'Must be a list of calls: [{"function": {"name": "…", "arguments": {…}}}].';
    return undefined;
  }
  return given;
}

function isWrittenCall(value: unknown): value is NonNullable<WrittenMessage['tool_calls']>[number] {
  return (
    isRecord(value) &&
    isRecord(value.function) &&
    typeof value.function.name === 'string' &&
    isRecord(value.function.arguments)
  );
}

/** `undefined` if the tools are those that were offered. */
function readTools(body: SentBody, { tools }: RerunDraft, problems: Problems): RerunRequest['tools'] {
  const sent = (body.tools ?? []).map(draftTool);
  const offered = tools.filter(({ isOffered }) => isOffered);
  if (isSame(offered, sent)) return undefined;
  const names = new Set<string>();
  return offered.flatMap(({ key, text }) => {
    const read = readTool(text);
    if (!read.ok) {
      problems[`tool:${key}`] = read.problem;
      return [];
    }
    const { name } = read.tool;
    if (names.has(name)) problems[`tool:${key}`] = `Another tool is named "${name}".`;
    names.add(name);
    return [{ type: 'function' as const, function: read.tool }];
  });
}

type Tool = NonNullable<RerunRequest['tools']>[number]['function'];

function readTool(text: string): { ok: true; tool: Tool } | { ok: false; problem: string } {
  const read = readJson(text);
  if (!read.ok) return read;
  const { value } = read;
  const problem = (words: string) => ({ ok: false as const, problem: words });
  if (!isRecord(value)) return problem('Must be an object with a name, a description and parameters.');
  if (typeof value.name !== 'string' || value.name.trim() === '') return problem('"name" must be a text.');
  if (value.description !== undefined && typeof value.description !== 'string')
    return problem('"description" must be a text.');
  const { parameters } = value;
  if (!isRecord(parameters))
    return problem('"parameters" must be a JSON Schema: {"type": "object", "properties": {…}}.');
  if (parameters.type !== undefined && parameters.type !== 'object')
    return problem('"parameters.type" must be "object".');
  const { properties, required } = parameters;
  if (properties !== undefined && !(isRecord(properties) && Object.values(properties).every(isRecord)))
    return problem('"parameters.properties" must be an object of schemas: {"path": {"type": "string"}}.');
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((name) => typeof name === 'string'))
  )
    return problem('"parameters.required" must be a list of names.');
  return { ok: true, tool: value as unknown as Tool };
}

/** The options that differ; `null` for one that is no longer sent. */
function readOptions(
  body: SentBody,
  draft: RerunDraft,
  problems: Problems,
): NonNullable<RerunRequest['options']> {
  const now: JsonObject = {};
  for (const name of RERUN_NUMBERS) {
    const read = readNumber(name, draft.numbers[name].replace(',', '.'));
    if (!read.ok) problems[name] = read.problem;
    else if (read.value !== undefined) now[optionName(name)] = read.value;
    else if (OPTION_NAMES[name]) problems[name] = 'A number is needed here.';
  }
  if (draft.otherOptions.trim() !== '') {
    const read = readJson(draft.otherOptions);
    if (!read.ok) problems.otherOptions = read.problem;
    else if (!isRecord(read.value)) problems.otherOptions = 'Must be an object, such as {"num_gpu": 0}.';
    else {
      const others = otherOptions(read.value);
      const [wrong] = Object.entries(others).flatMap(([name, value]) => {
        const problem = optionValueProblem(name, value);
        return problem === undefined ? [] : [`${quotedName(name)} ${problem}`];
      });
      if (wrong === undefined) Object.assign(now, others);
      else problems.otherOptions = wrong;
    }
  }
  const names = new Set([...Object.keys(body.options), ...Object.keys(now)]);
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = now[name] ?? null;
      return isSame(value, body.options[name] ?? null) || !(value === null || isOptionValue(name, value))
        ? []
        : [[name, value]];
    }),
  );
}

/** Parses JSON a person wrote. */
function readJson(text: string): { ok: true; value: JsonValue } | { ok: false; problem: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, problem: `Not JSON: ${errorMessage(error)}` };
  }
}

function isOptionValue(name: string, value: JsonValue): value is OptionValue {
  return optionValueProblem(name, value) === undefined;
}

/** Whether two values of drafts, with their fields in the same order, are equal. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

import type { ForkPlace } from '../../api/fork-place.ts';
import type { ForkDraftReply, ForkRequest, ForkSettings } from '../../api/fork-run.ts';
import { askedSettings } from '../../api/run-settings.ts';
import { offersServers } from '../../api/tools.ts';
import { FETCH_TOOL, isAddedTool, isOptionalTool, OPTIONAL_TOOLS } from '../../events/added-tools.ts';
import { fetchHostProblem, splitHosts } from '../../events/fetch-hosts.ts';
import { kindFacts, kindOf } from '../../events/modes.ts';
import { defaultSecondReplyLimit } from '../../events/settings.ts';
import { resultText } from '../words/result-text.ts';
import { argumentFields, type EditField, editedArguments } from './edit-arguments.ts';
import type { ForkOpening } from './fork-opening.ts';
import { type NumberFieldName, readNumber } from './number-fields.ts';
import { type ThinkWord, thinkOf, thinkWord } from './think-word.ts';

/** One editable text at the fork point. */
export interface ForkText {
  readonly key: string;
  readonly kind: 'message' | 'reply' | 'memory';
  /** `user`, `read_file result`, … */
  readonly label: string;
  readonly text: string;
  /** Set if it is too long to edit: its full length. */
  readonly chars?: number;
  /** The edit made by changing this text. */
  readonly edit: (text: string) => NonNullable<ForkRequest['edits']>[number];
}

/** The dialog's fields. Numbers stay text until submit; values equal to the run's own are not changes. */
export interface ForkDraft {
  readonly message: string;
  /** Changed texts, by key. */
  readonly texts: Readonly<Record<string, string>>;
  /** Keys of memories to delete. */
  readonly deleted: readonly string[];
  readonly newMemory: { readonly key: string; readonly value: string };
  readonly model: string;
  readonly temperature: string;
  readonly seed: string;
  /** Iterations of a task, cycles of an exploration; empty: no limit, or none to set. */
  readonly limit: string;
  readonly think: ThinkWord;
  /** Tokens of the window and of one reply; empty: as in the run. */
  readonly window: string;
  readonly reply: string;
  /** Names of the offered tools. */
  readonly tools: readonly string[];
  /** The hosts that `fetch_url` may ask, as they are written. */
  readonly hosts: string;
  readonly workspace: 'copy' | 'same' | 'empty';
}

const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));

/** A dialog in which nothing is changed yet. A fork of an imported run starts in an empty folder unless a person chooses. */
export function newForkDraft({ config }: ForkDraftReply, { imported }: { imported: boolean }): ForkDraft {
  return {
    message: '',
    texts: {},
    deleted: [],
    newMemory: { key: '', value: '' },
    model: config.model,
    temperature: text(config.model_options.temperature),
    seed: text(config.model_options.seed),
    limit: limitOf({ config }),
    think: thinkWord(config.think),
    window: String(config.window_tokens),
    reply: String(config.num_predict[0]),
    tools: toolsOf({ config }),
    hosts: (config.fetch_hosts ?? []).join(' '),
    workspace: imported ? 'empty' : 'copy',
  };
}

/** The tools that the run offers. */
function toolsOf({ config }: Pick<ForkDraftReply, 'config'>): readonly string[] {
  return toolsToChoose(config).filter((name) => config.tools?.includes(name) ?? !isOptionalTool(name));
}

/** The tools that a fork can offer: the built-in ones, and those of servers that the run chose. */
export function toolsToChoose(config: ForkDraftReply['config']): readonly string[] {
  const { tools } = kindFacts(kindOf(config));
  const optional = config.agentic && offersServers(config.mode) ? OPTIONAL_TOOLS : [];
  const added = config.tools?.filter((name) => isAddedTool(name) && !isOptionalTool(name)) ?? [];
  return [...tools, ...optional, ...added];
}

function limitOf({ config }: Pick<ForkDraftReply, 'config'>): string {
  switch (kindFacts(kindOf(config)).endsBy) {
    case 'max_iterations':
      return String(config.max_iterations);
    case 'max_cycles':
      return text(config.explore?.max_cycles);
    default:
      return '';
  }
}

/** The texts that can be edited at the place, the newest first. */
export function forkTexts(point: ForkDraftReply): ForkText[] {
  const messages = point.messages.map((message): ForkText => {
    const { index, role, chars } = message;
    const part = role === 'tool' && chars === undefined ? resultText(message.text) : undefined;
    return {
      key: `message:${index}`,
      kind: 'message',
      label: labelOf(message),
      text: part?.text ?? message.text,
      ...(chars === undefined ? {} : { chars }),
      edit: (changed) => ({ target: 'message', index, content: part?.whole(changed) ?? changed }),
    };
  });
  const { reply } = point;
  const pending: ForkText[] = reply
    ? [
        {
          key: 'reply',
          kind: 'reply',
          label: reply.calls.length > 0 ? `reply, before ${reply.calls.join(', ')}` : 'reply',
          text: reply.text,
          ...(reply.chars === undefined ? {} : { chars: reply.chars }),
          edit: (content) => ({ target: 'reply', content }),
        },
      ]
    : [];
  // If replies are kept unchanged, the pending reply is also the last message, so it is offered only as the reply.
  const doubled = reply && point.messages.at(-1)?.role === 'assistant';
  return [...pending, ...(doubled ? messages.slice(0, -1) : messages).reverse()];
}

function labelOf({ role, tool_name, calls }: ForkDraftReply['messages'][number]): string {
  switch (role) {
    case 'tool':
      return `result of ${tool_name ?? 'a tool'}`;
    case 'assistant':
      return calls && calls.length > 0 ? `reply, before ${calls.join(', ')}` : 'reply';
    case 'system':
      return 'system prompt';
    default:
      return role;
  }
}

/** A call that has not started at the fork point, with its arguments as texts. */
export interface DraftCall {
  readonly callId: string;
  readonly tool: string;
  /** Set when the arguments are too long to be edited: their length as JSON. */
  readonly chars?: number;
  readonly fields: readonly (EditField & { readonly key: string })[];
}

/** The calls that a fork at the place would make. */
export function forkCalls(point: ForkDraftReply): DraftCall[] {
  return point.calls.map(({ call_id: callId, tool, arguments: args, chars, parameters }) => ({
    callId,
    tool,
    ...(chars === undefined ? {} : { chars }),
    fields: args
      ? argumentFields(args, parameters).map((field) => ({ ...field, key: `call:${callId}:${field.name}` }))
      : [],
  }));
}

/** The memories of an exploration at the place. */
export function forkMemories(point: ForkDraftReply): ForkText[] {
  return point.memory.map(({ key, text: value, chars }) => ({
    key: `memory:${key}`,
    kind: 'memory',
    label: key,
    text: value,
    ...(chars === undefined ? {} : { chars }),
    edit: (changed) => ({ target: 'memory', key, value: changed }),
  }));
}

/** The text to expand initially. */
export function focusedText(point: ForkDraftReply, focus: ForkOpening['focus']): string | undefined {
  const texts = forkTexts(point);
  if (focus === 'arguments') return forkCalls(point)[0]?.fields[0]?.key;
  if (focus === 'reply') return texts.find(({ kind }) => kind === 'reply')?.key;
  if (focus === 'result') return texts.find(({ label }) => label.startsWith('result of'))?.key;
  return focus === 'message' ? texts.find(({ label }) => label === 'user')?.key : undefined;
}

/** A person set the second limit, or it follows the first. */
function secondReplyLimit(config: ForkDraftReply['config'], first: number): number {
  const asked = askedSettings(config).num_predict?.[1];
  return asked === undefined ? defaultSecondReplyLimit(config.mode, first) : Math.max(asked, first);
}

export type ReadForkDraft =
  | { ok: true; request: ForkRequest; changes: number }
  | { ok: false; problems: Readonly<Record<string, string>> };

/** Reads the dialog: the fork request and its number of changes, or the problems by field. */
export function readForkDraft(point: ForkDraftReply, place: ForkPlace, draft: ForkDraft): ReadForkDraft {
  const problems: Record<string, string> = {};
  const { config } = point;
  const edits = [...forkTexts(point), ...forkMemories(point)].flatMap((each) => {
    const changed = draft.texts[each.key];
    if (changed === undefined || changed === each.text || draft.deleted.includes(each.key)) return [];
    return [each.edit(changed)];
  });
  const called = forkCalls(point).flatMap(({ callId, fields }) => {
    const written = fields.map((field) => ({ ...field, text: draft.texts[field.key] ?? field.text }));
    if (written.every(({ text: now }, index) => now === fields[index]?.text)) return [];
    const args = editedArguments(written);
    if (args.ok) return [{ target: 'call' as const, call_id: callId, arguments: args.arguments }];
    problems[`call:${callId}:${args.name}`] = `Not JSON: put strings in "quotes".`;
    return [];
  });
  const deletions = draft.deleted.map((key) => ({
    target: 'memory' as const,
    key: key.slice('memory:'.length),
    value: null,
  }));
  const { key, value } = draft.newMemory;
  if ((key.trim() === '') !== (value === '')) problems.newMemory = 'A memory has a key and a value.';
  const added =
    key.trim() === '' || value === '' ? [] : [{ target: 'memory' as const, key: key.trim(), value }];

  const number = (name: string, field: NumberFieldName, written: string) => {
    const read = readNumber(field, written.replace(',', '.'));
    if (read.ok) return read.value;
    problems[name] = read.problem;
    return undefined;
  };
  const options: Record<string, number | null> = {};
  const option = (name: 'temperature' | 'seed', found: number | undefined) => {
    const before = config.model_options[name];
    if (found === before) return;
    if (found !== undefined) options[name] = found;
    else if (before !== undefined && draft[name].trim() === '') options[name] = null;
  };
  option('temperature', number('temperature', 'temperature', draft.temperature));
  option('seed', number('seed', 'seed', draft.seed));
  const { endsBy } = kindFacts(kindOf(config));
  const changedLimit = draft.limit !== limitOf(point);
  const limit =
    changedLimit && (endsBy === 'max_cycles' || endsBy === 'max_iterations')
      ? number('limit', endsBy, draft.limit)
      : undefined;
  const changed = (name: 'window' | 'reply', field: NumberFieldName, before: number) => {
    const found = number(name, field, draft[name]);
    return found === before ? undefined : found;
  };
  const window = changed('window', 'window_tokens', config.window_tokens);
  const reply = changed('reply', 'predict_first', config.num_predict[0]);
  const think = thinkOf(draft.think);
  const offered = toolsToChoose(config).filter((name) => draft.tools.includes(name));
  const before = toolsOf(point);
  if (offered.length === 0 && before.length > 0) problems.tools = 'Choose at least one tool.';
  const hosts = offered.includes(FETCH_TOOL) ? splitHosts(draft.hosts) : undefined;
  const wrongHost = hosts?.flatMap((host) => fetchHostProblem(host) ?? [])[0];
  if (hosts?.length === 0) problems.hosts = 'List the hosts that fetch_url may contact.';
  else if (wrongHost !== undefined) problems.hosts = wrongHost;
  if (draft.model.trim() === '') problems.model = 'Choose a model.';
  const settings: ForkSettings = {
    ...(draft.model.trim() === config.model ? {} : { model: draft.model.trim() }),
    ...(Object.keys(options).length > 0 ? { model_options: options } : {}),
    ...(changedLimit && endsBy === 'max_cycles' ? { max_cycles: limit ?? null } : {}),
    ...(limit !== undefined && endsBy === 'max_iterations' ? { max_iterations: limit } : {}),
    ...(think === config.think ? {} : { think }),
    ...(offered.join() === before.join() ? {} : { tools: offered }),
    ...(hosts && hosts.join() !== (config.fetch_hosts ?? []).join() ? { fetch_hosts: hosts } : {}),
    ...(window === undefined ? {} : { window_tokens: window }),
    ...(reply === undefined
      ? {}
      : { num_predict: [reply, secondReplyLimit(config, reply)] as [number, number] }),
  };
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  const message = draft.message.trim();
  const all = [...edits, ...called, ...deletions, ...added];
  const { model_options: _, ...others } = settings;
  const changes =
    all.length + Object.keys(others).length + Object.keys(options).length + (message === '' ? 0 : 1);
  const request: ForkRequest = {
    at: place,
    workspace: draft.workspace,
    // The dialog shows the folder: choosing the copy confirms it.
    ...(draft.workspace === 'copy' ? { copy_from: config.workspace } : {}),
    ...(all.length > 0 ? { edits: all } : {}),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
    ...(message === '' ? {} : { message }),
  };
  return { ok: true, request, changes };
}

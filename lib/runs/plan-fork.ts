import type { ForkPlace } from '../api/fork-place.ts';
import type { EditableText, ForkCall, ForkDraftReply, ForkPlan } from '../api/fork-run.ts';
import { MAX_EDITED_CHARS } from '../api/fork-run.ts';
import { settingChanges } from '../compare/settings.ts';
import { AppError } from '../errors/app-error.ts';
import { FETCH_TOOL, isAddedTool } from '../events/added-tools.ts';
import type { RunConfig } from '../events/config.ts';
import type { ForkEdit } from '../events/fork.ts';
import { ForkFinder, forkProblem } from '../events/fork-point.ts';
import { modeFacts } from '../events/modes.ts';
import type { EventOf, NewEvent, RunEvent } from '../events/registry.ts';
import type { PendingCall } from '../events/run-state.ts';
import { modeOf } from '../modes/mode-of.ts';
import { requireTool, toolsOf } from '../modes/resolve-config.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { checkedArguments } from '../policies/approval.ts';
import { isReady, type ReadyState } from '../policies/rule.ts';
import { missingEvent } from '../store/store-errors.ts';
import { fetchDefinition } from '../tools/fetch-url.ts';
import { type ConfigFacts, changedConfig, refused } from './fork-config.ts';

/** How much of a text that is too long to edit is shown. */
const SHOWN_CHARS = 2000;

/** Facts about a fork besides its request. */
export interface ForkFacts extends ConfigFacts {
  files: EventOf<'run.forked'>['files'];
  /** The log file of a session. */
  logPath?: string;
  /** The tools that runs of the mode can offer on this machine. Default: those of the copied part. */
  tools?: readonly ToolDefinition[];
}

/** How a fork uses the files of its source run. */
export type ForkFolder = NonNullable<ForkPlan['workspace']>;

/** A point in a log where it can be forked. */
export interface ForkPoint {
  seq: number;
  state: ReadyState;
}

/**
 * Finds a fork point in a log, page by page, so that reading a long log does not block the event loop.
 *
 * @throws {AppError} `event_not_found` if the log has no such point; `fork_point_open` if an operation is in progress there
 */
export async function findForkPoint(
  runId: string,
  pages: AsyncIterable<readonly RunEvent[]> | Iterable<readonly RunEvent[]>,
  place: ForkPlace,
): Promise<ForkPoint> {
  const finder = new ForkFinder(runId, place);
  for await (const events of pages) {
    for (const event of events) finder.take(event);
    if (finder.settled) break;
  }
  if (!finder.found) throw missingTarget(runId, place);
  const { state, last } = finder.found;
  const problem = forkProblem(state, last, { isEnd: 'end' in place });
  if (problem !== undefined || !isReady(state)) {
    throw new AppError({
      code: 'fork_point_open',
      message: `Run ${runId} cannot be forked after event ${last.seq}: it ${problem ?? 'has not begun there'}.`,
      hint: 'Fork it after a result, or before an iteration.',
    });
  }
  return { seq: last.seq, state };
}

/**
 * Plans a fork's configuration and the events that follow the copied ones. Pure.
 *
 * @throws {AppError} `invalid_request` for an edit of something missing or a setting the mode does not have
 */
export function planFork(
  point: ForkPoint,
  request: ForkPlan,
  facts: ForkFacts,
): { config: RunConfig; events: NewEvent[] } {
  const { seq, state } = point;
  const config = changedConfig(state.config, request, facts);
  const continues = 'end' in request.at && request.message !== undefined;
  const tools = changedTools(state, { config, settings: request.settings }, facts);
  const edits = request.edits.map((edit) => editOf(state, edit));
  refuseRepeatedEdits(edits);
  const forked: NewEvent = {
    type: 'run.forked',
    from: { run_id: state.runId, seq },
    iteration: state.iteration,
    cycle: state.cycle.number,
    edits: [...promptEdits(state, { edits, config, tools: tools ?? state.tools }), ...edits],
    ...(tools && { tools: tools.map((tool) => ({ ...tool })) }),
    settings: settingChanges(state.config, config),
    answered: isAnswered(state, request),
    ...(continues ? { continues } : {}),
    ...(state.costUsd === undefined ? {} : { cost_usd: state.costUsd }),
    files: facts.files,
    ...(facts.logPath === undefined ? {} : { log_path: facts.logPath }),
  };
  const { message } = request;
  const said: NewEvent[] =
    message === undefined
      ? []
      : [
          {
            type: 'operator.messaged',
            message_id: `m${state.operatorMessages.length + 1}`,
            text: message,
          },
        ];
  return { config, events: [forked, ...(continues ? callsNotRun(state) : []), ...said] };
}

/**
 * The tools that the fork offers after the copied part: the chosen built-in tools as described there, or else as they
 * are now, tools of servers, and other added tools. `undefined` if nothing changes.
 *
 * @throws {AppError} `invalid_request` if none of the chosen tools is available
 */
function changedTools(
  state: ReadyState,
  { config, settings }: { config: RunConfig; settings: ForkPlan['settings'] },
  facts: ForkFacts,
): readonly ToolDefinition[] | undefined {
  // The hosts are part of the definition of `fetch_url`.
  const chosen = toolsOf(settings, facts).tools ?? (settings.fetch_hosts && config.tools);
  if (!chosen) return undefined;
  const available = [...state.tools, ...(facts.tools ?? [])];
  requireTool({ tools: chosen }, { offeredTools: available.map((tool) => tool.function.name) });
  // Without an attempt, no tools are logged yet: the first attempt opens with the fork's own.
  if (state.attempt === 0) return undefined;
  const builtIn = modeFacts(state.config.mode).tools;
  const tools = [
    ...builtIn
      .filter((name) => chosen.includes(name))
      .flatMap((name) => available.find((tool) => tool.function.name === name) ?? []),
    ...state.tools.filter(({ function: { name } }) => !builtIn.includes(name) && !isAddedTool(name)),
    ...chosen
      .filter(isAddedTool)
      .flatMap((name) => available.find((tool) => tool.function.name === name) ?? []),
  ].map((tool) => withHosts(tool, config));
  const isSame =
    tools.length === state.tools.length && tools.every((tool, index) => tool === state.tools[index]);
  return isSame ? undefined : tools;
}

/** The definition of `fetch_url` with the fork's hosts; other definitions unchanged. */
function withHosts(tool: ToolDefinition, { fetch_hosts: hosts = [] }: RunConfig): ToolDefinition {
  if (tool.function.name !== FETCH_TOOL) return tool;
  const now = fetchDefinition(hosts);
  return now.function.description === tool.function.description ? tool : now;
}

/** Adapts the part of the system prompt that Loupe wrote about tools and answer, unless it was edited. */
function promptEdits(
  state: ReadyState,
  {
    edits,
    config,
    tools,
  }: { edits: readonly ForkEdit[]; config: RunConfig; tools: readonly ToolDefinition[] },
): ForkEdit[] {
  const [system] = state.messages;
  const mode = modeOf(state.config);
  const end = mode.toolPrompt?.(state.tools, state.config);
  const isEdited = edits.some((edit) => edit.target === 'message' && edit.index === 0);
  if (isEdited || end === undefined || system?.role !== 'system' || !system.content.endsWith(end)) return [];
  const after = system.content.slice(0, -end.length) + (mode.toolPrompt?.(tools, config) ?? '');
  if (after === system.content) return [];
  return [{ target: 'message', index: 0, role: 'system', before: system.content, after }];
}

/** Marks calls that had not run: the operator continues with a message instead. */
function callsNotRun({ reply, config }: ReadyState): NewEvent[] {
  // A reply that is kept unchanged is part of the conversation before its first call.
  if (!reply?.accepted && config.conversation?.replies !== 'unchanged') return [];
  const error = 'This call was not run: the operator continued from here with a new message.';
  return (reply?.calls ?? [])
    .filter(({ status }) => status === 'waiting')
    .map(({ callId, name }) => ({
      type: 'tool-call.ended',
      call_id: callId,
      tool: name,
      result: { success: false, tool: name, output: { error } },
      duration_ms: 0,
    }));
}

/** The state at a fork point, for editing. Pure. */
export function draftFork({ seq, state }: ForkPoint): ForkDraftReply {
  const { reply } = state;
  const pending = reply && !reply.accepted ? reply : undefined;
  return {
    seq,
    mode: state.config.mode,
    attempt: state.attempt,
    iteration: state.iteration,
    cycle: state.cycle.number,
    messages: state.messages.map(({ role, tool_name, tool_calls, content }, index) => ({
      index,
      role,
      ...(tool_name === undefined ? {} : { tool_name }),
      ...(tool_calls === undefined ? {} : { calls: tool_calls.map((call) => call.function.name) }),
      ...editable(content),
    })),
    ...(pending
      ? { reply: { ...editable(pending.text), calls: pending.calls.map(({ name }) => name) } }
      : {}),
    calls: callsToCome(state).map((call) => forkCall(state, call)),
    memory: [...state.memory].map(([key, { value }]) => ({ key, ...editable(value) })),
    config: state.config,
  };
}

/** Calls of the current reply that have not started. */
function callsToCome({ reply }: ReadyState): PendingCall[] {
  return reply?.calls.filter(({ status }) => status === 'waiting') ?? [];
}

function forkCall({ tools }: ReadyState, call: PendingCall): ForkCall {
  const definition = tools.find((tool) => tool.function.name === call.name);
  const chars = JSON.stringify(call.arguments).length;
  return {
    call_id: call.callId,
    tool: call.name,
    ...(chars <= MAX_EDITED_CHARS ? { arguments: call.arguments } : { chars }),
    ...(definition ? { parameters: definition.function.parameters } : {}),
  };
}

function editable(text: string): EditableText {
  return text.length <= MAX_EDITED_CHARS
    ? { text }
    : { text: text.slice(0, SHOWN_CHARS).toWellFormed(), chars: text.length };
}

function editOf(state: ReadyState, edit: ForkPlan['edits'][number]): ForkEdit {
  switch (edit.target) {
    case 'message': {
      const { index, content: after } = edit;
      const message = state.messages[index];
      if (!message) {
        throw refused(
          `edits: message ${index} does not exist; the conversation has ${state.messages.length} messages there.`,
        );
      }
      const { role, tool_name, content: before } = message;
      return {
        target: 'message',
        index,
        role,
        ...(tool_name === undefined ? {} : { tool_name }),
        before,
        after,
      };
    }
    case 'reply': {
      if (!state.reply || state.reply.accepted) {
        throw refused(
          'edits: there is no unanswered reply there.',
          'Fork right after the reply, or edit its message.',
        );
      }
      return { target: 'reply', before: state.reply.text, after: edit.content };
    }
    case 'call': {
      const call = callsToCome(state).find(({ callId }) => callId === edit.call_id);
      if (!call) {
        throw refused(
          `edits: no call "${edit.call_id.slice(0, 100)}" is pending there.`,
          'Fork before the call: {"before_call": ID}.',
        );
      }
      const after = checkedArguments(state.tools, call.name, edit.arguments);
      return { target: 'call', call_id: call.callId, tool: call.name, before: call.arguments, after };
    }
    default: {
      if (!modeFacts(state.config.mode).hasMemory) throw refused('edits: only explorations have memories.');
      const before = state.memory.get(edit.key)?.value;
      if (edit.value === null && before === undefined) {
        throw refused(`edits: there is no memory "${edit.key.slice(0, 100)}" there.`);
      }
      return {
        target: 'memory',
        key: edit.key,
        ...(before === undefined ? {} : { before }),
        ...(edit.value === null ? {} : { after: edit.value }),
      };
    }
  }
}

/** Of two edits of the same thing, the first would have no effect. @throws {AppError} `invalid_request` */
function refuseRepeatedEdits(edits: readonly ForkEdit[]): void {
  const edited = new Set<string>();
  for (const edit of edits) {
    const name = editedThing(edit);
    if (edited.has(name)) throw refused(`edits: ${name} is edited twice.`);
    edited.add(name);
  }
}

function editedThing(edit: ForkEdit): string {
  switch (edit.target) {
    case 'message':
      return `message ${edit.index}`;
    case 'reply':
      return 'the reply';
    case 'call':
      return `call "${edit.call_id}"`;
    case 'memory':
      return `memory "${edit.key}"`;
  }
}

/** Whether a message to a task's answer continues the conversation. */
function isAnswered(state: ReadyState, { message }: ForkPlan): boolean {
  const { reply, config } = state;
  return (
    message !== undefined &&
    modeFacts(config.mode).answers &&
    reply !== undefined &&
    !reply.accepted &&
    reply.calls.length === 0
  );
}

function missingTarget(runId: string, place: ForkPlace): AppError {
  if ('seq' in place) return missingEvent(runId, place.seq);
  if ('end' in place) {
    return new AppError({ code: 'event_not_found', message: `Run ${runId} has no point to continue from.` });
  }
  if ('before_call' in place) {
    return new AppError({
      code: 'event_not_found',
      message: `Run ${runId} has no call "${place.before_call.slice(0, 100)}".`,
    });
  }
  const what =
    'before_cycle' in place
      ? `cycle ${place.before_cycle}`
      : `iteration ${place.before_iteration}${place.attempt === undefined ? '' : ` in attempt ${place.attempt}`}`;
  return new AppError({ code: 'event_not_found', message: `Run ${runId} has no ${what}.` });
}

import type { OpenedTools, OpenTools } from '../engine/open-tools.ts';
import { runLoop } from '../engine/run-loop.ts';
import type { RunConfig } from '../events/config.ts';
import type { NewEvent, RunEvent } from '../events/registry.ts';
import type { RunState } from '../events/run-state.ts';
import type { ChatModel, ChatReply } from '../model/chat-model.ts';
import { ModelError, type ModelErrorKind } from '../model/model-error.ts';
import { modeOf } from '../modes/mode-of.ts';
import type { ToolBox, ToolResult } from '../tools/tool.ts';
import type { JsonObject } from '../util/json.ts';
import { beginRun } from './loop-harness.ts';
import { MemoryLog } from './memory-log.ts';

/** A model with all capabilities that gives scripted answers, without a server. */
export function scriptedModel(chat: ChatModel['chat']): ChatModel {
  return {
    ping: async () => ({ version: '0.9.0' }),
    show: async (name) => ({ name, capabilities: ['completion', 'tools'] }),
    load: async ({ numCtx }) => ({ contextTokens: numCtx, loadMs: 0, alreadyLoaded: true }),
    embed: async ({ texts }) => texts.map((text) => [text.length, 1]),
    chat,
  };
}

/** A model whose nth reply consists of the nth list of calls; after the last list it answers. */
export function callingModel(
  log: MemoryLog,
  replies: readonly (readonly { name: string; arguments: JsonObject }[])[],
): ChatModel {
  return scriptedModel(async () => {
    const calls = replies[log.state.calls - 1] ?? [];
    return {
      message: {
        role: 'assistant',
        content: calls.length === 0 ? 'The task is completed.' : '',
        tool_calls: calls.map((each) => ({ function: each })),
      },
      timings: {},
      doneReason: 'stop',
      replyTokens: 5,
      promptTokens: 5,
    };
  });
}

/** Tools with these names that take a path, change nothing, and return what a test specifies. */
export function scriptedTools(names: readonly string[], result: (name: string) => ToolResult): ToolBox {
  const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
  return {
    definitions: names.map((name) => ({
      type: 'function',
      function: { name, description: name, parameters },
    })),
    isReadOnly: () => false,
    isIndependent: () => false,
    execute: async ({ name }) => result(name),
  };
}

/** Opens this toolbox for every run, without a sandbox and without running checks. */
export function openerOf(toolbox: ToolBox, changes: Partial<OpenedTools> = {}): OpenTools {
  return async () => ({
    toolbox,
    sandbox: { available: false, kind: 'none' },
    runChecks: async () => [],
    close: async () => {},
    ...changes,
  });
}

export interface Executed {
  callId: string;
  name: string;
  arguments: JsonObject;
}

/** The same tools, with every execution noted under the call that the log shows as running. */
export function recordExecutions(toolbox: ToolBox, executed: Executed[], log: () => MemoryLog): ToolBox {
  return {
    ...toolbox,
    execute: (call, context) => {
      const running = log().state.reply?.calls.find(({ status }) => status === 'running');
      executed.push({ callId: running?.callId ?? 'none', name: call.name, arguments: call.arguments });
      return toolbox.execute(call, context);
    },
  };
}

/** The model's replies. */
export type Turn = { reply: ChatReply } | { failure: ModelErrorKind; transient?: boolean };

/** After how many appends a worker dies, and whether its last append was still made. */
interface Crash {
  afterAppends: number;
  committed: boolean;
}

interface Transaction {
  /** The sequence number before it. */
  at: number;
  events: readonly NewEvent[];
}

/** A log that remembers what was appended together, whose worker dies as planned, and to which others append as well. */
class CrashingLog extends MemoryLog {
  readonly transactions: Transaction[] = [];
  readonly #committed: boolean;
  readonly #others: (state: RunState) => readonly NewEvent[];
  #left: number;

  constructor(events: readonly RunEvent[], crash: Crash | undefined, others: SimulatedRun['others']) {
    super({ events, clock: () => SIMULATED_NOW });
    this.#left = crash?.afterAppends ?? Number.POSITIVE_INFINITY;
    this.#committed = crash?.committed ?? false;
    this.#others = others;
  }

  /** Appends what the operator does, which no crash of the worker prevents. */
  operatorAppend(events: readonly NewEvent[]): void {
    super.append(events);
  }

  override append(events: readonly NewEvent[]): RunState {
    this.#left -= 1;
    if (this.#left < (this.#committed ? -1 : 0)) throw new Error('The worker is dead');
    this.transactions.push({ at: this.state.seq, events });
    super.append(events);
    if (this.#left < 0) throw new Error('The worker dies');
    for (let more = this.#others(this.state); more.length > 0; more = this.#others(this.state)) {
      super.append(more);
    }
    return this.state;
  }
}

/** The time in every simulated run. */
const SIMULATED_NOW = 1000;

interface SimulatedRun {
  config: RunConfig;
  /** The beginning of the log, such as that of a fork. Default: a new run. */
  events?: readonly RunEvent[];
  /** Repeated from the first when they are used up. */
  turns: readonly Turn[];
  /** One for each life of the worker but the last, which doesn't crash. */
  crashes: readonly Crash[];
  /** Events that others append in a given state: called after every append until it returns nothing. */
  others: (state: RunState) => readonly NewEvent[];
  /** The operator's action when the run waits for a message. Default: stops it. */
  whenWaiting?: (state: RunState) => readonly NewEvent[];
  toolbox: ToolBox;
  runChecks?: OpenedTools['runChecks'];
}

/** Plays a run through all crashes of its worker to its end, without a server, files or waits. */
export async function simulateRun({
  config,
  events = [],
  turns,
  crashes,
  others,
  whenWaiting = () => [{ type: 'stop.requested', force: false, by: 'operator' }],
  toolbox,
  runChecks,
}: SimulatedRun) {
  const mode = modeOf(config);
  const executed: Executed[] = [];
  const lives: { events: readonly RunEvent[]; transactions: readonly Transaction[] }[] = [];
  let asked = 0;
  let log = new CrashingLog(events, undefined, others);
  const model = scriptedModel(async (_request, { signal }) => {
    if (signal.aborted) throw new ModelError({ kind: 'aborted', message: 'stopped' });
    const turn = turns[asked % turns.length] ?? { failure: 'http' };
    asked += 1;
    if ('reply' in turn) return turn.reply;
    throw new ModelError({ kind: turn.failure, message: 'failed', transient: turn.transient });
  });
  const openTools = openerOf(
    recordExecutions(toolbox, executed, () => log),
    runChecks && { runChecks },
  );
  for (let life = 0; life <= crashes.length && !log.state.ended; life += 1) {
    log = new CrashingLog(log.events, crashes[life], others);
    const begun = await beginRun(log, config).then(
      () => true,
      () => false,
    );
    while (begun) {
      const options = { log, model, mode, openTools, clock: () => SIMULATED_NOW, sleep: async () => {} };
      const { outcome } = await runLoop(options);
      if (outcome !== 'waiting') break;
      log.operatorAppend(whenWaiting(log.state));
    }
    lives.push({ events: log.events, transactions: log.transactions });
  }
  return { lives, log, executed, mode, config };
}

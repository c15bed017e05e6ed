import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateRunRequest, createRunRequest } from '../api/create-run.ts';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import type { ScenarioInput, ScenarioStepInput } from '../demo/scenario.ts';
import { MemoryLog } from '../engine/memory-log.ts';
import { runLoop } from '../engine/run-loop.ts';
import type { RunLoopOutcome } from '../engine/run-loop-outcome.ts';
import type { RunConfig } from '../events/config.ts';
import type { ProgressEvent } from '../events/progress.ts';
import type { EventOf, NewEvent, RunEvent, RunEventType } from '../events/registry.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import { createOllamaChatModel } from '../model/ollama-chat-model.ts';
import { parseOllamaHost } from '../model/ollama-host.ts';
import { modeOf } from '../modes/mode-of.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import { progressOf } from '../testing/progress-of.ts';
import type { JsonObject } from '../util/json.ts';
import { openToolsOf } from './open-tools.ts';

/** A run of any mode over real HTTP, files and tools, for tests. */
export interface Play extends AsyncDisposable {
  log: MemoryLog;
  fake: FakeOllama;
  config: RunConfig;
  workspace: string;
  outcome: RunLoopOutcome;
  progress: ProgressEvent[];
  /** The texts of all notices. */
  notices: string[];
  of<T extends RunEventType>(type: T): EventOf<T>[];
  end: EventOf<'run.ended'>;
  /** Messages of the nth chat request, from 0. */
  sent(index: number): ChatMessage[];
}

export interface PlayOptions {
  scenario?: Partial<ScenarioInput>;
  fake?: FakeOllamaOptions;
  files?: Record<string, string>;
  /** The beginning of the log, instead of a new run. */
  events?: readonly RunEvent[];
  /** Called while the run is active, to stop or inspect it. */
  during?: (running: { log: MemoryLog; fake: FakeOllama; shutdown: AbortController }) => Promise<void>;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Runs a request against a fake model that replies with the given steps, to the end of the run. */
export async function play(
  request: Partial<CreateRunRequest>,
  steps: ScenarioInput['steps'],
  options: PlayOptions = {},
): Promise<Play> {
  const fake = await startFakeOllama({
    ...options.fake,
    models: options.fake?.models ?? [{ name: 'play', context_length: 2_000_000 }],
    scenarios: [{ name: 'play', steps, ...options.scenario }, ...(options.fake?.scenarios ?? [])],
  });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loupe-play-')));
  const workspace = join(folder, 'workspace');
  const dataDir = join(folder, 'data');
  await mkdir(workspace);
  for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(workspace, name), text);
  const sandbox = openUnconfined();
  const config = resolveConfig(createRunRequest.parse({ model: 'play', ...request }), {
    workspace,
    offeredTools: ['read_file', 'write_file', 'run_command'],
  });
  const log = new MemoryLog({ events: options.events });
  if (!options.events) {
    await log.append([{ type: 'run.created', config }]);
    await log.append([{ type: 'run.started', worker: 'test', epoch: 1 }]);
  }
  const shutdown = new AbortController();
  const running = runLoop({
    log,
    model: createOllamaChatModel({ host: parseOllamaHost(fake.url) }),
    mode: modeOf(config),
    openTools: openToolsOf('run', { sandbox, dataDir, logPathOf: () => '/data/sessions/run.jsonl' }),
    signal: shutdown.signal,
    sleep: options.sleep ?? (async () => {}),
    stopGraceMs: 1000,
  });
  await options.during?.({ log, fake, shutdown });
  const outcome = await running;
  const progress = progressOf(log.events);
  const of = <T extends RunEventType>(type: T) =>
    log.events.filter((event): event is EventOf<T> => event.type === type);
  return {
    log,
    fake,
    config,
    workspace,
    outcome,
    progress,
    notices: progress.flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
    of,
    get end() {
      const [end] = of('run.ended');
      if (!end) throw new Error(`The run has not ended: ${log.events.at(-1)?.type}`);
      return end;
    },
    sent: (index) => fake.chats[index]?.messages as unknown as ChatMessage[],
    [Symbol.asyncDispose]: async () => {
      await fake.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once `found` accepts the log's events. */
export async function until(log: MemoryLog, found: (events: readonly RunEvent[]) => boolean): Promise<void> {
  const limit = AbortSignal.timeout(20_000);
  while (!found(log.events)) {
    if (limit.aborted) throw new Error(`Not found; the last event is ${log.events.at(-1)?.type}`);
    await log.changed(log.state.seq, limit);
  }
}

export const stop = (force = false): NewEvent => ({ type: 'stop.requested', force, by: 'operator' });

export const says = (content: string): ScenarioStepInput => ({ reply: { content } });

/** A truly empty reply: only the end token was generated. */
export const silence: ScenarioStepInput = { reply: { content: '', eval_count: 1 } };

export const calls = (...tool_calls: { name: string; arguments?: JsonObject }[]): ScenarioStepInput => ({
  reply: { tool_calls },
});

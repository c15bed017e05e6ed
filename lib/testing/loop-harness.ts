import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateRunRequest, createRunRequest } from '../api/create-run.ts';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import type { ScenarioInput, ScenarioStepInput } from '../demo/scenario.ts';
import { runLoop } from '../engine/run-loop.ts';
import type { RunLoopOptions } from '../engine/run-loop-options.ts';
import type { RunLoopOutcome } from '../engine/run-loop-outcome.ts';
import type { RunConfig } from '../events/config.ts';
import type { ProgressEvent } from '../events/progress.ts';
import type { EventOf, NewEvent, RunEvent, RunEventType } from '../events/registry.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import { parseOllamaHost } from '../model/ollama-host.ts';
import { modeOf } from '../modes/mode-of.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import { openToolsOf } from '../runs/open-tools.ts';
import { openUnconfined } from '../sandbox/unconfined.ts';
import type { JsonObject } from '../util/json.ts';
import { eventsOf } from './events-of.ts';
import { MemoryLog } from './memory-log.ts';
import { createOllamaChatModel } from './ollama-chat-model.ts';
import { progressOf } from './progress-of.ts';

// The one way tests drive the real loop, over a log in memory. `play` runs a scripted model over HTTP with real tools
// and files. `simulateRun` (simulate-run.ts) needs neither and plays hundreds of runs a second, through crashes.
// `driveLoop` accepts any model and tools of a test.

/** Starts the run of an empty log, or takes over a run, as a worker does. */
export async function beginRun(log: MemoryLog, config: RunConfig): Promise<void> {
  log.append(
    log.state.seq === 0
      ? [
          { type: 'run.created', config },
          { type: 'run.started', worker: 'test', epoch: 1 },
        ]
      : [{ type: 'run.resumed', worker: 'test', epoch: log.state.epoch + 1 }],
  );
}

export type Loop = Omit<RunLoopOptions, 'log' | 'mode'>;

/** Begins or takes over the run of a log, and drives it to its end. */
export async function driveLoop(log: MemoryLog, config: RunConfig, loop: Loop): Promise<RunLoopOutcome> {
  await beginRun(log, config);
  return runLoop({ log, mode: modeOf(config), ...loop });
}

/** Resolves as soon as the log contains a matching event. */
export async function until(log: MemoryLog, found: (events: readonly RunEvent[]) => boolean): Promise<void> {
  const limit = AbortSignal.timeout(20_000);
  while (!found(log.events)) {
    if (limit.aborted) throw new Error(`Not found; the last event is ${log.events.at(-1)?.type}`);
    await log.changed(log.state.seq, limit);
  }
}

export const stop = (force = false): NewEvent => ({ type: 'stop.requested', force, by: 'operator' });

/** A run that `play` has played to its end. */
export interface PlayedRun extends AsyncDisposable {
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
  /** Its scenarios are matched before the steps. */
  fake?: FakeOllamaOptions;
  files?: Record<string, string>;
  /** The beginning of the log, instead of a new run. */
  events?: readonly RunEvent[];
  /** Called while the run is active, to stop or inspect it. */
  during?: (running: { log: MemoryLog; fake: FakeOllama; shutdown: AbortController }) => Promise<void>;
  /** Changes the options of the loop. By default nothing waits: `sleep` resolves immediately. */
  loop?: (given: Loop & { fake: FakeOllama }) => Partial<Loop>;
}

/**
 * Plays the steps as the model `play` over HTTP, with the real tools in a fresh folder, from start to end.
 *
 * @param request what the run is created from, or makes its configuration
 */
export async function play(
  request: Partial<CreateRunRequest> | ((workspace: string) => RunConfig),
  steps: ScenarioInput['steps'],
  options: PlayOptions = {},
): Promise<PlayedRun> {
  const fake = await startFakeOllama({
    ...options.fake,
    models: options.fake?.models ?? [{ name: 'play', context_length: 2_000_000 }],
    scenarios: [...(options.fake?.scenarios ?? []), { name: 'play', steps, ...options.scenario }],
  });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loupe-play-')));
  const workspace = join(folder, 'workspace');
  const dataDir = join(folder, 'data');
  await mkdir(workspace);
  for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(workspace, name), text);
  const sandbox = openUnconfined();
  const config =
    typeof request === 'function'
      ? request(workspace)
      : resolveConfig(createRunRequest.parse({ model: 'play', ...request }), {
          workspace,
          offeredTools: ['read_file', 'write_file', 'run_command'],
        });
  const log = new MemoryLog({ events: options.events });
  if (!options.events) await beginRun(log, config);
  const shutdown = new AbortController();
  const given: Loop = {
    model: createOllamaChatModel({ host: parseOllamaHost(fake.url) }),
    openTools: openToolsOf('run', { sandbox, dataDir, logPathOf: () => '/data/sessions/run.jsonl' }),
    signal: shutdown.signal,
    sleep: async () => {},
    stopGraceMs: 1000,
  };
  const loop = { log, mode: modeOf(config), ...given, ...options.loop?.({ ...given, fake }) };
  const acted = new AbortController();
  const running = untilLeftWaiting(loop, acted.signal);
  try {
    await options.during?.({ log, fake, shutdown });
  } finally {
    acted.abort();
  }
  const outcome = await running;
  const progress = progressOf(log.events);
  return {
    log,
    fake,
    config,
    workspace,
    outcome,
    progress,
    notices: progress.flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
    of: (type) => eventsOf(log.events, type),
    get end() {
      const [end] = eventsOf(log.events, 'run.ended');
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

/** Runs the loop as a worker does: again after each wait for a message, until nobody acts on the run any more. */
async function untilLeftWaiting(
  options: Parameters<typeof runLoop>[0] & { log: MemoryLog },
  acted: AbortSignal,
): Promise<RunLoopOutcome> {
  const { log } = options;
  for (;;) {
    const result = await runLoop(options);
    if (result.outcome !== 'waiting') return result;
    while (log.state.awaiting && !acted.aborted) await log.changed(log.state.seq, acted);
    if (log.state.awaiting) return result;
    log.append([{ type: 'run.resumed', worker: 'test', epoch: 1, after_wait: true }]);
  }
}

export const says = (content: string): ScenarioStepInput => ({ reply: { content } });

/** A truly empty reply: only the end token was generated. */
export const silence: ScenarioStepInput = { reply: { content: '', eval_count: 1 } };

export const calls = (...tool_calls: { name: string; arguments?: JsonObject }[]): ScenarioStepInput => ({
  reply: { tool_calls },
});

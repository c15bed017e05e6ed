import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreateRunRequest, createRunRequest } from '../../lib/api/create-run.ts';
import type { RunEventType } from '../../lib/events/registry.ts';
import { parseOllamaHost } from '../../lib/model/ollama-host.ts';
import { resolveConfig } from '../../lib/modes/resolve-config.ts';
import { openToolsOf } from '../../lib/runs/open-tools.ts';
import { openUnconfined } from '../../lib/sandbox/unconfined.ts';
import { ExploreLogProjection } from '../../lib/sharing/exports/explore-log.ts';
import { SessionLogProjection, sessionLogEntry } from '../../lib/sharing/exports/session-log.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { exploreLogEntry } from '../../lib/testing/explore-log-entry.ts';
import { driveLoop } from '../../lib/testing/loop-harness.ts';
import { MemoryLog } from '../../lib/testing/memory-log.ts';
import { createOllamaChatModel } from '../../lib/testing/ollama-chat-model.ts';
import { progressOf } from '../../lib/testing/progress-of.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

let ollama: RealOllama;
beforeAll(async () => {
  ollama = await startOllama();
});
afterAll(() => ollama?.stop());

/** Runs a session or an exploration with the tiny model, in a fresh folder with notes. */
async function run(request: Partial<CreateRunRequest>, during?: (log: MemoryLog) => Promise<void>) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'loupe-modes-')));
  try {
    const workspace = join(folder, 'workspace');
    await mkdir(workspace);
    await writeFile(join(workspace, 'notes.md'), 'These are the notes.\n');
    const config = resolveConfig(
      createRunRequest.parse({
        model: 'tiny-tools',
        window_tokens: 4096,
        model_options: { temperature: 0, seed: 1 },
        num_predict: [200, 300],
        ...request,
      }),
      { workspace, offeredTools: [] },
    );
    const log = new MemoryLog();
    const running = driveLoop(log, config, {
      model: createOllamaChatModel({ host: parseOllamaHost(ollama.url) }),
      // Only asks for `ls`: the tiny model knows no other command here.
      openTools: openToolsOf('run', {
        sandbox: openUnconfined(),
        dataDir: join(folder, 'data'),
        logPathOf: () => join(folder, 'run.jsonl'),
      }),
    });
    await during?.(log);
    expect(await running).toEqual({ outcome: 'ended' });
    const of = <T extends RunEventType>(type: T) => eventsOf(log.events, type);
    const [end] = of('run.ended');
    if (!end) throw new Error('no end');
    const written = await readFile(join(workspace, 'log.md'), 'utf8').catch(() => undefined);
    return { log, of, end, progress: progressOf(log.events), written };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('with the tiny model', () => {
  it.each([true, false])(
    'a session streams, runs tools and continues on its own, thinking %s [N11]',
    async (think) => {
      const { log, of, end, progress, written } = await run(
        { mode: 'session', autopilot: true, think },
        async (running) => {
          while (running.state.turns.completed < 8) {
            await running.changed(running.state.seq, AbortSignal.timeout(60_000));
          }
          running.append([{ type: 'stop.requested', force: false, by: 'operator' }]);
        },
      );
      expect(end.result).toMatchObject({ termination_reason: 'stopped', error: null });
      const tools = of('tool-call.ended').map(({ tool, result }) => `${tool} ${result.success}`);
      expect(tools.slice(0, 3)).toEqual(['run_command true', 'read_file true', 'write_file true']);
      expect(written).toBe('one more line\n');
      const outcomes = of('turn.ended').map(({ outcome }) => outcome);
      expect(outcomes.slice(0, 6)).toEqual(['calls', 'text', 'calls', 'text', 'calls', 'text']);
      expect(log.deltas.some(({ type }) => type === 'text')).toBe(true);
      expect(log.deltas.some(({ type }) => type === 'thinking')).toBe(think);
      expect(progress.some(({ type }) => type === 'token')).toBe(true);
      expect(progress.some(({ type }) => type === 'thinking')).toBe(think);
      for (const call of of('model-call.started')) expect(call.stream).toBe(true);
      const projection = new SessionLogProjection();
      const lines = log.events.flatMap((event) => projection.take(event));
      for (const line of lines) sessionLogEntry.parse(line);
      expect(lines.at(-1)).toMatchObject({ event: 'session_end', reason: 'user_shutdown' });
    },
  );

  it('an exploration calls, remembers, reflects and writes to its operator [N10, N12]', async () => {
    const { log, of, end, progress } = await run({
      mode: 'explore',
      max_cycles: 4,
      diversity: {},
      think: true,
    });
    expect(end.result).toMatchObject({
      termination_reason: 'final_answer',
      status: 'completed',
      error: null,
    });
    const used = of('tool-call.ended').map(({ tool }) => tool);
    expect(used.slice(0, 3)).toEqual(['write', 'list', 'read']);
    expect(new Set(used)).toEqual(
      new Set(['write', 'read', 'list', 'delete', 'pattern_search', 'send_message_to_operator']),
    );
    expect(log.state.memory.get('idea')?.value).toBe('count the clouds');
    expect(log.state.reflections).toHaveLength(4);
    expect(of('diversity.advised').map(({ cycle }) => cycle)).toEqual([3, 4]);
    expect(progress.flatMap((event) => (event.type === 'notice' ? [event.text] : []))).toEqual([
      '[AGENT]: I have a new idea.',
    ]);
    for (const call of of('model-call.started')) expect(call.stream).toBe(true);
    const projection = new ExploreLogProjection();
    const entries = log.events.flatMap((event) => projection.take(event));
    for (const entry of entries) exploreLogEntry.parse(entry);
    expect(entries.filter(({ event_type }) => event_type === 'LLM_INVOCATION')).toHaveLength(
      of('model-call.ended').length,
    );
    expect(entries.filter(({ event_type }) => event_type === 'TOOL_CALL')).toHaveLength(used.length);
  });

  it('works without an opening line and with thoughts in the history [X23]', async () => {
    const { of, log } = await run({ mode: 'explore', max_cycles: 2, cycle_line: false, think: true });
    expect(
      of('tool-call.ended')
        .map(({ tool }) => tool)
        .slice(0, 3),
    ).toEqual(['write', 'list', 'read']);
    expect(of('cycle.reflected')).toHaveLength(2);
    expect(log.state.messages.some(({ thinking }) => thinking !== undefined)).toBe(true);
    expect(log.state.messages.every(({ role }) => role !== 'user')).toBe(true);
  });
});

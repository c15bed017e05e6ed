import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunEvent } from '../events/registry.ts';
import { openSandbox } from '../sandbox/probe.ts';
import { type FakeOllama, startFakeOllama } from '../testing/fake-ollama.ts';

/**
 * One life of the program, without its pages: makes the run if there is none, takes up what an earlier life left, and
 * prints the log when the run has ended.
 */
const LIFE = `
  const at = (file) => import(new URL(file, process.env.HERE).href);
  const { readEnvironment } = await at('../config/environment.ts');
  const { openRunService } = await at('./open-run-service.ts');
  const { createRunRequest } = await at('../api/create-run.ts');
  const opened = await openRunService(readEnvironment(process.env));
  const { service } = opened;
  await service.resumeUnfinished();
  const { run } = await service.start(
    createRunRequest.parse({ task: 'Walk', model: 'walk', workspace: process.env.WALK_WORKSPACE }),
    { idempotencyKey: 'the walk' },
  );
  const feed = await service.follow({ topics: new Map([[run.id, 0]]), signal: new AbortController().signal });
  const log = [];
  while (!feed.done) for (const item of await feed.next(1000)) if (item.kind === 'event') log.push(item.event);
  feed.close();
  await opened.close();
  console.log(JSON.stringify(log));
`;

let ollama: FakeOllama;
let commandsRun = false;
let root: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'loupe-walk-'));
  commandsRun = (await openSandbox()).report.available;
  ollama = await startFakeOllama({ record: false });
  ollama.add({
    name: 'walk',
    steps: [
      { reply: { content: 'A command.', tool_calls: [appendLine('one')] } },
      {
        reply: {
          content: 'Two calls at once.',
          tool_calls: [
            appendLine('two'),
            { name: 'write_file', arguments: { path: 'notes.md', content: 'Notes.\n' } },
          ],
        },
      },
      { reply: { content: 'The work is completed.' } },
    ],
  });
});
afterAll(async () => {
  await ollama.close();
  rmSync(root, { recursive: true, force: true });
});

function appendLine(line: string) {
  return { name: 'run_command', arguments: { command: `echo ${line} >> effects.txt` } };
}

async function live(folder: string, fault?: string): Promise<{ killed: boolean; log: RunEvent[] }> {
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace, { recursive: true });
  const child = spawn(process.execPath, ['--input-type=module', '-e', LIFE], {
    env: {
      NODE_ENV: 'test',
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HERE: import.meta.url,
      WALK_WORKSPACE: workspace,
      LOUPE_DATA_DIR: join(folder, 'data'),
      OLLAMA_HOST: ollama.url,
      ...(fault === undefined ? {} : { LOUPE_FAULT: fault }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const [code, signal] = await once(child, 'close');
  if (signal === 'SIGKILL') return { killed: true, log: [] };
  expect(code).toBe(0);
  return { killed: false, log: JSON.parse(printed) };
}

/** What a run came to, without times, tokens and the traces of being taken up again. */
function outcome(log: readonly RunEvent[]) {
  const end = log.at(-1);
  return {
    result: end?.type === 'run.ended' && { ...end.result, tokens_in: 0, tokens_out: 0 },
    // A call that was interrupted has another result, and stands at the same place.
    calls: log.flatMap((event) =>
      event.type === 'tool-call.ended' || event.type === 'tool-call.interrupted' ? [event.call_id] : [],
    ),
    replies: log.flatMap((event) => (event.type === 'reply.parsed' ? [event.text] : [])),
  };
}

function linesOf(folder: string): string[] {
  return readFileSync(join(folder, 'workspace', 'effects.txt'), 'utf8')
    .trimEnd()
    .split('\n');
}

it('killed at every event boundary, a run comes to the same end, loses nothing and repeats no tool call', async ({
  skip,
}) => {
  if (!commandsRun) skip('commands cannot be confined here');
  const whole = await live(join(root, 'whole'));
  const points = new Map<string, number>();
  for (const { type } of whole.log.slice(1)) points.set(type, (points.get(type) ?? 0) + 1);
  points.set('tool-effect', points.get('tool-call.started') ?? 0);
  const faults = [...points].flatMap(([type, count]) =>
    Array.from({ length: count }, (_, n) => [
      `kill:before:${type}#${n + 1}`,
      `kill:after:${type}#${n + 1}`,
    ]).flat(),
  );

  let deaths = 0;
  let interrupted = 0;
  let repeated = 0;
  const walk = async (fault: string) => {
    const folder = join(root, fault.replaceAll(/[^a-z0-9]+/g, '-'));
    const first = await live(folder, fault);
    deaths += first.killed ? 1 : 0;
    const { log } = first.killed ? await live(folder) : first;
    expect(outcome(log), fault).toEqual(outcome(whole.log));
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
    const lines = linesOf(folder);
    repeated += lines.length - new Set(lines).size;
    interrupted += log.filter((event) => event.type === 'tool-call.interrupted').length;
    const started = log.flatMap((event) => (event.type === 'tool-call.started' ? [event.call_id] : []));
    expect(new Set(started).size, fault).toBe(started.length);
    rmSync(folder, { recursive: true, force: true });
  };
  const waiting = [...faults];
  const worker = async () => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) await walk(fault);
  };
  await Promise.all([worker(), worker()]);
  console.info(
    `crash walk: ${faults.length} points, ${deaths} deaths, ${interrupted} calls told as interrupted, ` +
      `0 events lost, ${repeated} effects repeated`,
  );
  // After the last event there is nobody left to kill before the program is done.
  expect(deaths).toBeGreaterThanOrEqual(faults.length - 1);
  expect(repeated).toBe(0);
}, 240_000);

it('killed twice while taking a run up, the third start parks it and goes on', async ({ skip }) => {
  if (!commandsRun) skip('commands cannot be confined here');
  const folder = join(root, 'recovery');
  expect((await live(folder, 'kill:before:tool-effect')).killed).toBe(true);
  for (let time = 0; time < 2; time++)
    expect((await live(folder, 'kill:after:run.resumed')).killed).toBe(true);
  const { log } = await live(folder);
  expect(log.filter((event) => event.type === 'tool-call.interrupted')).toHaveLength(1);
  expect(log.at(-1)).toMatchObject({
    type: 'run.ended',
    result: { termination_reason: 'error', error: { code: 'interrupted' } },
  });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { freePort } from '../e2e/loupe-server.ts';
import { readMessages } from '../e2e/read-messages.ts';
import type { RunReply } from '../lib/api/replies.ts';
import type { ShareReply } from '../lib/api/share.ts';
import { type FakeOllama, startFakeOllama } from '../lib/demo/fake-ollama.ts';
import type { FaultInput, ScenarioInput, ScenarioStepInput } from '../lib/demo/scenario.ts';
import type { RunEvent } from '../lib/events/registry.ts';
import { PLANNED_SCENARIO, SoakPlans } from './soak-plans.ts';
import { SoakServers } from './soak-servers.ts';
import { SECRET, SharedReader } from './soak-share.ts';

// `npm run soak -- [minutes] [seed] [sqlite | postgres]`: runs the real server with runs, viewers and readers of shared
// links, while it is killed with SIGKILL and frozen at random, and while the model server fails in every possible way.
// Experiments and benchmarks run beside them. With `postgres`, two processes share one database, which crashes as well.
// Exits with status 1 if an event that was seen is gone, a log has a gap, an effect happened twice, a run does not end, an
// experiment or benchmark does not finish, a revoked link still works or a secret is shown.

const minutes = Number(process.argv[2] ?? 10);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const kept = process.argv[4] ?? 'sqlite';
if (!(minutes > 0) || !Number.isSafeInteger(seed) || (kept !== 'sqlite' && kept !== 'postgres')) {
  console.error('Usage: npm run soak -- [minutes, more than 0] [seed, a whole number] [sqlite or postgres]');
  process.exit(2);
}

const OPEN_RUNS = 6;
const END_WITHIN_MS = 240_000;

/** Seeded random numbers from 0 to 1 (mulberry32). */
function numbers(from: number): () => number {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = numbers(seed);
const between = (low: number, high: number) => low + random() * (high - low);
const oneOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];

const FAULTS: readonly FaultInput[] = [
  { kind: 'reset' },
  { kind: 'close', after_tokens: 3 },
  { kind: 'http', status: 500, body: { error: 'llama runner process has terminated' } },
  { kind: 'html' },
  { kind: 'cut-json' },
  { kind: 'no-done', after_tokens: 2 },
  { kind: 'busy' },
  { kind: 'malformed-call' },
  { kind: 'error-line', error: 'llama runner process has terminated', after_tokens: 2 },
];

/** Rare faults that end their run. */
const FATAL: readonly FaultInput[] = [
  { kind: 'endless', words: 400 },
  { kind: 'huge-line' },
  { kind: 'hang' },
];

const tally = {
  deaths: 0,
  freezes: 0,
  outages: 0,
  crashes: 0,
  begun: 0,
  seen: 0,
  lost: 0,
  gaps: 0,
  repeated: 0,
  effects: 0,
  shared: 0,
  sharedSeen: 0,
  revoked: 0,
};
const ends = new Map<string, number>();
const problems: string[] = [];

interface Soaked {
  id: string;
  name: string;
  workspace: string;
  seen: Map<number, RunEvent>;
  ended: boolean;
  shared?: SharedReader;
}

const root = mkdtempSync(join(tmpdir(), 'loupe-soak-'));
const ollamaPort = await freePort();
const scenarios: ScenarioInput[] = [PLANNED_SCENARIO];
let ollama: FakeOllama = await startFakeOllama({ port: ollamaPort, record: false, scenarios });
const servers = await SoakServers.start(kept, root, ollama.url);
const health = (await (await servers.next().request('/api/health')).json()) as {
  sandbox: { available: boolean };
};
const plans = new SoakPlans(servers, root);
const runs: Soaked[] = [];
let over = false;

/** A scenario in which every call leaves a distinct line, so that a repeated call can be detected. */
function scenarioOf(name: string): ScenarioInput {
  const line = (step: number, call: number) => `${name}-${step}-${call}`;
  const call = (step: number, number: number): { name: string; arguments: Record<string, string> } =>
    health.sandbox.available && random() < 0.7
      ? { name: 'run_command', arguments: { command: `echo ${line(step, number)} >> effects.txt` } }
      : { name: 'write_file', arguments: { path: `${line(step, number)}.txt`, content: 'x' } };
  const steps = Array.from({ length: Math.ceil(between(2, 7)) }, (_, step): ScenarioStepInput => {
    const reply = {
      content: `Step ${step}, with ${SECRET}.`,
      tool_calls: Array.from({ length: Math.ceil(between(0, 3)) }, (_, number) => call(step, number)),
    };
    const fault = random() < 0.25 ? oneOf(FAULTS) : undefined;
    return fault ? { attempts: [{ fault, reply }, { reply }] } : { reply };
  });
  const fatal = random() < 0.05 ? oneOf(FATAL) : undefined;
  return {
    name,
    pace: { prompt_ms: Math.round(between(0, 400)), load_ms: Math.round(between(0, 300)) },
    steps: [...steps, fatal ? { fault: fatal } : { reply: { content: 'The work is completed.' } }],
  };
}

/** The complete response, or `undefined` if the server died before or during it, as expected. */
async function ask(
  path: string,
  options: { json: unknown; headers?: Record<string, string> },
): Promise<{ ok: boolean; status: number; text: string } | undefined> {
  try {
    const answer = await servers.next().request(path, options);
    return { ok: answer.ok, status: answer.status, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** Starts a run and retries until a response arrives, as a script with an idempotency key would. */
async function begin(): Promise<void> {
  const name = `soak-${tally.begun++}`;
  const scenario = scenarioOf(name);
  scenarios.push(scenario);
  ollama.add(scenario);
  const workspace = join(root, 'workspaces', name);
  mkdirSync(workspace, { recursive: true });
  for (;;) {
    const answer = await ask('/api/runs', {
      json: {
        task: `Soak ${name}`,
        model: name,
        workspace,
        max_iterations: 40,
        stall_guard: false,
        call_timeout_seconds: 20,
        live_tokens: name.endsWith('3'),
      },
      headers: { 'idempotency-key': name },
    });
    if (answer?.ok) {
      const { run }: RunReply = JSON.parse(answer.text);
      const soaked: Soaked = { id: run.id, name, workspace, seen: new Map(), ended: false };
      runs.push(soaked);
      void follow(soaked);
      if (random() < 0.5) await share(soaked);
      return;
    }
    if (answer && answer.status !== 503) problems.push(`${name} was refused: ${answer.text}`);
    if (answer && answer.status !== 503) return;
    await delay(100);
  }
}

/** Creates a link to a run; its reader continues until it is revoked or the run has ended. */
async function share(run: Soaked): Promise<void> {
  const answer = await ask(`/api/runs/${run.id}/shares`, { json: {} });
  if (!answer?.ok) return; // nobody knows a link whose response was lost
  const { share }: ShareReply = JSON.parse(answer.text);
  if (share.url !== undefined) run.shared = new SharedReader(servers, { id: share.id, url: share.url });
}

async function revokeNowAndThen(): Promise<void> {
  while (!over) {
    await delay(between(1000, 8000));
    const links = runs.flatMap(({ shared }) => (shared && !shared.revoked ? [shared] : []));
    await oneOf(links.slice(-OPEN_RUNS))?.revoke();
  }
}

/** Follows a run like a browser: reconnects with its last event until the run has ended. */
async function follow(run: Soaked): Promise<void> {
  while (!run.ended) {
    try {
      const after = Math.max(0, ...run.seen.keys());
      const answer = await servers.next().request(`/api/runs/${run.id}/events?after=${after}`);
      if (answer.status === 204) run.ended = true;
      if (answer.status !== 200) throw new TypeError(`status ${answer.status}`);
      await readMessages(answer, ({ event, data }) => {
        if (event !== undefined) return;
        const seen: RunEvent = JSON.parse(data);
        if (run.seen.has(seen.seq)) tally.gaps += 1;
        run.seen.set(seen.seq, seen);
        if (seen.type === 'run.ended') run.ended = true;
      });
    } catch {
      await delay(100); // the server is expected to be down at times
    }
  }
}

async function disturb(): Promise<void> {
  while (!over) {
    await delay(between(300, 6000));
    if (over) return;
    const choice = random();
    const index = Math.floor(random() * servers.count);
    if (choice < 0.1) {
      tally.freezes += 1;
      servers.freeze(index);
      // Sometimes longer than a lease, so that another process takes over runs that this one believes it
      // holds.
      await delay(between(200, servers.count > 1 ? 6000 : 3000));
      servers.thaw(index);
    } else if (choice < 0.2) {
      tally.outages += 1;
      await ollama.close();
      await delay(between(100, 3000));
      ollama = await startFakeOllama({ port: ollamaPort, record: false, scenarios });
    } else if (choice < 0.25 && servers.database) {
      tally.crashes += 1;
      await servers.database.crash();
      // Sometimes longer than a request waits for it.
      await delay(random() < 0.5 ? 0 : between(0, 8000));
      await servers.database.restart();
    } else {
      tally.deaths += 1;
      await servers.kill(index, between(0, 500));
    }
  }
}

async function keepBusy(): Promise<void> {
  while (!over) {
    if (runs.filter(({ ended }) => !ended).length < OPEN_RUNS) await begin();
    else await delay(100);
  }
}

async function check(run: Soaked): Promise<void> {
  const text = await (await servers.next().request(`/api/runs/${run.id}/log`)).text();
  const log = text
    .trimEnd()
    .split('\n')
    .map((line): RunEvent => JSON.parse(line));
  tally.gaps += log.filter(({ seq }, index) => seq !== index + 1).length;
  tally.seen += run.seen.size;
  for (const [seq, event] of run.seen) {
    // Long texts are truncated for viewers; everything else must be identical.
    if (!('cuts' in event) && !isDeepStrictEqual(log[seq - 1], event)) {
      tally.lost += 1;
      problems.push(`${run.name}: event ${seq} is not what a viewer saw`);
    }
  }
  const started = log.flatMap((event) => (event.type === 'tool-call.started' ? [event.call_id] : []));
  tally.repeated += started.length - new Set(started).size;
  const lines = effectsOf(run);
  tally.effects += lines.length;
  tally.repeated += lines.length - new Set(lines).size;
  const end = log.at(-1);
  const reason = end?.type === 'run.ended' ? end.result.termination_reason : 'not ended';
  const code = end?.type === 'run.ended' ? end.result.error?.code : undefined;
  const name = code === undefined ? reason : `${reason} (${code})`;
  ends.set(name, (ends.get(name) ?? 0) + 1);
  if (end?.type !== 'run.ended') problems.push(`${run.name} has not ended`);
  if (code === 'internal_error')
    problems.push(`${run.name}: ${end?.type === 'run.ended' ? end.message : ''}`);
}

async function checkShare(run: Soaked): Promise<void> {
  const { shared } = run;
  if (!shared) return;
  await shared.check();
  tally.shared += 1;
  tally.sharedSeen += shared.eventsSeen;
  if (shared.revoked) tally.revoked += 1;
  for (const problem of new Set(shared.problems)) problems.push(`${run.name}, shared: ${problem}`);
}

function effectsOf(run: Soaked): string[] {
  try {
    return readFileSync(join(run.workspace, 'effects.txt'), 'utf8').trimEnd().split('\n');
  } catch {
    return []; // none of its calls was a command
  }
}

console.info(
  `soak: ${minutes} minutes, seed ${seed}, ${kept}, commands ${health.sandbox.available ? 'run' : 'cannot run here'}`,
);
const disturbing = disturb();
const planning = plans.work();
const busy = Promise.all([keepBusy(), revokeNowAndThen()]);
for (let minute = 1; minute <= Math.ceil(minutes); minute++) {
  await delay(Math.min(60_000, (minutes - (minute - 1)) * 60_000));
  const ended = runs.filter((run) => run.ended).length;
  console.info(`  ${minute} min: ${tally.deaths} deaths, ${ended} of ${runs.length} runs ended`);
}
over = true;
plans.end();
await Promise.all([disturbing, busy]);
const deadline = performance.now() + END_WITHIN_MS;
while (runs.some(({ ended }) => !ended) && performance.now() < deadline) await delay(200);
const finished = planning.then(() => true);
if (!(await Promise.race([finished, delay(Math.max(0, deadline - performance.now()), false)])))
  problems.push('an experiment or a benchmark has not finished');
problems.push(...plans.problems);
for (const run of runs) await check(run);
for (const run of runs) await checkShare(run);
if (!runs.some(({ seen }) => [...seen.values()].some((event) => JSON.stringify(event).includes(SECRET))))
  problems.push('no viewer saw the secret, so redaction was not tested');
await servers.close();
await ollama.close();

console.info(
  `soak: seed ${seed}, ${tally.deaths} deaths, ${tally.freezes} freezes, ${tally.outages} outages of the model server, ` +
    (kept === 'postgres' ? `${tally.crashes} crashes of the database, ` : '') +
    `${runs.length} runs\n` +
    `  finished beside them: ${plans.finished.experiments} experiments, ${plans.finished.benchmarks} benchmarks\n` +
    `  events seen by viewers: ${tally.seen}, lost: ${tally.lost}, gaps and doubles: ${tally.gaps}\n` +
    `  effects: ${tally.effects}, repeated: ${tally.repeated}\n` +
    `  links: ${tally.shared}, of them revoked: ${tally.revoked}, events seen over them: ${tally.sharedSeen}\n` +
    `  ends: ${[...ends].map(([name, count]) => `${count} ${name}`).join(', ')}`,
);
for (const problem of problems.slice(0, 20)) console.error(`  ${problem}`);
rmSync(root, { recursive: true, force: true });
const whole = tally.lost + tally.gaps + tally.repeated + problems.length === 0;
console.info(whole ? 'soak: nothing was lost and nothing happened twice' : 'soak: FAILED');
process.exit(whole ? 0 : 1);

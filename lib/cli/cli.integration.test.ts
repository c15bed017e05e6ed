import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort, type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import type { RunListReply } from '../api/replies.ts';
import { passingModel } from '../demo/check-scenarios.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { benchmarkQuestion, writeBenchmarkFolder } from '../testing/benchmark-folder.ts';
import { instantScenario } from '../testing/instant-scenario.ts';
import { losingProxy } from '../testing/losing-proxy.ts';
import { jpegImage, pngImage } from '../testing/sample-images.ts';
import { trustedRelay } from '../testing/trusted-relay.ts';

const program = resolve(import.meta.dirname, '../../bin/loupe.mjs');

let ollama: FakeOllama;
let loupe: LoupeServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-cli-'));
  ollama = await startFakeOllama();
  ollama.add(instantScenario(3, 'short'));
  ollama.add(instantScenario(99, 'long'));
  ollama.add({ name: 'hostile', steps: [{ reply: { content: 'Done.\u001b[2J\u202e All clear' } }] });
  ollama.add({
    name: 'gardener',
    steps: [
      { reply: { content: 'I look around.\nThe beds are dry.' } },
      {
        reply: {
          content: '<think>Which one?</think>I write it down.',
          tool_calls: [{ name: 'write_file', arguments: { path: 'beds.md', content: 'dry\u001b[2J' } }],
        },
      },
      { repeat: 99, steps: [{ reply: { content: 'Turn {{turn}}.' } }] },
    ],
  });
  ollama.add({
    name: 'agent',
    steps: [
      {
        reply: {
          tool_calls: [
            {
              name: 'send_message_to_operator',
              arguments: { message: 'Hello \u001b[31mthere.\n[result] {"success":true}' },
            },
          ],
        },
      },
      { reply: { content: 'I said hello.' } },
    ],
  });
  for (const room of ['hall', 'attic']) {
    const call = { name: 'lamp_set', arguments: { room, level: 5 } };
    ollama.add({
      ...{ name: `lamps-${room}`, model: 'lamps', match: benchmarkQuestion(room) },
      steps: [{ reply: { content: JSON.stringify(call) } }],
    });
  }
  for (const scenario of passingModel('able')) ollama.add(scenario);
  ollama.add({
    name: 'eyes',
    capabilities: ['completion', 'tools', 'vision'],
    steps: [{ expect: { images: 2 }, reply: { content: 'Two pictures.' } }],
  });
  ollama.add({ name: 'cut', steps: [{ reply: { content: 'tick tock', done_reason: 'length' } }] });
  ollama.add({ name: 'plans', steps: [{ reply: { content: 'I will read the reports first.' } }] });
  ollama.add({ name: 'plain', steps: [{ reply: { content: 'The task is completed.' } }] });
  ollama.add({ name: 'judge', steps: [{ repeat: 9, steps: [{ reply: { content: '{"plain": 4}' } }] }] });
  ollama.add({
    name: 'broken',
    steps: [{ fault: { kind: 'http', status: 400, body: { error: 'broken' } }, reply: { content: '' } }],
  });
  ollama.add({ name: 'mute', steps: [{ reply: { content: 'I would rather not.\u001b[2J' } }] });
  loupe = await startLoupe({ ollamaUrl: ollama.url });
});
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the CLI in a separate process, configured by its environment. */
function command(args: readonly string[], env: Record<string, string> = {}, input?: string) {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH ?? '',
      HOME: folder,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LOUPE_URL: loupe.url,
      LOUPE_TOKEN: loupe.token,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const got = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    got.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    got.err += chunk.toString();
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((done) => {
    child.once('close', (code) => done({ code, ...got }));
  });
  return { child, got, ended };
}

/** Runs the CLI with its output piped to another program. The last line of `err` is its exit code. */
function piped(args: readonly string[], reader: string) {
  const script = `{ "$@"; echo "exit $?" >&2; } | ${reader}`;
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, program, ...args], {
    env: { ...process.env, HOME: folder, LOUPE_URL: loupe.url, LOUPE_TOKEN: loupe.token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr)]).then(([out, err]) => ({ out, err }));
  return { child, ended };
}

async function newestRun() {
  const { runs } = (await (await loupe.request('/api/runs?limit=1')).json()) as RunListReply;
  const [run] = runs;
  if (!run) throw new Error('no run');
  return run;
}

describe('npx loupe', () => {
  it('Headless: runs a task, separates progress from the answer, and ends with 0', async () => {
    const { code, out, err } = await command(['run', 'Count', '--model', 'short', '--max-iterations', '20'])
      .ended;
    const run = await newestRun();
    expect(code).toBe(0);
    expect(err).toContain(`${loupe.url}/runs/${run.id}`);
    expect(err).toContain('Iteration 1 of 20');
    expect(err).toMatch(/^The model answered \(\d+ iterations, ≈?[\d,]+ tokens\)\./m);
    const whole = await (await loupe.request(`/api/runs/${run.id}/log`)).text();
    const ended = JSON.parse(whole.trim().split('\n').at(-1) ?? '');
    expect(out).toBe(`${ended.result.output}\n`);
  });

  it('Headless: fills in a preset, and lists it', async () => {
    const json = { name: 'Report', run: { task: 'Read {file}', model: 'plain', max_iterations: 3 } };
    expect((await loupe.request('/api/presets', { json })).status).toBe(201);
    const listed = await command(['presets']).ended;
    expect([listed.code, listed.out]).toEqual([0, 'Report  plain  {file}\n']);
    const blank = await command(['run', '--preset', 'report']).ended;
    expect([blank.code, blank.err]).toEqual([2, expect.stringContaining('--set file=TEXT')]);
    const { code } = await command(['run', '--preset', 'report', '--set', 'file=notes.md']).ended;
    expect(code).toBe(0);
    expect(await newestRun()).toMatchObject({ title: 'Read notes.md', max_iterations: 3 });
  });

  it('rates texts by models, and exits with 0 only if each of them could', async () => {
    expect((await command(['run', 'Tell', '-m', 'plain']).ended).code).toBe(0);
    const { id } = await newestRun();
    const questionnaire = join(folder, 'plain.yaml');
    writeFileSync(
      questionnaire,
      'name: plain\nscale: {min: 1, max: 5, min_label: no, max_label: very}\nitems:\n  - id: plain\n    text: The text is plain.\n',
    );
    const rated = (by: readonly string[]) =>
      command(['rate', id, '--with', questionnaire, ...by.flatMap((model) => ['--by', model])]).ended;
    const whole = await rated(['judge']);
    expect([whole.code, whole.out]).toEqual([
      0,
      expect.stringContaining(`  judge  mean\n${id}  4.00   4.00\n`),
    ]);
    const part = await rated(['judge', 'broken']);
    expect([part.code, part.out]).toEqual([1, expect.stringContaining(`broken could not rate ${id}: `)]);
  });

  it('Headless: the exit code says why a run ended', async () => {
    const { code, err } = await command(['run', 'Go', '-m', 'long', '--max-iterations', '2']).ended;
    expect(code).toBe(10);
    expect(err).toContain('The iteration limit was reached (2 iterations, ');
  });

  it.each([
    ['cut', [], 20, 'Answered, cut off (1 iteration,'],
    ['plans', [], 21, 'Announced work, did none ('],
    [
      'plain',
      ['--set', 'max_attempts=1', '--check', 'file_exists=a.md'],
      19,
      'Answered, 1 of 1 check failed (1 iteration,',
    ],
  ] as const)('the exit code reflects the outcome of "%s"', async (model, more, exit, words) => {
    const { code, err } = await command(['run', 'Go', '-m', model, ...more]).ended;
    expect(err).toContain(words);
    expect(code).toBe(exit);
    expect((await command(['follow', (await newestRun()).id, '--after', '9999']).ended).code).toBe(exit);
  });

  it('Headless: --json prints every event of the log, complete and in order', async () => {
    const { code, out } = await command(['run', 'Count', '-m', 'short', '--json']).ended;
    expect(code).toBe(0);
    const { id } = await newestRun();
    expect(out).toBe(await (await loupe.request(`/api/runs/${id}/log`)).text());
  });

  it('says where to decide while calls wait for approval, but not about calls of the past', async () => {
    const running = command(['run', 'Go', '-m', 'short', '--set', 'approval={"default":"ask"}']);
    await vi.waitFor(() => expect(running.got.err).toContain('Waiting for you: '), { timeout: 30_000 });
    const { id } = await newestRun();
    expect(running.got.err).toContain(`waits for approval\nWaiting for you: ${loupe.url}/runs/${id}\n`);
    const follower = command(['follow', id]);
    await vi.waitFor(() => expect(follower.got.err).toContain('Waiting for you: '), { timeout: 30_000 });
    running.child.kill('SIGINT');
    expect([(await running.ended).code, (await follower.ended).code]).toEqual([17, 17]);
    const { err } = await command(['follow', id]).ended;
    expect(err).toContain('waits for approval');
    expect(err).not.toContain('Waiting for you: ');
  });

  it('says that a run waits in the queue, until it begins', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const first = command(['run', 'Go', '-m', 'long', '--max-iterations', '2']);
    await vi.waitFor(() => expect(first.got.err).toContain('Iteration 2'), { timeout: 30_000 });
    const second = command(['run', 'Wait', '-m', 'plain']);
    await vi.waitFor(() => expect(second.got.err).toContain('Position 1 in the queue.\n'), {
      timeout: 30_000,
    });
    release();
    expect((await first.ended).code).toBe(10);
    const { code, err } = await second.ended;
    expect([code, err.match(/in the queue/g)]).toEqual([0, ['in the queue']]);
  });

  it('Ctrl-C stops after the current step, a second one immediately [S13, S14]', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const running = command(['run', 'Go', '-m', 'long', '--max-iterations', '50']);
    await vi.waitFor(() => expect(running.got.err).toContain('Iteration 2'), { timeout: 30_000 });
    running.child.kill('SIGINT');
    await vi.waitFor(async () => expect((await newestRun()).stop_requested).toBe(true), { timeout: 10_000 });
    expect(running.child.exitCode).toBe(null);
    running.child.kill('SIGINT');
    const { code, err } = await running.ended;
    release();
    expect(code).toBe(17);
    expect(err).toContain('Stopping after this step');
    expect(err).toContain('Stopping immediately');
  });

  it('a session says once that it stops', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const running = command(['run', 'Go', '-m', 'long', '--mode', 'session', '--autopilot']);
    await vi.waitFor(() => expect(running.got.err).toContain('[tool]'), { timeout: 30_000 });
    running.child.kill('SIGINT');
    await vi.waitFor(() => expect(running.got.err).toContain('Stopping after this turn.'), {
      timeout: 10_000,
    });
    release();
    const { code, err } = await running.ended;
    expect([code, err.match(/Stopping/g)]).toEqual([17, ['Stopping']]);
  });

  it('prints a text once that it prints while the model writes it', async () => {
    const { code, out, err } = await command(['run', 'Go', '-m', 'plain', '--live']).ended;
    expect([code, out]).toEqual([0, 'The task is completed.\n']);
    expect(err.match(/The task is completed\./g)).toEqual(['The task is completed.']);
    expect((await command(['run', 'Go', '-m', 'plain']).ended).err).toContain('Text: The task is completed.');
  });

  it('a run continues when its follower disconnects; another one follows it to its end [D3]', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const { out } = await command(['run', 'Go', '-m', 'long', '--max-iterations', '4', '--detach']).ended;
    const id = out.trim();
    const watching = command(['follow', id]);
    await vi.waitFor(() => expect(watching.got.err).toContain('Iteration 2'), { timeout: 30_000 });
    watching.child.kill('SIGINT');
    expect((await watching.ended).code).toBe(0);
    expect((await newestRun()).stop_requested).toBe(false);
    const second = command(['follow', id]);
    release();
    expect((await second.ended).code).toBe(10);
    const late = await command(['follow', id, '--after', '999999']).ended;
    expect(late.code).toBe(10);
  });

  it('prints the hint of the error that ended a run', async () => {
    const { code, err } = await command(['run', 'Count', '--model', 'shorty']).ended;
    expect(code).not.toBe(0);
    expect(err).toContain('Model "shorty" is missing. Did you mean "short"?');
    expect(err).toContain('Use "short", or run: ollama pull shorty\n');
  });

  it('attaches images to a task', async () => {
    const files = ['a.png', 'b.jpg'].map((name) => join(folder, name));
    writeFileSync(files[0] ?? '', pngImage());
    writeFileSync(files[1] ?? '', jpegImage());
    const images = files.flatMap((file) => ['--image', file]);
    const ran = await command(['run', 'Look', '--model', 'eyes', '--no-tools', ...images]).ended;
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Two pictures.') });
    const words = join(folder, 'not-an-image.png');
    writeFileSync(words, 'words');
    const refused = await command(['run', 'Look', '--model', 'eyes', '--image', words]).ended;
    expect(refused.err).toContain('"not-an-image.png" is not an image that models can receive.');
    const missing = await command(['run', 'Look', '--model', 'eyes', '--image', '/nowhere.png']).ended;
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('cannot be read') });
  });

  it('lists, says, stops and exports', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const { out } = await command(['run', 'Go on', '-m', 'long', '--detach']).ended;
    const id = out.trim();
    const said = await command(['say', id, 'Use the other file']).ended;
    expect(said).toMatchObject({ code: 0, err: expect.stringContaining('Queued') });
    const list = await command(['list', '--limit', '5']).ended;
    expect(list.out).toMatch(new RegExp(`^${id} .* long +Go on$`, 'm'));
    const stopped = await command(['stop', id, '--force']).ended;
    expect(stopped.code).toBe(0);
    release();
    await vi.waitFor(async () => expect((await newestRun()).phase).toBe('ended'), { timeout: 30_000 });
    const file = join(folder, 'run.jsonl');
    expect((await command(['export', id, '--output', file]).ended).code).toBe(0);
    const run = await (await loupe.request(`/api/runs/${id}/export`)).text();
    expect(readFileSync(file, 'utf8')).toBe(run);
    expect((await command(['export', id]).ended).out).toBe(run);
    const log = await (await loupe.request(`/api/runs/${id}/log`)).text();
    expect((await command(['export', id, '--format', 'events']).ended).out).toBe(log);
    for (const format of ['bundle', 'scenario', 'spans', 'html', 'md']) {
      const made = await command(['export', id, '--format', format]).ended;
      expect([format, made.code, made.out.length > 100]).toEqual([format, 0, true]);
    }
    // The same run exists already, so nothing changes.
    expect(await command(['import', file]).ended).toMatchObject({ code: 0, out: `${id}\n` });
    expect(await command(['import', join(folder, 'no.jsonl')]).ended).toMatchObject({ code: 2 });
    writeFileSync(file, 'mine');
    const again = await command(['export', id, '--output', file]).ended;
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('already exists') });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await command(['export', id, '--output', '/nope/x']).ended).toMatchObject({
      code: 2,
      err: 'loupe: /nope/x cannot be written: its folder does not exist.\n       Create the folder first, or choose another one for --output.\n',
    });
  });

  it('ends quietly when the program that reads its output has ended', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const { out } = await command(['run', 'Go', '-m', 'long', '--max-iterations', '9', '--detach']).ended;
    const id = out.trim();
    const following = piped(['follow', id, '--json'], 'head -n 1');
    await once(following.child.stdout, 'data');
    release();
    const followed = await following.ended;
    expect(followed.err).toBe('exit 141\n');
    await vi.waitFor(async () => expect((await newestRun()).phase).toBe('ended'), { timeout: 30_000 });
    for (const args of [['list'], ['follow', id, '--json'], ['export', id, '--format', 'html']]) {
      expect(await piped(args, 'true').ended).toEqual({ out: '', err: 'exit 141\n' });
    }
    const live = await piped(['run', 'Count', '-m', 'short', '--mode', 'session', '--live'], 'true').ended;
    expect(live.err).toMatch(/\nexit 141\n$/);
    expect(live.err).not.toMatch(/EPIPE|Error/);
  });

  it('Model Check: reports each probe, prints the table, and exits with 0 only if all pass', async () => {
    const able = await command(['check', 'able']).ended;
    expect(able.code).toBe(0);
    expect(able.err).toMatch(/passed\s+Two steps, then the end/);
    expect(able.out).toContain('10 of 10 probes passed.');
    expect(able.out).toContain('All 12 calls came natively.');
    const mute = await command(['check', 'mute']).ended;
    expect(mute.code).toBe(1);
    expect(mute.out).toContain('1 of 10 probes passed.');
    expect(mute.out).toMatch(/Well formed\s+not enough data/);
    expect(mute.out).not.toContain('\u001b');
    const json = await command(['check', 'able', '--json']).ended;
    expect(JSON.parse(json.out)).toMatchObject({ model: 'able:latest', probes: { length: 10 } });
    const missing = await command(['check', 'no-such-model']).ended;
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('ollama pull no-such-model') });
  });

  it('runs a benchmark, prints its figures, and continues one that was stopped', async () => {
    const files = writeBenchmarkFolder(join(folder, 'benchmark'), ['hall', 'attic']);
    const args = ['benchmark', files, '--model', 'lamps', '--categories', 'simple_python'];
    const { code, out, err } = await command(args).ended;
    expect(code).toBe(0);
    expect(err).toContain('/benchmarks/');
    expect(out).toMatch(
      /lamps +Simple \(Python\) +2 +0% \(0% to 66%\) +100% \(34% to 100%\) +\+100 \(\S+ to \S+\) +0\.500/,
    );
    const id = err.split('\n')[0] ?? '';
    const again = await command(['benchmark', '--continue', id, '--json']).ended;
    expect(JSON.parse(again.out)).toMatchObject({ benchmark: { status: 'finished', done: 2 } });
    const refused = await command(['benchmark', folder, '--model', 'lamps']).ended;
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('has no files such as') });
  });

  it('prints all text of a session to standard output, its notices to standard error [S4, S11, S12, S21]', async () => {
    const session = ['run', '--mode', 'session', '--autopilot', '-m', 'gardener', '--set', 'turn_delay=300'];
    const running = command(session);
    await vi.waitFor(() => expect(running.got.out).toContain('Turn 3.'), { timeout: 30_000 });
    running.child.kill('SIGINT');
    const { out, err, code } = await running.ended;
    const { id } = await newestRun();
    const log = await (await loupe.request(`/api/runs/${id}/log?format=session`)).text();
    const entries = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const texts = entries.flatMap((entry) => (entry.event === 'assistant_text' ? [entry.text] : []));
    expect(texts.slice(0, 2)).toEqual(['I look around.\nThe beds are dry.', 'I write it down.']);
    expect(out).toBe(texts.map((text) => `${text}\n`).join(''));
    expect(err).toMatch(/^Session with gardener in .+\. Log: .+\.jsonl$/m);
    expect(err).toMatch(/^\[tool\] write_file\(\{"path":"beds\.md","content":"dry\\u001b\[2J"\}\)$/m);
    expect(err).toMatch(/^\[result\] \{"success":true,/m);
    expect(err).toMatch(/^Session ended: user_shutdown after \d+ completed turns?\. Log: /m);
    expect(err).not.toContain('I look around');
    expect(code).toBe(17);
    const later = await command(['follow', id]).ended;
    expect(later.out).toBe(out);
  });

  it('sends each line of its input to a session that waits, and ends it when the input ends', async () => {
    const session = ['run', 'Look around.', '--mode', 'session', '-m', 'gardener'];
    const { out, code } = await command(session, {}, 'What did you find?\n\nThank you.\n').ended;
    const { id } = await newestRun();
    const log = await (await loupe.request(`/api/runs/${id}/log?format=session`)).text();
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ event }) => /_text$/.test(event));
    expect(lines.map(({ event, text }) => `${event}: ${text}`)).toEqual([
      'user_text: Look around.',
      'assistant_text: I look around.\nThe beds are dry.',
      'user_text: What did you find?',
      'assistant_text: I write it down.',
      'assistant_text: Turn 3.',
      'user_text: Thank you.',
      'assistant_text: Turn 4.',
    ]);
    expect(out).toContain('Turn 4.\n');
    expect(code).toBe(0);
  });

  it('prints an agent’s message to its operator as one notice [O14]', async () => {
    const { out, err } = await command(['run', '--mode', 'explore', '-m', 'agent', '--set', 'max_cycles=1'])
      .ended;
    expect(err).toMatch(/^\[AGENT\]: Hello ⟨ESC⟩\[31mthere\.$/m);
    expect(err).not.toMatch(/^\[result\]/m);
    expect(out).not.toContain('[AGENT]');
  });

  it('control characters of a model never reach the terminal [D18]', async () => {
    const { err } = await command(['run', 'Say it', '-m', 'hostile', '--no-tools']).ended;
    expect(err).toContain('⟨ESC⟩');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that must not be printed
    expect(err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('explains connection, sign-in and usage errors', async () => {
    const port = await freePort();
    const nobody = await command(['list', '--url', `http://127.0.0.1:${port}`]).ended;
    expect(nobody).toMatchObject({ code: 69, err: expect.stringContaining('npm start') });
    const stranger = await command(['list'], { LOUPE_TOKEN: 'another-token-0123456789-0123456789' }).ended;
    expect(stranger.code).toBe(77);
    const unset = await command(['list'], { LOUPE_TOKEN: '' }).ended;
    expect(unset).toMatchObject({ code: 77, err: expect.stringContaining('LOUPE_TOKEN') });
    const unknown = await command(['follow', 'no-such-run']).ended;
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('There is no run') });
    const wrong = await command(['run', 'x', '-m', 'short', '--set', 'tier="huge"']).ended;
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('tier') });
    const typo = await command(['folow']).ended;
    expect(typo).toMatchObject({ code: 2, err: expect.stringContaining('did you mean "follow"') });
  });

  it('sends no secret and no task to another program at the address of Loupe, and prints none of its reply', async () => {
    const received: string[] = [];
    const hostile = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        received.push([request.method, request.url, ...request.rawHeaders, body].join('\n'));
        const error = { code: 'x', message: 'Read \u001b]8;;http://evil.example\u0007this', hint: 'evil' };
        response.writeHead(403).end(JSON.stringify({ error }));
      });
    });
    hostile.listen(0, '127.0.0.1');
    await once(hostile, 'listening');
    const { port } = hostile.address() as AddressInfo;
    const { code, out, err } = await command(['run', 'a secret task', '-m', 'short'], {
      LOUPE_URL: `http://127.0.0.1:${port}`,
    }).ended;
    hostile.close();
    expect([code, out]).toEqual([77, '']);
    expect(err).toContain('did not prove that it knows the operator token');
    expect(err).not.toContain('evil');
    expect(received).toHaveLength(1);
    expect(received[0]).toMatch(/^GET\n\/api\/handshake\?nonce=[\w-]{43}\n/);
    expect(received[0]).not.toMatch(/secret|authorization|token-for-tests/i);
  });

  it('resumes a broken connection where it broke', async () => {
    const release = ollama.hold('long', { turn: 1 });
    const running = command(['run', 'Go', '-m', 'long', '--max-iterations', '4', '--json']);
    await vi.waitFor(() => expect(running.got.out).toContain('"iteration":2'), { timeout: 30_000 });
    const { port, dataDir } = loupe;
    await loupe.stop('SIGKILL');
    loupe = await startLoupe({ ollamaUrl: ollama.url, port, dataDir });
    release();
    const { code, out, err } = await running.ended;
    expect(err).toContain('Connection lost');
    expect(code).toBe(10);
    const { id } = await newestRun();
    expect(out).toBe(await (await loupe.request(`/api/runs/${id}/log`)).text());
  });

  it('starts one experiment, one benchmark and one rating, although the answers to their requests are lost', async () => {
    expect((await command(['run', 'Tell once', '-m', 'plain']).ended).code).toBe(0);
    const { id } = await newestRun();
    const plan = join(folder, 'once.yaml');
    writeFileSync(plan, 'name: Lost answer\nmodels: [plain]\nmode: prompt\ntask: Hi\n');
    const files = writeBenchmarkFolder(join(folder, 'lost'), ['hall']);
    const commands = {
      experiments: ['experiment', 'run', plan, '--detach'],
      benchmarks: ['benchmark', files, '--model', 'plain', '--limit', '1'],
      ratings: ['rate', id, '--title', 'Lost answer', '--by', 'mute'],
    };
    for (const [kind, args] of Object.entries(commands)) {
      const countOf = async () => {
        const listed: Record<string, unknown[]> = await (await loupe.request(`/api/${kind}`)).json();
        return listed[kind]?.length ?? 0;
      };
      const before = await countOf();
      const between = await losingProxy(loupe, { times: 2, path: new RegExp(`^/api/${kind}$`) });
      const { err } = await command(args, { LOUPE_URL: between.url }).ended;
      between.close();
      expect([between.lost(), err]).toEqual([2, expect.stringContaining('Connection lost; retrying in')]);
      expect(await countOf()).toBe(before + 1);
    }
  });

  it('Headless: reconnects if the connection breaks during the fetch of a long text, and to a server that is still starting', async () => {
    const relay = trustedRelay(loupe);
    const seen = { streams: 0, wholes: 0 };
    const starting = JSON.stringify({ error: { code: 'starting', message: 'Loupe is starting.' } });
    const between = createServer((request, response) => {
      const { url = '' } = request;
      const isWhole = /\/events\/\d+/.test(url);
      if (isWhole) seen.wholes += 1;
      if (url.includes('/events?')) seen.streams += 1;
      // The first fetch of a long text fails, and then the server is starting.
      if (isWhole && seen.wholes === 1 && seen.streams === 1) return void request.socket.destroy();
      if (url.includes('/events?') && seen.streams === 2)
        return void response.writeHead(503, { 'retry-after': '1' }).end(starting);
      relay(request, response);
    });
    between.listen(0, '127.0.0.1');
    await once(between, 'listening');
    const { port: own } = between.address() as AddressInfo;
    const task = `Go. ${'A long story. '.repeat(5000)}`;
    const { code, out, err } = await command(['run', task, '-m', 'short', '--json'], {
      LOUPE_URL: `http://127.0.0.1:${own}`,
    }).ended;
    between.close();
    expect(err.match(/Connection lost/g)).toHaveLength(2);
    expect(code).toBe(0);
    const { id } = await newestRun();
    expect(out).toBe(await (await loupe.request(`/api/runs/${id}/log`)).text());
  });
});

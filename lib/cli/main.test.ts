import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { CheckProgress, CheckReply } from '../api/model-check.ts';
import { summarizeRun } from '../api/summarize-run.ts';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import { completedLog, sampleFork } from '../testing/sample-logs.ts';
import { handshakeOf } from '../testing/trusted-relay.ts';
import { main } from './main.ts';
import { usageOfCommand } from './usage-text.ts';

const TOKEN = 'a-token-of-the-tests-0123456789';

const LINES = Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n');
const HOSTILE = `\u001b]0;title\u0007\u001b[2J\u009b8m\u202e${LINES}\rloupe: all is well`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that must not be printed
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;

/** A run of a server of a later version: its kinds of events, values in known events, mode and outcome are unknown here. */
const laterLog = completedLog();
const laterEvents: readonly object[] = [
  ...laterLog.events
    .slice(0, -1)
    .map((event) => (event.type === 'reply.parsed' ? { ...event, outcome: 'plan' } : event)),
  ...[
    { type: 'run.delegated', to: HOSTILE },
    { type: 'server-wait.started', error: { code: 'unreachable', message: 'No answer.' }, limit_ms: 1000 },
    { type: 'server-wait.ended', outcome: 'moved', waited_ms: 5 },
    { ...sampleFork({ run_id: 'first', seq: 3 }), edits: [{ target: 'plan' }] },
    laterLog.events.at(-1),
  ].map((event, index) => ({ ...event, run_id: 'later', at: 9, seq: laterLog.events.length + index })),
];
const laterRun = {
  ...summarizeRun(foldAll(emptyRunState('later'), laterLog.events)),
  ...{ id: 'later', mode: 'swarm', outcome: { kind: 'delegated' }, termination_reason: 'delegated' },
};

function laterReply(path: string) {
  const isStream = path.includes('/events');
  const stream = laterEvents.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { isStream, body: isStream ? stream : JSON.stringify({ run: laterRun }) };
}

/** A check with one probe, which failed. */
const score = { passed: 0, judged: 1, unknown: 0 };
const layers = { native: 1, json: 0, xml: 0 };
const checked = { model: 'able', digest: '', probes_version: 1, started_at: 1, ended_at: 2 };
const checkDone: CheckProgress = { model: 'able', status: 'done', started_at: 1, ended_at: 2, probes: [] };
const checkReply: CheckReply = {
  check: {
    ...checked,
    conditions: { temperature: 0, seed: 1, window_tokens: 4096, num_predict: 512 },
    measured: {
      ...{ replies: 1, calls: 1, layers, formats: { native: 1 }, timed_tokens: 0, eval_ms: 0 },
      ...{ repaired: 0, coerced: 0, refused: 0, malformed: 0, thinking_replies: 0, thinking_chars: 0 },
    },
    probes: [
      {
        ...{ id: 'one-call', title: 'One call', task: 'Read a.md', verdict: 'fail', exchanges: [] },
        criteria: [
          { axis: 'calls', rule: 'It reads the file once', found: 'It read the file twice', verdict: 'fail' },
        ],
        duration_ms: 5,
      },
    ],
  },
  summary: {
    ...{ ...checked, passed: 0, failed: 1, unknown: 0, calls: 1, layers },
    axes: { calls: score, choice: score, results: score, stops: score },
  },
};

let server: Server;
let url: string;

/** A server whose runs and errors contain hostile text, as model names and imported runs can. */
beforeAll(async () => {
  const isHandshake = handshakeOf(TOKEN);
  server = createServer((request, response) => {
    if (isHandshake(request, response)) return;
    if (request.url === '/api/models') {
      const models = [
        { name: 'vectors', demo: false, capabilities: ['embedding'] },
        { name: HOSTILE, demo: false, capabilities: ['completion'] },
        { name: 'able', demo: false, capabilities: ['completion', 'tools'] },
      ];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ models, ollama: 'ok' }));
      return;
    }
    if (request.url?.startsWith('/api/runs/later')) {
      const { isStream, body } = laterReply(request.url);
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(body);
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? '', url);
    if (pathname.startsWith('/api/models/check')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(pathname.endsWith('/result') ? checkReply : { check: checkDone }));
      return;
    }
    if (pathname.startsWith('/api/runs/cut')) {
      // The connection breaks in the middle of the answer.
      response.writeHead(200, { 'content-length': 1000 });
      response.write('{"run": ', () => request.socket.destroy());
      return;
    }
    if (pathname === '/api/experiments' || pathname === '/api/presets' || searchParams.has('tag')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ runs: [], presets: [], experiments: [] }));
      return;
    }
    const isList = request.url?.startsWith('/api/runs?');
    const run = { id: HOSTILE, phase: HOSTILE, model: HOSTILE, title: HOSTILE };
    response.writeHead(isList ? 200 : 500, { 'content-type': 'application/json' });
    if (request.url?.includes('/export')) response.end(HOSTILE);
    else
      response.end(
        JSON.stringify(
          isList
            ? { runs: [run], ...(searchParams.get('limit') === '1' && { next: 'more' }) }
            : { error: { code: HOSTILE, message: HOSTILE, hint: HOSTILE } },
        ),
      );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));

async function run(
  args: readonly string[],
  { isTTY = false, columns }: { isTTY?: boolean; columns?: number } = {},
) {
  const printed = { out: '', err: '' };
  const into = (stream: 'out' | 'err') =>
    new Writable({
      write(chunk, _encoding, done) {
        printed[stream] += chunk;
        done();
      },
    });
  const terminal = {
    env: { LOUPE_TOKEN: TOKEN },
    stdout: Object.assign(into('out'), { isTTY, ...(columns === undefined ? {} : { columns }) }),
    stderr: into('err'),
    on: () => undefined,
    off: () => undefined,
    exit: (ended: number) => expect.unreachable(`exited with ${ended}`),
  };
  const code = await main(args.includes('--url') ? args : [...args, '--url', url], terminal, resolve('.'));
  return { code, ...printed };
}

it('names the models that can run if none is given, without those for embeddings', async () => {
  const { code, err } = await run(['run', 'Say hello']);
  expect(code).toBe(2);
  expect(err).toContain('Name the model: --model NAME.');
  expect(err).toContain('Installed: able, ');
  expect(err).not.toContain('vectors');
  expect(err).not.toMatch(OBEYED);
});

it('prints a hostile error as one line and one hint, without control characters', async () => {
  const { err } = await run(['stop', 'some-run']);
  expect(err).not.toMatch(OBEYED);
  expect(err.trimEnd().split('\n')).toHaveLength(2);
  expect(err).toContain('⟨ESC⟩');
  expect(err).toContain('line 0 ⏎ line 1');
});

it('prints a hostile run as one line of the list', async () => {
  const { out } = await run(['list']);
  expect(out).toContain('line 0 ⏎ line 1');
  expect(out).not.toMatch(OBEYED);
  expect(out.trimEnd().split('\n')).toHaveLength(1);
  expect(out.length).toBeLessThan(300);
});

it('fits the list into a narrow terminal, and leaves a pipe its wide lines', async () => {
  const widest = (text: string) =>
    Math.max(
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => line.length),
    );
  const { out } = await run(['list'], { isTTY: true, columns: 40 });
  expect(out.split('\n').length).toBeGreaterThan(2);
  expect(widest(out)).toBeLessThanOrEqual(40);
  expect(widest((await run(['list'], { columns: 40 })).out)).toBeGreaterThan(40);
});

it('fits a check into a narrow terminal, and leaves a pipe its wide lines', async () => {
  const { code, out } = await run(['check', 'able'], { isTTY: true, columns: 40 });
  expect(code).toBe(1);
  expect(out).toContain('    It reads the file once: It read the\n      file twice\n');
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
  expect((await run(['check', 'able'])).out.replace(/\s+/g, ' ')).toBe(out.replace(/\s+/g, ' '));
  expect((await run(['check', 'able'])).out).toContain(
    '    It reads the file once: It read the file twice\n',
  );
});

it.each([true, false])(
  'keeps hostile JSON valid, with its control characters escaped (terminal: %s)',
  async (isTTY) => {
    const { out } = await run(['list', '--json'], { isTTY });
    expect(out).not.toMatch(OBEYED);
    expect(JSON.parse(out)).toMatchObject({ title: HOSTILE });
  },
);

it('follows a run on a server of a later version, and exits with 1 for an unknown outcome', async () => {
  const { code, out, err } = await run(['follow', 'later']);
  expect(err).toContain(
    `Event #${laterLog.events.length} (run.delegated) is from another version of Loupe and is not shown\n`,
  );
  expect(err).toContain('(server-wait.ended) is from another version of Loupe and is not shown\n');
  expect(err).toContain('(run.forked) is from another version of Loupe and is not shown\n');
  expect(err).toContain('(reply.parsed) is from another version of Loupe and is not shown\n');
  expect(err).toContain('\ndelegated (');
  expect(out).toContain('Revenue grew');
  expect(code).toBe(1);
});

it('cleans a URL given as an argument', async () => {
  const { err, code } = await run(['list', '--url', 'http://127.0.0.1:1/\u001b[2J']);
  expect(code).not.toBe(0);
  expect(err).not.toMatch(OBEYED);
});

it('prints the help of a command, and refuses an unknown option in two lines', async () => {
  expect(await run(['mcp', '--help'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ {2}loupe mcp /),
    err: '',
  });
  expect(await run(['list', '--bogus'])).toEqual({
    code: 2,
    out: '',
    err: 'loupe: There is no option --bogus.\n       For help, run: loupe help\n',
  });
});

it('fits the help into a terminal, and leaves a pipe its lines', async () => {
  const { out } = await run(['run', '--help'], { isTTY: true, columns: 70 });
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(70);
  expect((await run(['run', '--help'], { columns: 70 })).out).toBe(usageOfCommand('run'));
});

it.each([
  [['list', '--tag', 'none'], 'No runs match.\n'],
  [['presets'], 'There are no presets yet. Save one in the form for a new run.\n'],
  [['experiment', 'status'], 'There are no experiments yet. Run one: loupe experiment run PLAN\n'],
])('explains to a person, but not to a script, why the output of %j is empty', async (args, words) => {
  expect(await run(args, { isTTY: true })).toEqual({ code: 0, out: '', err: words });
  expect(await run(args)).toEqual({ code: 0, out: '', err: '' });
  const json = await run([...args, '--json'], { isTTY: true });
  expect([json.code, json.err]).toEqual([0, '']);
});

it('tells a person, but not a script, that more runs follow', async () => {
  const more = 'More runs follow. Raise --limit (at most 200) or filter the list.\n';
  expect((await run(['list', '--limit', '1'], { isTTY: true })).err).toBe(more);
  expect((await run(['list', '--limit', '1'])).err).toBe('');
  expect((await run(['list', '--limit', '1', '--json'], { isTTY: true })).err).toBe('');
  expect((await run(['list', '--limit', '2'], { isTTY: true })).err).toBe('');
});

it('says that the connection broke in the middle of an answer, and what is incomplete', async () => {
  expect(await run(['follow', 'cut'])).toEqual({
    code: 69,
    out: '',
    err: `loupe: The connection to Loupe at ${url} broke before its answer was complete.\n       It may have been stopped or started again. Try again.\n`,
  });
  const printed = await run(['export', 'cut']);
  expect([printed.code, printed.err]).toEqual([
    69,
    'loupe: The output is incomplete: the connection to Loupe was lost.\n       Try again.\n',
  ]);
  const folder = mkdtempSync(join(tmpdir(), 'loupe-cut-'));
  const file = join(folder, 'run.jsonl');
  const saved = await run(['export', 'cut', '--output', file]);
  rmSync(folder, { recursive: true });
  expect([saved.code, saved.err]).toEqual([
    69,
    `loupe: ${file} is incomplete: the connection to Loupe was lost.\n       Delete the file and try again.\n`,
  ]);
});

it('prints its version, wherever it is called', () => {
  const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
  const loupe = resolve('bin', 'loupe.mjs');
  const printed = execFileSync(process.execPath, [loupe, '--version'], { cwd: tmpdir(), encoding: 'utf8' });
  expect(printed).toBe(`${version}
`);
});

/** The command line under an older Node, which only starts the shipped one; a request of it waits for an answer. */
async function startOnOldNode() {
  const asked = Promise.withResolvers<void>();
  const server = createServer(() => asked.resolve());
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`;
  const child = spawn(
    process.execPath,
    [
      ...['--import', `data:text/javascript,${encodeURIComponent(old)}`, resolve('bin', 'loupe.mjs')],
      ...['list', '--url', `http://127.0.0.1:${address.port}`],
    ],
    { stdio: 'ignore', env: { ...process.env, LOUPE_TOKEN: TOKEN } },
  );
  const ended = new Promise<number | null>((done) => child.on('exit', done)).finally(() => {
    server.closeAllConnections();
    server.close();
  });
  await asked.promise;
  return { child, ended };
}

it.skipIf(process.platform === 'win32').each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('passes %s on where an older Node only starts the shipped one', async (signal, code) => {
  const { child, ended } = await startOnOldNode();
  // To the launcher alone: Ctrl-C in a terminal would reach both processes.
  child.kill(signal);
  expect(await ended).toBe(code);
});

it.skipIf(process.platform !== 'linux')(
  'pauses and goes on with its launcher under an older Node',
  async () => {
    const { child, ended } = await startOnOldNode();
    const shipped = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
    const isStopped = (pid: unknown) => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    child.kill('SIGTSTP');
    await vi.waitUntil(() => isStopped(child.pid) && isStopped(shipped), { timeout: 20_000 });
    child.kill('SIGCONT');
    await vi.waitUntil(() => !isStopped(child.pid) && !isStopped(shipped), { timeout: 20_000 });
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
  },
);

it('says that a folder is not a run file, without a request', async () => {
  const { code, err } = await run(['import', tmpdir()]);
  expect(code).toBe(2);
  expect(err).toContain(`${tmpdir()} is not a file.`);
});

it.each([
  [['import', '/nowhere.json'], '/nowhere.json cannot be read: there is no such file.'],
  [['import', '/etc/passwd/x'], '/etc/passwd/x cannot be read: part of its path is a file.'],
  [['run', 'x', '--model', 'm', '--image', tmpdir()], `${tmpdir()} cannot be read: it is a folder.`],
  [['experiment', 'run', 'nothing.yaml'], 'nothing.yaml cannot be read: there is no such file.'],
])('says why a file of %j cannot be read, without the words of the system', async (args, message) => {
  const { code, err } = await run(args);
  expect(code).toBe(2);
  expect(err).toContain(`loupe: ${message}\n`);
});

it('treats an invalid address as a usage error', async () => {
  const { code, err } = await run(['list', '--url', 'ftp://127.0.0.1']);
  expect(code).toBe(2);
  expect(err).toContain('"ftp://127.0.0.1" is not a valid Loupe address.');
});

it('says that the output cannot be written, without a stack', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    syscall: 'write',
  });
  let err = '';
  const terminal = {
    env: {},
    stdout: new Writable({ write: (_chunk, _encoding, done) => done(full) }),
    stderr: new Writable({
      write(chunk, _encoding, done) {
        err += chunk;
        done();
      },
    }),
    on: () => undefined,
    off: () => undefined,
    exit: (ended: number) => expect.unreachable(`exited with ${ended}`),
  };
  expect(await main(['help'], terminal, resolve('.'))).toBe(1);
  expect(err).toBe('loupe: The output cannot be written: ENOSPC: no space left on device, write\n');
});

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoupeServer, startLoupe } from '../../e2e/loupe-server.ts';
import type { ExperimentSummary } from '../api/experiment.ts';
import type { ExperimentCell } from '../api/experiment-cells.ts';
import type { RunListReply } from '../api/replies.ts';
import type { ListedStudy } from '../api/study.ts';
import type { SuiteListReply } from '../api/suite.ts';
import { type FakeOllama, startFakeOllama } from '../demo/fake-ollama.ts';
import { STUDIES } from '../experiments/studies.ts';
import { unzip } from '../testing/unzip.ts';

const program = resolve(import.meta.dirname, '../../bin/loupe.mjs');
const hostile = '<img src=x onerror=alert(1)>';

let ollama: FakeOllama;
let loupe: LoupeServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-experiments-'));
  ollama = await startFakeOllama();
  ollama.add({ name: 'knows', steps: [{ repeat: 99, steps: [{ reply: { content: 'It is Kestrel.' } }] }] });
  loupe = await startLoupe({ ollamaUrl: ollama.url });
});
afterAll(async () => {
  await loupe.dispose();
  await ollama.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `loupe experiment …` in a separate process. */
function experiment(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return begun(...args).ended;
}

function begun(...args: string[]) {
  const child = spawn(process.execPath, [program, 'experiment', ...args], {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      HOME: folder,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      LOUPE_URL: loupe.url,
      LOUPE_TOKEN: loupe.token,
    },
  });
  const got = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    got.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    got.err += chunk.toString();
  });
  const ended = new Promise<{ code: number | null } & typeof got>((done) =>
    child.once('close', (code) => done({ code, ...got })),
  );
  return { got, ended };
}

function planFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** What `--json` printed: a value per line. */
function jsonLines<Value>(out: string): Value[] {
  return out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Value]));
}

const SUITE = `name: Rooms
cases:
  - id: room
    input: In which room is the meeting?
    target: Kestrel
    mode: prompt
  - id: price
    input: What does the lamp cost?
    target: "22.40"
    mode: prompt
`;

describe('npx loupe experiment', () => {
  it('runs a plan with the suite file beside it, and fails under a pass rate', async () => {
    planFile('rooms.yaml', SUITE);
    const plan = planFile(
      'plan.yaml',
      'name: Two rooms\nmodels: [knows]\nsuite: {file: rooms.yaml}\nrepeats: 2\n',
    );
    const { code, out, err } = await experiment('run', plan, '--fail-under', '0.5');
    expect([code, err]).toEqual([0, expect.stringContaining('4 of 4 runs')]);
    expect(out).toMatch(/^cell +passed +rate/);
    expect(out).toContain('2/4');
    const again = await experiment('run', plan, '--fail-under', '0.8', '--json');
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining('passed 2 of 4 runs: 50%, below 80%'),
    ]);
    expect(jsonLines(again.out)).toMatchObject([{ passed: 2, judged: 4 }]);
    // The same suite is stored once.
    const { suites } = (await (await loupe.request('/api/suites')).json()) as { suites: { name: string }[] };
    expect(suites.map(({ name }) => name)).toEqual(['Rooms']);
  });

  it('shows status and results, and writes every kind of file', async () => {
    const list = await experiment('status', '--json');
    const [found] = jsonLines<ExperimentSummary>(list.out);
    const id = found?.id ?? '';
    expect(jsonLines((await experiment('status', id, '--json')).out)).toEqual([found]);
    expect((await experiment('status')).out).toContain(`${id}  finished  4 of 4 runs  Two rooms`);
    expect((await experiment('results', id)).out).toContain('2/4');
    const cells = jsonLines<ExperimentCell>((await experiment('results', id, '--json')).out);
    expect(cells.map(({ cell }) => cell)).toEqual([1]);
    const studies = jsonLines<ListedStudy>((await experiment('study', '--json')).out);
    expect(studies.map(({ name }) => name)).toEqual(STUDIES.map(({ name }) => name));
    const html = join(folder, 'report.html');
    expect((await experiment('export', id, '--format', 'html', '-o', html)).code).toBe(0);
    const report = readFileSync(html, 'utf8');
    expect(report).toContain('<h1>Two rooms</h1>');
    expect(report).toContain('room');
    expect(report).not.toMatch(/<script|https?:|src=/);
    const twice = await experiment('export', id, '--format', 'html', '-o', html);
    expect([twice.code, twice.err]).toEqual([2, expect.stringContaining('already exists')]);
    const zip = join(folder, 'all.zip');
    const rows = (await experiment('export', id, '--format', 'jsonl')).out.trim().split('\n');
    const runs = rows.map((row) => (JSON.parse(row) as { run_id: string }).run_id);
    const [noted] = runs;
    const json = { score: 4, note: 'Almost right' };
    expect((await loupe.request(`/api/runs/${noted}`, { method: 'PATCH', json })).status).toBe(200);
    expect((await experiment('export', id, '--format', 'bundle', '-o', zip)).code).toBe(0);
    const files = unzip(readFileSync(zip));
    expect([...files.keys()]).toEqual([
      ...['plan.yaml', 'suite.yaml', 'results.csv', 'results.jsonl', 'report.html'],
      ...runs.map((runId) => `runs/${runId}.jsonl`),
    ]);
    expect(files.get('results.csv')).toContain('Almost right');
    const header = JSON.parse(files.get(`runs/${noted}.jsonl`)?.split('\n')[0] ?? '');
    expect(header).toMatchObject({ run_id: noted, annotations: { score: 4, note: 'Almost right' } });
    expect((await experiment('export', id)).out.split('\r\n')).toHaveLength(6);
  });

  it('runs an exported plan again', async () => {
    const plan = planFile(
      'first.yaml',
      `name: "${hostile}"\nmode: prompt\ntask: Which room?\nmodels: [knows]\n`,
    );
    const { out: id } = await experiment('run', plan, '--detach');
    const exported = join(folder, 'exported.yaml');
    expect((await experiment('export', id.trim(), '--format', 'plan', '-o', exported)).code).toBe(0);
    const { code, err } = await experiment('run', exported);
    expect([code, err]).toEqual([0, expect.stringContaining('1 of 1 run')]);
    const report = await experiment('export', id.trim(), '--format', 'html');
    expect(report.out).not.toContain('<img');
    expect(report.out).toContain('&lt;img');
  });

  it('a bundle runs again, and leaves the suite alone of which it has some cases', async () => {
    const suitesNow = async () => {
      const { suites } = (await (await loupe.request('/api/suites')).json()) as SuiteListReply;
      return suites.map(({ name, cases }) => [name, cases]);
    };
    planFile('rooms.yaml', SUITE);
    const plan = planFile(
      'some.yaml',
      'name: One room\nmodels: [knows]\nsuite: {file: rooms.yaml, cases: [room]}\n',
    );
    const { out: id } = await experiment('run', plan, '--detach');
    const zip = join(folder, 'some.zip');
    expect((await experiment('export', id.trim(), '--format', 'bundle', '-o', zip)).code).toBe(0);
    const files = unzip(readFileSync(zip));
    const again = planFile('again.yaml', files.get('plan.yaml') ?? '');
    planFile('suite.yaml', files.get('suite.yaml') ?? '');
    expect(await suitesNow()).toEqual([['Rooms', 2]]);
    const { code, err } = await experiment('run', again);
    expect([code, err]).toEqual([0, expect.stringContaining('1 of 1 run')]);
    expect(await suitesNow()).toEqual([
      ['Rooms', 2],
      ['Rooms (chosen cases)', 1],
    ]);
  });

  it('does not pass if no run of a cell ran, and says why', async () => {
    const plan = planFile(
      'no-model.yaml',
      'name: Gone\nmodels: [gone]\nmode: prompt\ntask: Hi\nrepeats: 2\n',
    );
    const { code, out, err } = await experiment('run', plan, '--fail-under', '0');
    expect(code).toBe(1);
    expect(out).toContain('0/0');
    expect(err).toContain('2 of 2 runs, 2 did not run');
    expect(err).toContain('2 runs did not run: Model "gone" is missing. Run: ollama pull gone');
    expect(err).toContain('Cell 1 (gone) has no run that passed or failed.');
    const id = /^[^ ]+/.exec(err)?.[0] ?? '';
    const report = await experiment('export', id, '--format', 'html');
    expect(report.out).toContain('2 runs did not run: Model &quot;gone&quot; is missing.');
    expect(report.out).toContain('<td class="">Did not run</td>');
  });

  it('deletes an experiment, alone or with its runs', async () => {
    const plan = planFile('thrown.yaml', 'name: Thrown\nmode: prompt\ntask: Which?\nmodels: [knows]\n');
    const runs = async () =>
      ((await (await loupe.request('/api/runs?text=thrown')).json()) as RunListReply).runs.length;
    const before = await runs();
    for (const [args, words, left] of [
      [[], 'Its runs are kept.', before + 1],
      [['--runs'], 'with 1 run.', before + 1],
    ] as const) {
      const id = /^[^ ]+/.exec((await experiment('run', plan)).err)?.[0] ?? '';
      const { code, err } = await experiment('delete', id, ...args);
      expect([code, err]).toEqual([0, expect.stringContaining(words)]);
      expect(await runs()).toBe(left);
      const gone = await experiment('delete', id);
      expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('There is no experiment')]);
    }
  });

  it.each([
    ['a missing file', ['run', 'nothing.yaml'], /cannot be read/],
    [
      'a missing suite',
      ['run', 'PLAN:name: x\nmodels: [a]\nsuite: {file: gone.yaml}'],
      /gone.yaml cannot be read/,
    ],
    ['an unknown field', ['run', 'PLAN:name: x\nmodels: [a]\nrepeets: 2'], /line 3: repeets: unknown field/],
    ['an unknown study', ['study', 'multistep', '--model', 'a'], /did you mean "multi-step"\?/],
    ['a study without a model', ['study', 'guards'], /Name the model/],
    ['an unknown format', ['export', 'x', '--format', 'pdf'], /must be one of csv/],
    ['a rate over 1', ['results', 'x', '--fail-under', '80'], /from 0 to 1/],
    ['an unknown action', ['begin'], /Usage: loupe experiment run PLAN/],
  ])('refuses %s', async (_, [action, given, ...rest], problem) => {
    const isText = given?.startsWith('PLAN:') ?? false;
    const path = isText ? planFile('bad.yaml', given?.slice(5) ?? '') : given;
    const args = [action, path, ...rest].filter((arg) => arg !== undefined);
    const { code, err } = await experiment(...args);
    expect([code, err]).toEqual([2, expect.stringMatching(problem)]);
  });

  it.each(STUDIES.map(({ name }) => name))(
    'the study %s runs whole on the demo model',
    async (name) => {
      const { code, out, err } = await experiment('study', name, '--model', 'loupe-demo-answer', '--small');
      expect([code, err]).toEqual([0, expect.stringContaining('finished')]);
      expect(out).toMatch(/^cell/);
    },
    120_000,
  );

  it('continues when the server is restarted', async () => {
    const release = ollama.hold('knows', { turn: 0 });
    const plan = planFile('held.yaml', 'name: Held\nmodels: [knows]\nmode: prompt\ntask: Which room?\n');
    const running = begun('run', plan);
    await expect.poll(() => running.got.err, { timeout: 30_000 }).toContain('running  0 of 1 run');
    const { port, dataDir } = loupe;
    await loupe.stop('SIGKILL');
    await expect.poll(() => running.got.err, { timeout: 30_000 }).toContain('Connection lost');
    loupe = await startLoupe({ ollamaUrl: ollama.url, port, dataDir });
    release();
    const { code, out, err } = await running.ended;
    expect([code, err]).toEqual([0, expect.stringContaining('finished  1 of 1 run')]);
    expect(out).toMatch(/^cell +passed +rate/);
  });
});

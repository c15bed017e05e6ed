import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GET as getFacets } from '../../app/api/facets/route.ts';
import { POST as importRun } from '../../app/api/import/route.ts';
import { GET as exportRun } from '../../app/api/runs/[runId]/export/route.ts';
import { GET as getFork } from '../../app/api/runs/[runId]/fork/route.ts';
import { GET as getRun, PATCH as patchRun } from '../../app/api/runs/[runId]/route.ts';
import { GET as listRuns } from '../../app/api/runs/route.ts';
import { POST as annotateSelection } from '../../app/api/selection/annotate/route.ts';
import { POST as deleteSelection } from '../../app/api/selection/delete/route.ts';
import { GET as exportSelection } from '../../app/api/selection/export/route.ts';
import { POST as restoreSelection } from '../../app/api/selection/restore/route.ts';
import { setRunService } from '../app/current-service.ts';
import { Shares } from '../sharing/links/shares.ts';
import { setSharing } from '../sharing/listener/current-sharing.ts';
import { Sharing } from '../sharing/listener/sharing.ts';
import { pngImage } from '../testing/sample-images.ts';
import { openTestService, scripted, type TestService } from '../testing/test-service.ts';
import { unzip } from '../testing/unzip.ts';
import { setGate } from './current-gate.ts';
import { testGate } from './test-gate.ts';

const token = 'operator-token-0123456789abcdef';
const host = '127.0.0.1:4120';

let test: TestService;
let closed: string[];
beforeEach(async () => {
  closed = [];
  test = await openTestService(scripted([]), { undoMs: 60_000 });
  setRunService(test.service);
  const shares = new Shares({ store: test.store, redaction: {}, now: Date.now });
  shares.onGone(({ runId = '' }) => closed.push(runId));
  const settings = { host: '127.0.0.1', port: 0, url: undefined, clientHeader: undefined };
  setSharing(new Sharing({ shares, settings, newServer: () => createServer() }));
  setGate(testGate({ token, port: 4120 }));
});
afterEach(() => test.dispose());

function request(path: string, options: { method?: string; json?: unknown; lines?: string } = {}): Request {
  const { json, lines, method = json === undefined && lines === undefined ? 'GET' : 'POST' } = options;
  return new Request(`http://${host}${path}`, {
    method,
    body: lines ?? (json === undefined ? undefined : JSON.stringify(json)),
    headers: {
      host,
      authorization: `Bearer ${token}`,
      'content-type': lines === undefined ? 'application/json' : 'application/x-ndjson',
    },
  });
}
const ofRun = (runId: string) => ({ params: Promise.resolve({ runId }) });
const patch = (runId: string, json: unknown) =>
  patchRun(request(`/api/runs/${runId}`, { method: 'PATCH', json }), ofRun(runId));
const list = async (query = '') => (await listRuns(request(`/api/runs?${query}`))).json();
const idsOf = ({ runs }: { runs: { id: string }[] }) => runs.map(({ id }) => id);

async function finished(task: string): Promise<string> {
  const id = await test.start({ task });
  await test.service.ended(id, new AbortController().signal);
  return id;
}

it('PATCH changes what is noted about a run, in lists, on its page and in its run file', async () => {
  const id = await finished('Count.');
  const change = { title: ' Counting ', tags: ['b', ' a'], note: 'Line 1\nLine 2', score: 10, pinned: true };
  const response = await patch(id, change);
  const annotations = { ...change, title: 'Counting', tags: ['a', 'b'] };
  expect(await response.json()).toMatchObject({ run: { id, title: 'Counting', annotations } });
  expect((await list('tag=a,b')).runs).toMatchObject([{ id, annotations }]);
  expect(await (await getRun(request('/'), ofRun(id))).json()).toMatchObject({ run: { annotations } });
  expect(await (await getFacets(request('/'))).json()).toMatchObject({
    tags: [
      { name: 'a', runs: 1 },
      { name: 'b', runs: 1 },
    ],
  });

  const exported = async (query = '') =>
    (await exportRun(request(`/api/runs/${id}/export?format=run${query}`), ofRun(id))).text();
  const file = await exported();
  const { pinned, ...noted } = annotations;
  expect(JSON.parse(file.split('\n')[0] ?? '')).toMatchObject({ run_id: id, annotations: noted });
  for (const part of ['&redact=1', '&scope=summary']) {
    expect((await exported(part)).split('\n')[0]).not.toContain('annotations');
  }
  await test.service.delete(id);
  expect((await importRun(request('/api/import', { lines: file }))).status).toBe(201);
  expect(await exported()).toBe(file);

  const cleared = await (await patch(id, { title: null, tags: [], note: '', score: null })).json();
  expect(cleared.run).not.toHaveProperty('annotations');
  expect(cleared.run.title).toBe('Count.');
});

it('PATCH changes some tags beside other notes, all of it or nothing', async () => {
  const id = await finished('Count.');
  await patch(id, { tags: ['a', 'b'] });
  const annotations = { tags: ['b', 'c'], score: 7 };
  expect(await (await patch(id, { add_tags: ['c'], remove_tags: ['a'], score: 7 })).json()).toMatchObject({
    run: { annotations },
  });
  expect((await patch(id, { add_tags: ['d'], score: 11 })).status).toBe(400);
  const many = Array.from({ length: 20 }, (_, index) => `t${index}`);
  expect((await patch(id, { add_tags: many, score: 8 })).status).toBe(409);
  expect(await (await getRun(request('/'), ofRun(id))).json()).toMatchObject({ run: { annotations } });
});

it('refuses parameters that contradict each other or have no effect', async () => {
  const id = await finished('Count.');
  const messageOf = async (response: Response) => [response.status, (await response.json()).error?.message];
  const fork = async (query: string) =>
    messageOf(await getFork(request(`/api/runs/${id}/fork?${query}`), ofRun(id)));
  const which = 'Set one of ?seq=, ?before_iteration=, ?before_cycle=, ?before_call= or ?end=1.';
  expect(await fork('')).toEqual([400, which]);
  expect(await fork('seq=3&end=1')).toEqual([400, which]);
  expect(await fork('before_iteration=1&before_cycle=1')).toEqual([400, which]);
  expect(await fork('seq=3&attempt=1')).toEqual([400, 'attempt needs before_iteration.']);
  expect(await fork('end=2')).toEqual([400, 'end is "2"; it must be one of 1.']);
  const exported = async (query: string) =>
    messageOf(await exportRun(request(`/api/runs/${id}/export?${query}`), ofRun(id)));
  expect(await exported('format=scenario&content=1')).toEqual([400, 'content needs format=spans.']);
});

it('a run file without prompts and results has none of their images, and can be imported', async () => {
  const images = [{ name: 'chart.png', data: pngImage().toString('base64') }];
  const id = await test.start({ task: 'Look.', images });
  await test.service.ended(id, new AbortController().signal);
  const exported = async (scope: string) =>
    (await exportRun(request(`/api/runs/${id}/export?format=run&scope=${scope}`), ofRun(id))).text();
  const [whole, summary] = [await exported('everything'), await exported('summary')];
  const hash = (await test.service.stored.get(id)).config.images?.[0]?.hash ?? '';
  expect(whole).toContain(hash);
  expect(summary).not.toContain(hash);
  for (const lines of [summary, whole]) {
    await test.service.delete(id);
    expect((await importRun(request('/api/import', { lines }))).status).toBe(201);
  }
});

it.each([
  [{}, 'Name at least one field'],
  [{ score: 11 }, 'score'],
  [{ score: 5.5 }, 'score'],
  [{ tags: ['a,b'] }, 'commas'],
  [{ tags: [''] }, 'empty'],
  [{ tags: ['\u202e'] }, 'control'],
  [{ title: 'a\nb' }, 'one line'],
  [{ note: 'x'.repeat(4001) }, 'note'],
  [{ phase: 'ended' }, 'phase'],
])('PATCH rejects %j', async (change, message) => {
  const response = await patch(await finished('Count.'), change);
  expect(response.status).toBe(400);
  expect((await response.json()).error.message).toContain(message);
});

it('runs at work can be annotated, and followers of the list hear of it', async () => {
  const id = await finished('Count.');
  const leaving = new AbortController();
  const feed = await test.service.follow({ topics: new Map(), list: true, signal: leaving.signal });
  await feed.next(1000);
  await patch(id, { tags: ['seen'] });
  expect(await feed.next(5000)).toMatchObject([
    { kind: 'run', summary: { id, annotations: { tags: ['seen'] } } },
  ]);
  leaving.abort();
});

it('archived runs are left out of the list unless asked for', async () => {
  const [a, b] = [await finished('A'), await finished('B')];
  await annotateSelection(
    request('/api/selection/annotate', { json: { runs: [a], archived: true, add_tags: ['old'] } }),
  );
  expect(idsOf(await list())).toEqual([b]);
  expect(idsOf(await list('archived=only'))).toEqual([a]);
  expect(idsOf(await list('archived=all&sort=title'))).toEqual([a, b]);
  expect(await list('archived=some')).toMatchObject({ error: { code: 'invalid_request' } });
});

it('sorts page by page while runs arrive, and refuses the token of another order', async () => {
  const ids = [await finished('c'), await finished('a'), await finished('é')];
  const first = await list('sort=title&limit=2');
  expect(idsOf(first)).toEqual([ids[1], ids[0]]);
  await finished('b');
  expect(idsOf(await list(`sort=title&limit=2&before=${first.next}`))).toEqual([ids[2]]);
  expect(await list(`before=${first.next}`)).toMatchObject({ error: { code: 'invalid_request' } });
  expect(await list('sort=size')).toMatchObject({ error: { code: 'invalid_request' } });
});

it('deleted runs are gone at once and come back, even after a restart, until they are purged', async () => {
  const [a, b] = [await finished('A'), await finished('B')];
  const response = await deleteSelection(request('/api/selection/delete', { json: { runs: [a, b] } }));
  const { undo_until } = await response.json();
  expect(undo_until).toBeGreaterThan(Date.now());
  expect(closed).toEqual([a, b]);
  expect(idsOf(await list())).toEqual([]);
  expect((await getRun(request('/'), ofRun(a))).status).toBe(404);

  await test.restart();
  setRunService(test.service);
  await test.service.resumeUnfinished();
  const restore = () => restoreSelection(request('/api/selection/restore', { json: { runs: [a] } }));
  expect(await (await restore()).json()).toEqual({ restored: [a] });
  expect(idsOf(await list())).toEqual([a]);
  expect((await restore()).status).toBe(404);
  await test.store.purgeRuns(undo_until);
  expect(await test.store.restoreRuns([b])).toEqual([]);
});

it('a start permanently deletes runs whose time to undo is over', async () => {
  const id = await finished('A');
  await test.store.hideRuns([id], Date.now() - 120_000);
  await test.restart();
  await test.service.resumeUnfinished();
  await vi.waitFor(async () => expect(await test.store.restoreRuns([id])).toEqual([]));
});

it('exports several runs as one zip file', async () => {
  const ids = [await finished('A'), await finished('B')];
  const response = await exportSelection(request(`/api/selection/export?runs=${ids.join(',')}`));
  expect(response.headers.get('content-type')).toBe('application/zip');
  const files = unzip(Buffer.from(await response.arrayBuffer()));
  expect([...files.keys()]).toEqual(ids.map((id) => `loupe-${id}.jsonl`));
  for (const id of ids) {
    const single = await exportRun(request(`/api/runs/${id}/export?format=run`), ofRun(id));
    expect(files.get(`loupe-${id}.jsonl`)).toBe(await single.text());
  }
  expect((await exportSelection(request('/api/selection/export?runs='))).status).toBe(400);
  expect((await exportSelection(request('/api/selection/export?runs=none'))).status).toBe(404);
});

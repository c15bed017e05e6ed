import type { Page } from '@playwright/test';
import type { ExperimentReply } from '../../lib/api/experiment.ts';
import type { ShareReply } from '../../lib/api/share.ts';
import { Loupe } from '../../lib/client/loupe.ts';
import type { FakeOllama } from '../../lib/demo/fake-ollama.ts';
import { completedLog } from '../../lib/testing/sample-logs.ts';
import { exploreLog } from '../../lib/testing/sample-modes.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import type { LoupeServer } from '../loupe-server.ts';
import { misfits, overlaps } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';

const lines = (what: string) => Array.from({ length: 12 }, (_, index) => `${what} ${index + 1}`).join('\n');
const NAME = `${lines('evil')}\n${'x'.repeat(300)}\u202e\u001b[2J`;
const MESSAGE = `${lines('Line of an error')}\n\u202e\u001b[2J${'y'.repeat(300)}`;
/** The maximum length of a model name. */
const MODEL = `zz ${NAME}`.slice(0, 290);
const AUTO_RUN = `${lines('folder')}${'z'.repeat(100)}/.envrc`;

interface Planted {
  done: string;
  failed: string;
  imported: string;
  waiting: string;
  experiment: string;
  share: string;
}

/** Names and messages of twelve lines, wherever untrusted sources can provide one. */
async function plant(loupe: LoupeServer, ollama: FakeOllama, folder: string): Promise<Planted> {
  ollama.add({
    name: 'hostile-names',
    model: MODEL,
    steps: [
      {
        reply: {
          content: NAME,
          tool_calls: [
            { name: NAME, arguments: { [NAME]: NAME } },
            { name: 'read_file', arguments: { path: NAME.slice(0, 200) } },
            { name: 'write_file', arguments: { path: AUTO_RUN, content: NAME } },
          ],
        },
      },
      { reply: { content: `The task is completed. ${NAME}` } },
    ],
  });
  ollama.add({
    name: 'hostile-error',
    steps: [{ fault: { kind: 'http', status: 400, body: MESSAGE } }],
  });
  ollama.add({
    name: 'hostile-call',
    steps: [{ reply: { tool_calls: [{ name: 'write_file', arguments: { path: NAME, content: NAME } }] } }],
  });
  const done = await finishRun(loupe, {
    title: NAME.slice(0, 200),
    task: NAME,
    model: MODEL,
    workspace: folder,
  });
  const failed = await finishRun(loupe, { task: `Fail. ${NAME}`, model: 'hostile-error' });
  const waiting = await startRun(loupe, {
    task: `Wait. ${NAME}`,
    model: 'hostile-call',
    workspace: folder,
    approval: { tools: { write_file: 'ask' } },
  });
  const { events } = completedLog({
    runId: 'hostile-import',
    config: { title: NAME.slice(0, 200), task: NAME, model: MODEL, workspace: `/home/${NAME}` },
  });
  const file = events.map((event) => JSON.stringify(event)).join('\n');
  const imported = await new Loupe({ url: loupe.url, token: loupe.token }).import(new Blob([file]));
  const experiment = await made<ExperimentReply>(loupe, '/api/experiments', {
    name: lines('study'),
    mode: 'prompt',
    task: NAME,
    models: [MODEL],
    repeats: 1,
  });
  const share = await made<ShareReply>(loupe, `/api/runs/${done.id}/shares`, {});
  return {
    done: done.id,
    failed: failed.id,
    imported: imported.id,
    waiting: waiting.id,
    experiment: experiment.experiment.id,
    share: share.share.url ?? '',
  };
}

async function made<Reply>(loupe: LoupeServer, path: string, json: unknown): Promise<Reply> {
  const answer = await loupe.request(path, { json });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return (await answer.json()) as Reply;
}

/** The pages that show these names and messages, each in the relevant state. */
function visits(planted: Planted): { name: string; open: (page: Page) => Promise<void> }[] {
  const openRun = async (page: Page, id: string) => {
    const view = new RunView(page);
    await view.open(id);
    return view;
  };
  return [
    {
      name: 'the list of runs',
      open: async (page) => {
        await page.goto('/');
        await expect(page.getByRole('link', { name: /^Fail/ })).toBeVisible();
      },
    },
    {
      name: 'a run that ended',
      open: async (page) => {
        const view = await openRun(page, planted.done);
        await expect(view.end.getByRole('region', { name: 'Auto-run files' })).toBeVisible();
      },
    },
    {
      name: 'its first calls, unfolded',
      open: async (page) => {
        const view = await openRun(page, planted.done);
        await expect(view.connection('Complete')).toBeVisible();
        const row = await view.reveal(view.row('read_file, failed'));
        await expect(row.getByRole('group', { name: 'Arguments', exact: true })).toBeVisible();
        await view.reveal(view.row('Model call 1, ended'));
        await expect(view.timeline.getByRole('list', { name: 'Not taken as calls' })).toBeVisible();
      },
    },
    {
      name: 'a run that failed',
      open: async (page) => {
        const view = await openRun(page, planted.failed);
        await view.expectEnd('The run failed', 'error');
      },
    },
    {
      name: 'a failed call',
      open: async (page) => {
        const view = await openRun(page, planted.failed);
        await expect(view.connection('Complete')).toBeVisible();
        await view.reveal(view.row(/^Model call 1/));
      },
    },
    {
      name: 'a call that waits for approval',
      open: async (page) => {
        await openRun(page, planted.waiting);
        await expect(page.getByRole('button', { name: 'Approve once', exact: true })).toBeVisible();
      },
    },
    {
      name: 'an imported run',
      open: async (page) => {
        const view = await openRun(page, planted.imported);
        await expect(view.connection('Complete')).toBeVisible();
        await expect(page.getByRole('note').filter({ hasText: 'It is read-only.' })).toBeVisible();
      },
    },
    {
      name: 'an imported run made again with changes',
      open: async (page) => {
        await page.goto(`/runs/new?from=${planted.imported}`);
        await expect(page.getByText('The imported file names the folder')).toBeVisible();
      },
    },
    {
      name: 'the models',
      open: async (page) => {
        await page.goto('/models');
        await expect(page.getByRole('link', { name: /^New run with zz/ })).toBeVisible();
      },
    },
    {
      name: 'the health',
      open: async (page) => {
        await page.goto('/health');
        await expect(page.getByText('Ollama: good')).toBeAttached();
      },
    },
    {
      name: 'the experiments',
      open: async (page) => {
        await page.goto('/experiments');
        await expect(page.getByRole('link', { name: /^study 1/ }).first()).toBeVisible();
      },
    },
    {
      name: 'an experiment',
      open: async (page) => {
        await page.goto(`/experiments/${planted.experiment}`);
        await expect(page.getByRole('heading', { name: /^study 1/ })).toBeVisible();
      },
    },
    {
      name: 'two runs compared',
      open: async (page) => {
        await page.goto(`/compare?a=${planted.done}&b=${planted.failed}`);
        await expect(page.getByRole('table', { name: 'Figures' })).toBeVisible();
      },
    },
    {
      name: 'what is shared',
      open: async (page) => {
        await page.goto('/shares');
        await expect(page.getByRole('button', { name: 'Revoke' })).toBeVisible();
      },
    },
    {
      name: 'forking',
      open: async (page) => {
        await openRun(page, planted.imported);
        await new RunView(page).chooseNext('Fork before the answer');
        await expect(page.getByRole('button', { name: 'Start the fork' })).toBeInViewport();
      },
    },
  ];
}

test('names and messages of twelve lines do not break a page 360 or 1280 pixels wide', async ({
  page,
  loupe,
  ollama,
  workspace,
  browser,
}) => {
  test.setTimeout(600_000);
  const narrow = { width: 360, height: 800 };
  const planted = await plant(loupe, ollama, workspace());
  const look = async (name: string, seen: Page) => {
    for (const width of [360, 1280]) {
      await seen.setViewportSize({ width, height: 800 });
      const at = `${name} at ${width}`;
      const found = { ...(await misfits(seen)), overlaps: await overlaps(seen) };
      expect.soft({ at, ...found }).toEqual({ at, overflow: 0, outside: [], sideways: [], overlaps: [] });
      await expectAccessible(seen);
    }
  };
  for (const { name, open } of visits(planted)) {
    await test.step(name, async () => {
      await page.setViewportSize(narrow);
      await open(page);
      await look(name, page);
    });
  }
  await test.step('a shared run', async () => {
    const context = await browser.newContext({ viewport: narrow });
    const shared = await context.newPage();
    await shared.goto(planted.share);
    await expect(shared.getByRole('article').first()).toBeVisible();
    await look('a shared run at its task', shared);
    await shared.keyboard.press('Shift+G');
    await expect(shared.getByRole('region', { name: 'How the run ended' })).toBeVisible();
    await look('a shared run at its end', shared);
    await context.close();
  });
});

test('the end card lists auto-run files with links to the calls that wrote them', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const write = (path: string) => ({ name: 'write_file', arguments: { path, content: '{}' } });
  ollama.add({
    name: 'auto-run',
    steps: [
      {
        reply: {
          tool_calls: [write('.envrc'), write('notes.md'), write('deep/package.json'), write(AUTO_RUN)],
        },
      },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  const { id } = await finishRun(loupe, { task: 'Set up', model: 'auto-run', workspace: workspace() });
  const view = new RunView(page);
  await view.open(id);
  const listed = view.end.getByRole('region', { name: 'Auto-run files' });
  await expect(listed.getByRole('listitem')).toHaveText([
    /^\.envrcwrite_file \(#\d+\)$/,
    /^deep\/package\.jsonwrite_file \(#\d+\)$/,
    /^folder 1 ⏎ folder 2 .*…/,
  ]);
  await listed.getByRole('button', { name: 'Show all' }).press('Enter');
  await expect(listed).toContainText('folder 12zzz');
  await listed
    .getByRole('link', { name: /write_file/ })
    .nth(1)
    .click();
  await expect(view.row('write_file, succeeded').filter({ hasText: 'deep/package.json' })).toBeInViewport();
});

test('a long message from Ollama is truncated and can be expanded by keyboard', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'long-error',
    steps: [{ fault: { kind: 'http', status: 400, body: MESSAGE } }],
  });
  const { id } = await finishRun(loupe, { task: 'Fail', model: 'long-error' });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The run failed', 'error');
  await expect(view.end).not.toContainText('Line of an error 12');
  await view.end.getByRole('button', { name: 'Show all' }).first().press('Enter');
  await expect(view.end).toContainText('Line of an error 12');
  await expect(view.end).toContainText('RLO');
  await expectAccessible(page);
});

test('calls of tools that are named like members of every object are counted, and long names stay on their line', async ({
  page,
  loupe,
}) => {
  const names = ['constructor', '__proto__', NAME];
  const { events } = exploreLog(6, { runId: 'named-like-members' });
  let renamed = 0;
  const calls = events.map((event) =>
    event.type === 'tool-call.started' && renamed < names.length
      ? { ...event, tool: names[renamed++] ?? '' }
      : event,
  );
  const file = calls.map((event) => JSON.stringify(event)).join('\n');
  await new Loupe({ url: loupe.url, token: loupe.token }).import(new Blob([file]));
  const view = new RunView(page);
  await view.open('named-like-members');
  const strip = page.getByRole('region', { name: 'Cycles', exact: true });
  await expect(strip.getByText('constructor', { exact: true })).toBeVisible();
  const drawn = await strip
    .locator('svg rect')
    .evaluateAll((bars) => bars.map((bar) => `${bar.getAttribute('y')} ${bar.getAttribute('height')}`));
  expect(drawn.filter((place) => place.includes('NaN'))).toEqual([]);
  expect(await misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });
});

import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { SuiteListReply, SuiteReply } from '../../lib/api/suite.ts';
import { holdReply } from '../delay-reply.ts';
import { openExperimentForm } from '../experiment-form.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { addBasics } from '../furnish.ts';
import type { LoupeServer } from '../loupe-server.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

const suites = async (loupe: LoupeServer) =>
  ((await (await loupe.request('/api/suites')).json()) as SuiteListReply).suites;

const suiteOf = async (loupe: LoupeServer, id: string) =>
  (await (await loupe.request(`/api/suites/${id}`)).json()) as SuiteReply;

/** Holds requests of a method until the returned function is called. */
async function holdRequests(page: Page, method: string, path: string): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (route.request().method() !== method) return route.fallback();
      await gate.promise;
      await route.continue();
    },
  );
  return gate.resolve;
}

test.afterEach(async ({ loupe }) => {
  for (const { id } of await suites(loupe)) {
    await loupe.request(`/api/suites/${id}`, { method: 'DELETE', json: {} });
  }
});

test('a file with mistakes is refused with their places, and a good one is imported, edited and exported', async ({
  page,
  loupe,
}) => {
  const good = [
    { id: 'first', input: 'Write a.txt', tags: ['edit'], checks: [{ type: 'file_exists', path: 'a.txt' }] },
    { id: 'second', input: 'What is 2+2?', target: '4', mode: 'prompt', tags: ['answer'] },
  ];
  const lines = (cases: object[]) => cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

  await test.step('a bad file', async () => {
    await page.goto('/suites');
    await expect(page.getByRole('heading', { name: 'Basics' })).toBeVisible();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const bad = lines([...good, { id: 'first', inputs: 'x', checks: [{ type: 'file_exist', path: 'a' }] }]);
    await page.getByLabel('Suite file').setInputFiles(file('bad.jsonl', bad));
    const alert = page.getByRole('main').getByRole('alert');
    await expect(alert).toContainText('line 3: case "first": inputs: unknown field. Did you mean "input"?');
    await expect(alert).toContainText('checks.0.type: must be one of');
    await expectAccessible(page);
    // A new suite has nothing to do with it.
    await page.getByRole('button', { name: 'New suite' }).click();
    const dialog = page.getByRole('dialog', { name: 'New suite' });
    await expect(dialog).toBeVisible();
    await expect(dialog.getByRole('alert')).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
  });

  await test.step('a good file', async () => {
    await page.getByLabel('Suite file').setInputFiles(file('Our cases.jsonl', lines(good)));
    await expect(page.getByRole('heading', { name: 'Our cases' })).toBeVisible();
    await expect(page.getByText('Write a.txt')).toBeVisible();
    await expectAccessible(page);
  });
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';

  await test.step('filtered', async () => {
    await page.getByLabel('Filter cases by tag').selectOption('answer');
    await expect(page.getByText('1 of 2 cases')).toBeVisible();
    await expect(page.getByText('Write a.txt')).toBeHidden();
    await page.getByLabel('Filter cases by tag').selectOption('');
  });

  await test.step('a case edited', async () => {
    await page.getByRole('button', { name: 'Edit first' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit case' });
    await dialog.getByLabel('ID', { exact: true }).fill('second');
    await dialog.getByRole('button', { name: 'Save case' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Another case has this ID');
    await dialog.getByLabel('ID', { exact: true }).fill('first');
    await dialog.getByRole('textbox', { name: 'Task' }).fill('Write b.txt');
    await dialog.getByLabel('Path of check 1').fill('b.txt');
    await dialog.getByRole('button', { name: 'Add a file' }).click();
    await dialog.getByLabel('Path of file 1').fill('notes/n.md');
    await dialog.getByLabel('Text of file 1').fill('hello');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save case' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText('Write b.txt')).toBeVisible();
    const { cases, versions } = await suiteOf(loupe, id);
    expect(cases[0]).toEqual({
      ...good[0],
      input: 'Write b.txt',
      files: { 'notes/n.md': 'hello' },
      checks: [{ type: 'file_exists', path: 'b.txt' }],
    });
    expect(versions).toHaveLength(2);
  });

  await test.step('one duplicated, one deleted', async () => {
    const row = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: 'Edit second', exact: true }) });
    await row.getByRole('button', { name: 'More for second', exact: true }).click();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save case' }).click();
    await expect(page.getByRole('button', { name: 'Edit second-2' })).toBeVisible();
    await row.getByRole('button', { name: 'More for second', exact: true }).click();
    await row.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Edit second', exact: true })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Edit first' })).toBeFocused();
  });

  await test.step('exported, as it is stored', async () => {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'YAML' }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(text).toContain('format: loupe-suite/1\nname: Our cases\ncases:\n  - id: first\n');
    const reply = await loupe.request('/api/suites', { json: { text, format: 'yaml' } });
    const again = (await reply.json()) as SuiteReply;
    expect(again.suite.hash).toBe((await suiteOf(loupe, id)).suite.hash);
  });

  await test.step('deleted, once a question is answered', async () => {
    const ask = async () => {
      await page.getByRole('button', { name: 'More', exact: true }).first().click();
      await page.getByRole('button', { name: 'Delete suite' }).click();
      return page.getByRole('dialog', { name: 'Delete this suite?' });
    };
    await (await ask()).getByRole('button', { name: 'Keep it' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
    await suiteOf(loupe, id);
    await (await ask()).getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page).toHaveURL(/\/suites$/);
    expect((await loupe.request(`/api/suites/${id}`)).status).toBe(404);
  });
});

test('a run is added as a case to the suite Basics, once', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'suite-model', steps: [{ reply: { content: 'Done: the task is completed.' } }] });
  const run = await finishRun(loupe, { model: 'suite-model', task: 'Tidy up the notes', tier: 'trivial' });
  await page.goto('/suites');
  await page.getByRole('button', { name: 'Add Basics' }).click();
  await expect(page.getByText('40 cases · version')).toBeVisible();

  await new RunView(page).open(run.id);
  const end = page.getByRole('region', { name: 'How the run ended' });
  const open = async () => {
    await end.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Add to a suite' }).click();
  };
  await open();
  const dialog = page.getByRole('dialog', { name: 'Add to a suite' });
  await expect(dialog.getByLabel('Suite', { exact: true })).toBeVisible();
  await dialog.getByLabel('ID of the case').fill('notes.tidy');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add case' }).click();
  await expect(dialog).toBeHidden();
  const [basics] = await suites(loupe);
  const { cases } = await suiteOf(loupe, basics?.id ?? '');
  expect(cases.at(-1)).toEqual({
    id: 'notes.tidy',
    input: 'Tidy up the notes',
    settings: { tier: 'trivial' },
  });

  await open();
  await dialog.getByLabel('ID of the case').fill('notes.tidy');
  await dialog.getByRole('button', { name: 'Add case' }).click();
  await expect(dialog.getByRole('alert')).toContainText('already has a case "notes.tidy"');
});

test('the buttons of a suite are beside its name, also with a long description', async ({ page, loupe }) => {
  const id = await addBasics(loupe);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`/suites/${id}`);
  const run = await page.getByRole('link', { name: 'Run', exact: true }).boundingBox();
  const about = await page.getByText('Forty small tasks in eight groups').boundingBox();
  expect((run?.y ?? 0) + (run?.height ?? 0)).toBeLessThanOrEqual(about?.y ?? 0);
});

test('a suite reads well on a phone', async ({ page, loupe }) => {
  const reply = await loupe.request('/api/suites', { json: { shipped: 'basics' } });
  const { suite } = (await reply.json()) as SuiteReply;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/suites/${suite.id}`);
  await expect(page.getByRole('button', { name: 'Edit read.one-file' })).toBeVisible();
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBeLessThanOrEqual(360);
  await page.getByRole('button', { name: 'Edit read.one-file' }).click();
  await expect(page.getByRole('dialog', { name: 'Edit case' })).toBeVisible();
  await expectAccessible(page);
});

test('a case is not lost when the page is reloaded, or when another tab has saved the suite', async ({
  page,
  loupe,
}) => {
  const good = { id: 'first', input: 'Write a.txt' };
  const made = await loupe.request('/api/suites', { json: { suite: { name: 'Shared', cases: [good] } } });
  const { suite } = (await made.json()) as SuiteReply;
  await page.goto(`/suites/${suite.id}`);
  await page.getByRole('button', { name: 'Add case' }).click();
  const dialog = page.getByRole('dialog', { name: 'New case' });
  await dialog.getByLabel('ID', { exact: true }).fill('typed');
  await dialog.getByRole('textbox', { name: 'Task' }).fill('Write typed.txt');
  await page.reload();
  await page.getByRole('button', { name: 'Add case' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Task' })).toHaveValue('Write typed.txt');

  const body = { name: 'Shared', cases: [good, { id: 'other', input: 'Write b.txt' }] };
  await loupe.request(`/api/suites/${suite.id}`, { method: 'PUT', json: { suite: body, base: suite.hash } });
  await dialog.getByRole('button', { name: 'Save case' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Save again to make your change in the new version.');
  await expect(page.getByText('Write b.txt')).toBeAttached();
  await dialog.getByRole('button', { name: 'Save case' }).click();
  await expect(dialog).toBeHidden();
  const { cases } = await suiteOf(loupe, suite.id);
  expect(cases.map(({ id }) => id)).toEqual(['first', 'other', 'typed']);

  await page.getByRole('button', { name: 'Add case' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Task' })).toHaveValue('');
});

test('a case that is entered while another one is being deleted stays open, and both are saved', async ({
  page,
  loupe,
}) => {
  const cases = ['first', 'second', 'third'].map((id) => ({ id, input: `Write ${id}.txt` }));
  const made = await loupe.request('/api/suites', { json: { suite: { name: 'Busy', cases } } });
  const { suite } = (await made.json()) as SuiteReply;
  const path = `/api/suites/${suite.id}`;
  await page.goto(`/suites/${suite.id}`);
  const remove = async (id: string) => {
    await page.getByRole('button', { name: `More for ${id}`, exact: true }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
  };
  const deletion = await holdRequests(page, 'PUT', path);
  const reading = await holdRequests(page, 'GET', path);
  await remove('first');
  await page.getByRole('button', { name: 'Add case' }).click();
  const dialog = page.getByRole('dialog', { name: 'New case' });
  await dialog.getByLabel('ID', { exact: true }).fill('typed');
  await dialog.getByRole('textbox', { name: 'Task' }).fill('Write typed.txt');
  const answered = page.waitForResponse((response) => response.request().method() === 'PUT');
  deletion();
  await (await answered).finished();
  await twoFrames(page);
  await expect(dialog.getByRole('textbox', { name: 'Task' })).toHaveValue('Write typed.txt');
  // The page still has the version before the deletion.
  await expect(dialog.getByRole('button', { name: 'Save case' })).toBeDisabled();
  reading();
  await dialog.getByRole('button', { name: 'Save case' }).click();
  await expect(dialog).toBeHidden();
  await remove('second');
  await expect(page.getByRole('button', { name: 'Edit second', exact: true })).toBeHidden();
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
  expect((await suiteOf(loupe, suite.id)).cases.map(({ id }) => id)).toEqual(['third', 'typed']);
});

test('the form of an experiment shows no error of a suite that is no longer chosen', async ({
  page,
  loupe,
}) => {
  const cases = [{ id: 'first', input: 'Say it.' }];
  const add = async (name: string) => {
    const added = await loupe.request('/api/suites', { json: { suite: { name, cases } } });
    return ((await added.json()) as SuiteReply).suite.id;
  };
  const [gone, kept] = [await add('Deleted meanwhile'), await add('Still there')];
  await openExperimentForm(page);
  const form = page.getByRole('form', { name: 'New experiment' });
  await form.getByRole('radiogroup', { name: 'Work' }).getByText('A suite').click();
  const choice = form.getByLabel('Suite', { exact: true });
  const missing = page.getByText('There is no suite');
  await expect(choice).toContainText('Deleted meanwhile');
  await loupe.request(`/api/suites/${gone}`, { method: 'DELETE', json: {} });

  const release = await holdReply(page, `/api/suites/${gone}`);
  const late = page.waitForResponse((response) => response.url().endsWith(`/api/suites/${gone}`));
  await choice.selectOption(gone);
  await choice.selectOption(kept);
  release();
  await (await late).finished();
  await twoFrames(page);
  await expect(missing).toBeHidden();

  await choice.selectOption(gone);
  await expect(missing).toBeVisible();
  await choice.selectOption('');
  await expect(missing).toBeHidden();
});

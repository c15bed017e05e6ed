import type { Locator, Page } from '@playwright/test';
import type { ExperimentListReply, ExperimentReply } from '../../lib/api/experiment.ts';
import type { RunListReply } from '../../lib/api/replies.ts';
import type { SuiteReply } from '../../lib/api/suite.ts';
import { openExperimentForm } from '../experiment-form.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { loseFirstAnswer } from '../lose-answer.ts';
import { misfits } from '../page-fit.ts';

const figure = (page: Page, title: string) => page.locator(`figure[data-plot="${title}"]`);
const cells = (page: Page) => page.getByRole('region', { name: 'Results by cell' });
const results = (page: Page) => page.getByRole('region', { name: 'Results', exact: true });

const writes = (path: string) => ({
  reply: { tool_calls: [{ name: 'write_file', arguments: { path, content: 'x' } }] },
});
const finishes = { reply: { content: 'The task is completed.' } };

test('factors and checks are planned in the form, and answered by cell', async ({ page, ollama }) => {
  ollama.add({ name: 'right', steps: [writes('a.md'), finishes] });
  ollama.add({ name: 'wrong', steps: [writes('b.md'), finishes] });
  await openExperimentForm(page);
  const form = page.getByRole('form', { name: 'New experiment' });

  await test.step('the form names a factor that does not exist', async () => {
    await page.getByLabel('Name', { exact: true }).fill('Which writes the file?');
    await form
      .getByRole('radiogroup', { name: 'Mode', exact: true })
      .getByText('Task', { exact: true })
      .click();
    await page.getByRole('textbox', { name: 'Task', exact: true }).fill('Write a.md.');
    await page.getByRole('checkbox', { name: /^right/ }).check();
    await page.getByRole('checkbox', { name: /^wrong/ }).check();
    await page.getByLabel('Other factors').fill('stall_treshold: 3, 5');
    await page.getByRole('button', { name: 'Start experiment', exact: true }).click();
    await expect(form.getByText('Did you mean stall_threshold?')).toBeVisible();
    await expect(page.getByLabel('Other factors')).toBeFocused();
    await page.getByLabel('Other factors').fill('');
    await page.getByRole('combobox', { name: 'Add a factor' }).selectOption('stall_threshold');
    await expect(page.getByLabel('Other factors')).toHaveValue('stall_threshold: ');
    await page.getByLabel('Other factors').fill('stall_threshold: 3, 5');
  });

  await test.step('a reload keeps what was entered', async () => {
    await openExperimentForm(page);
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Which writes the file?');
    await expect(page.getByRole('textbox', { name: 'Task', exact: true })).toHaveValue('Write a.md.');
    await expect(page.getByRole('checkbox', { name: /^wrong/ })).toBeChecked();
    await expect(page.getByLabel('Other factors')).toHaveValue('stall_threshold: 3, 5');
  });

  await test.step('it counts runs, asks to confirm many, and takes checks', async () => {
    await page.getByRole('textbox', { name: 'Seeds' }).fill('1-200');
    await page.getByRole('textbox', { name: 'Repeats' }).fill('2');
    await form.getByRole('checkbox', { name: 'Start 1,600 runs' }).check();
    await page.getByRole('textbox', { name: 'Repeats' }).fill('3');
    await expect(form.getByRole('checkbox', { name: 'Start 2,400 runs' })).not.toBeChecked();
    await page.getByRole('textbox', { name: 'Repeats' }).fill('1');
    await page.getByRole('textbox', { name: 'Seeds' }).fill('1-2');
    await expect(form.getByText('8 runs')).toBeVisible();
    await expect(form.getByText(/time unknown/)).toBeVisible();
    await form.getByRole('button', { name: 'Add a check' }).click();
    await page.getByLabel('Kind of check 1').selectOption('file_exists');
    await page.getByLabel('Path of check 1').fill('a.md');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Start experiment', exact: true }).click();
  });

  await test.step('pass rates have intervals, plots and tables', async () => {
    // The list behind the form may have finished experiments of other stories.
    await expect(page.getByRole('heading', { name: 'Which writes the file?' })).toBeVisible();
    await expect(page.getByText('Finished')).toBeVisible({ timeout: 90_000 });
    await expect(cells(page).getByRole('row')).toHaveCount(5);
    await expect(page.getByText('Tokens, speed, cost and duration are medians')).toBeVisible();
    await expect(cells(page).getByRole('row').nth(1)).toContainText('stall_threshold 3');
    await expect(cells(page).getByRole('row').nth(1)).toContainText('2 of 2');
    await expect(cells(page).getByRole('row').nth(1)).toContainText('34% to 100%');
    await expect(cells(page).getByRole('row').nth(3)).toContainText('0 of 2');
    for (const title of ['Pass rate', 'Pass rate and duration', 'Endings']) {
      await expect(figure(page, title)).toBeVisible();
    }
    await test.step('plots side by side are aligned', async () => {
      const size = page.viewportSize();
      const rows = [
        ['Pass rate', 'Pass rate and duration'],
        ['Endings', 'Pass rate by stall_threshold'],
      ] as const;
      const top = async (within: Locator) => Math.round((await within.boundingBox())?.y ?? 0);
      for (const width of [1030, 1160, 1280, 1920]) {
        await page.setViewportSize({ width, height: 860 });
        for (const [left, right] of rows) {
          const tops = (title: string) =>
            Promise.all([
              top(figure(page, title).getByRole('heading')),
              top(figure(page, title).getByRole('slider')),
            ]);
          expect({ width, left, tops: await tops(left) }).toEqual({ width, left, tops: await tops(right) });
        }
      }
      await page.setViewportSize(size ?? { width: 1280, height: 860 });
    });
    const response = figure(page, 'Pass rate by stall_threshold');
    await response.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await expect(response).toContainText(
      'stall_threshold 3: right:latest 100% (2 of 2, 34% to 100%), wrong:latest 0% (0 of 2, 0% to 66%)',
    );
    await response.getByRole('button', { name: /show as a table/ }).click();
    await expect(response.getByRole('row')).toHaveCount(3);
    await expectAccessible(page);
  });

  await test.step('no plot leaves half of a row empty', async () => {
    const plots = page.getByRole('region', { name: 'Plots' });
    const [frame, last] = [await plots.boundingBox(), await figure(page, 'Distribution').boundingBox()];
    await expect(plots.getByRole('figure')).toHaveCount(5);
    expect(last?.width).toBe(frame?.width);
  });

  await test.step('a phone shows the pass rates beside the cells', async () => {
    const size = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 740 });
    const region = await cells(page).boundingBox();
    for (const name of ['Passed', '95% interval']) {
      const head = await cells(page).getByRole('columnheader', { name }).boundingBox();
      expect((head?.x ?? 0) + (head?.width ?? 0)).toBeLessThanOrEqual(
        (region?.x ?? 0) + (region?.width ?? 0),
      );
    }
    await expect(cells(page).getByRole('rowheader').first()).toContainText('stall_threshold 3');
    await page.setViewportSize(size ?? { width: 1280, height: 800 });
  });

  await test.step('a figure without data leaves the choice of another', async () => {
    const distribution = figure(page, 'Distribution');
    await distribution.getByRole('combobox', { name: 'Figure' }).selectOption('Cost');
    await expect(distribution).toContainText('No run has this figure.');
    await distribution.getByRole('combobox', { name: 'Figure' }).selectOption('Tool calls');
    await expect(distribution.getByRole('slider')).toBeVisible();
  });

  await test.step('two cells are compared by pairs, which lead to their runs', async () => {
    await page.getByRole('combobox', { name: 'Second cell' }).selectOption('3');
    const compared = page.getByRole('region', { name: 'Compare two cells' });
    await expect(compared).toContainText('+100 percentage points');
    await expect(compared).toContainText('p = 0.500 (exact McNemar)');
    await expect(compared.getByRole('link')).toHaveCount(2);
    await expect(compared.getByRole('link').first()).toHaveAttribute('href', /\/compare\?a=.+&b=/);
    await page.getByRole('combobox', { name: 'Second cell' }).selectOption('1');
    await expect(compared).toContainText('Choose two different cells.');
    await expect(compared).not.toContainText('percentage points');
  });

  await test.step('a cell leads to its runs', async () => {
    await cells(page).getByRole('link', { name: 'Cell 3: show its runs' }).click();
    await expect(page.getByRole('heading', { name: /Runs of cell 3/ })).toBeVisible();
    await expect(results(page).getByRole('row')).toHaveCount(3);
    await expect(results(page).getByRole('row').nth(1)).toContainText('wrong');
    await page.getByRole('link', { name: 'Show all' }).click();
    await expect(results(page).getByRole('row')).toHaveCount(9);
  });
});

test('starting again after the answer was lost opens the experiment that was started', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'lost-once', steps: [finishes] });
  await loseFirstAnswer(page, '**/api/experiments');
  await openExperimentForm(page);
  const form = page.getByRole('form', { name: 'New experiment' });
  await page.getByLabel('Name', { exact: true }).fill('Started only once');
  await form
    .getByRole('radiogroup', { name: 'Mode', exact: true })
    .getByText('Task', { exact: true })
    .click();
  await page.getByRole('textbox', { name: 'Task', exact: true }).fill('Say hello.');
  await page.getByRole('checkbox', { name: /^lost-once/ }).check();
  const start = page.getByRole('button', { name: 'Start experiment', exact: true });
  await start.click();
  await expect(form.getByText('The Loupe server does not answer.')).toBeVisible();
  await start.click();
  await expect(page.getByRole('heading', { name: 'Started only once' })).toBeVisible();
  const { experiments } = (await (await loupe.request('/api/experiments')).json()) as ExperimentListReply;
  const [first, ...others] = experiments.filter(({ name }) => name === 'Started only once');
  expect(others).toEqual([]);
  expect(new URL(page.url()).pathname).toBe(`/experiments/${first?.id}`);
});

test('an experiment is extended without repeating what is done', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'extended', steps: [{ reply: { content: 'Forty-two.' } }] });
  const answer = await loupe.request('/api/experiments', {
    json: {
      ...{ name: 'More of it', mode: 'prompt', task: 'Say it.', models: ['extended'] },
      factors: { temperature: [0] },
    },
  });
  const { experiment } = (await answer.json()) as ExperimentReply;
  await page.goto(`/experiments/${experiment.id}`);
  await expect(page.getByText('Finished')).toBeVisible({ timeout: 90_000 });
  const open = page.getByRole('button', { name: 'Extend' });
  await open.click();
  const form = page.getByRole('form', { name: 'Extend experiment' });
  await expect(form.getByLabel('Repeats in total')).toBeFocused();
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(open).toBeFocused();
  await page.keyboard.press('Enter');
  await form.getByLabel('Repeats in total').fill('0');
  await form.getByRole('button', { name: 'Add runs' }).click();
  await expect(form.getByText('A whole number from 1 to 200.')).toBeVisible();
  await form.getByLabel('Repeats in total').fill('2');
  await form.getByLabel('Further values').fill('temperature: 0.5');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Add runs' }).click();
  await expect(form).toBeHidden();
  await expect(page.getByText(/^4 of 4 runs/)).toBeVisible({ timeout: 90_000 });
  await expect(cells(page).getByRole('row').nth(2)).toContainText('temperature 0.5');
  const { items } = (await (
    await loupe.request(`/api/experiments/${experiment.id}`)
  ).json()) as ExperimentReply;
  expect(items.map(({ factors, repeat }) => [factors?.temperature, repeat])).toEqual([
    [0, 1],
    [0, 2],
    [0.5, 1],
    [0.5, 2],
  ]);
});

test('actions wait for each other, a failed reading can be tried again, and a page says that it is gone', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'stoppable', match: 'Hang', steps: [{ fault: { kind: 'hang' } }] });
  ollama.add({
    name: 'answers',
    model: 'stoppable',
    match: 'Answer',
    steps: [{ reply: { content: 'Yes.' } }],
  });
  const prompt = { mode: 'prompt', target: 'Yes' };
  const cases = [
    { id: 'first', input: 'Answer.', ...prompt },
    { id: 'second', input: 'Answer again.', ...prompt },
    { id: 'third', input: 'Hang.', ...prompt },
    { id: 'fourth', input: 'Hang on.', ...prompt },
  ];
  const added = await loupe.request('/api/suites', { json: { suite: { name: 'To stop', cases } } });
  const { suite } = (await added.json()) as SuiteReply;
  const json = { name: 'Stopped', suite: { id: suite.id }, models: ['stoppable'] };
  const answer = await loupe.request('/api/experiments', { json });
  const { experiment } = (await answer.json()) as ExperimentReply;
  const done = async () => {
    const read = await loupe.request(`/api/experiments/${experiment.id}?limit=0`);
    return ((await read.json()) as ExperimentReply).experiment.done;
  };
  await expect.poll(done, { timeout: 90_000 }).toBe(2);
  for (const plot of ['grid', 'distribution', 'cells'])
    await page.route(new RegExp(`/${plot}(\\?|$)`), (route) => route.abort(), { times: 1 });
  await page.goto(`/experiments/${experiment.id}`);

  await test.step('what could not be read says so, and is read again', async () => {
    await expect(page.getByText(/^2 of 4 runs/)).toBeVisible({ timeout: 90_000 });
    const again = page.getByRole('button', { name: 'Try again' });
    await again.click();
    await expect(again).toHaveCount(2);
    await again.first().click();
    await expect(again).toHaveCount(1);
    await again.click();
    await expect(again).toHaveCount(0);
    await expect(figure(page, 'Distribution')).toBeVisible();
  });

  await test.step('no action begins while another is under way', async () => {
    const { promise: asked, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/stop$/, async (route) => {
      await asked;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Stop now' }).click();
    for (const name of ['Stop now', 'Stop after this run', 'Extend'])
      await expect(page.getByRole('button', { name })).toBeDisabled();
    release();
    await expect(page.getByRole('button', { name: 'Continue' })).toBeFocused();
  });

  await test.step('a case whose run was stopped is not one without a result', async () => {
    const grid = figure(page, 'Cases by cell');
    await grid.getByRole('button', { name: /show as a table/ }).click();
    await expect(grid.getByRole('row', { name: /^first/ })).toContainText('1 of 1 passed');
    await expect(grid.getByRole('row', { name: /^third/ })).toContainText('stopped');
    await expect(grid.getByRole('row', { name: /^fourth/ })).toContainText('no result yet');
    await expectAccessible(page);
  });

  await test.step('deleted elsewhere', async () => {
    const gone = await loupe.request(`/api/experiments/${experiment.id}`, { method: 'DELETE', json: {} });
    expect(gone.status).toBe(200);
    await expect(page.getByRole('main').getByRole('alert')).toContainText('There is no experiment');
    await expect(page.getByRole('heading', { level: 1, name: /^There is no experiment/ })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'All experiments' })).toHaveAttribute('href', '/experiments');
    await expect(page.getByRole('heading', { name: 'Stopped' })).toHaveCount(0);
    await expectAccessible(page);
  });
});

test('more than a thousand runs are added once their number is confirmed', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'patient', steps: [{ fault: { kind: 'hang' } }] });
  const answer = await loupe.request('/api/experiments', {
    json: {
      ...{ name: 'A thousand', mode: 'prompt', task: 'Say it.', models: ['patient'], repeats: 100 },
      factors: { temperature: [0, 0.1, 0.2, 0.3, 0.4, 0.5] },
    },
  });
  const { experiment } = (await answer.json()) as ExperimentReply;
  const path = `/api/experiments/${experiment.id}`;
  await loupe.request(`${path}/stop`, { json: { force: true } });
  await page.goto(`/experiments/${experiment.id}`);
  await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Extend' }).click();
  const form = page.getByRole('form', { name: 'Extend experiment' });
  const add = form.getByRole('button', { name: 'Add runs' });
  const total = async () =>
    ((await (await loupe.request(`${path}?limit=0`)).json()) as ExperimentReply).experiment.total;
  await form.getByLabel('Repeats in total').fill('200');
  await add.click();
  await expect(form.getByLabel('Add 600 runs, 1,200 in total')).not.toBeChecked();
  await form.getByLabel('Repeats in total').fill('190');
  await add.click();
  const confirm = form.getByLabel('Add 540 runs, 1,140 in total');
  await expect(confirm).not.toBeChecked();
  expect(await total()).toBe(600);
  await confirm.check();
  await expectAccessible(page);
  await add.click();
  await expect(form).toBeHidden();
  expect(await total()).toBe(1140);
});

test('the focus stays with a long list of runs while more are shown', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'patient', steps: [{ fault: { kind: 'hang' } }] });
  const answer = await loupe.request('/api/experiments', {
    json: {
      ...{ name: 'A long list', mode: 'prompt', task: 'Say it.', models: ['patient'], repeats: 50 },
      factors: { temperature: [0, 0.1, 0.2, 0.3, 0.4] },
    },
  });
  const { experiment } = (await answer.json()) as ExperimentReply;
  await loupe.request(`/api/experiments/${experiment.id}/stop`, { json: { force: true } });
  await page.goto(`/experiments/${experiment.id}`);
  const more = page.getByRole('button', { name: 'Show more', exact: true });
  const held = Promise.withResolvers<void>();
  await page.route(/limit=200/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await more.press('Enter');
  await expect(page.getByText('100 of 250 runs')).toBeVisible();
  await expect(more).toBeFocused();
  held.resolve();
  await expect(page.getByText('200 of 250 runs')).toBeVisible();
  await expect(more).toBeFocused();
  await more.press('Enter');
  await expect(more).toHaveCount(0);
  const rows = page.getByRole('region', { name: 'Results', exact: true }).getByRole('row');
  await expect(rows).toHaveCount(251);
});

test('an experiment is deleted, its runs only if asked', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'thrown', pace: { prompt_ms: 3000 }, steps: [{ reply: { content: 'Gone soon.' } }] });
  const start = async (name: string) => {
    const json = { name, mode: 'prompt', task: 'Say it.', models: ['thrown'], repeats: 2 };
    const { experiment } = (await (
      await loupe.request('/api/experiments', { json })
    ).json()) as ExperimentReply;
    await page.goto(`/experiments/${experiment.id}`);
  };
  const runsLeft = async () =>
    ((await (await loupe.request('/api/runs?text=forget')).json()) as RunListReply).runs.length;
  const remove = page.getByRole('button', { name: 'Delete', exact: true });
  const dialog = page.getByRole('dialog', { name: 'Delete this experiment?' });

  await test.step('not while it runs, and its runs are kept', async () => {
    await start('Plan to forget');
    await expect(page.getByRole('button', { name: 'Stop now' })).toBeVisible();
    await expect(remove).toHaveCount(0);
    await expect(page.getByText('Finished')).toBeVisible({ timeout: 90_000 });
    await remove.click();
    await expect(dialog).toContainText('Its runs stay in the list of runs.');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await expect(remove).toBeFocused();
    await remove.click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page).toHaveURL(/\/experiments$/);
    await expect(page.getByRole('link', { name: 'Plan to forget' })).toHaveCount(0);
    expect(await runsLeft()).toBe(2);
  });

  await test.step('or deleted with it', async () => {
    await start('Runs to forget');
    await expect(page.getByText('Finished')).toBeVisible({ timeout: 90_000 });
    await remove.click();
    await dialog.getByRole('checkbox', { name: 'Also delete its runs' }).check();
    await expect(dialog).toContainText('Files in their workspaces are kept.');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page).toHaveURL(/\/experiments$/);
    expect(await runsLeft()).toBe(2);
  });
});

test('the results fit a phone, and long names can be told apart', async ({ page, loupe, ollama }) => {
  const models = ['q4-k-m', 'q8-0'].map((end) => `a-model-${'with-a-long-name-'.repeat(3)}${end}`);
  for (const name of models) ollama.add({ name, steps: [{ reply: { content: 'Yes.' } }] });
  const answer = await loupe.request('/api/experiments', {
    json: {
      ...{ name: 'On a phone', mode: 'prompt', task: 'Say it.', models, repeats: 2 },
      factors: { temperature: [0, 0.5, 1] },
    },
  });
  const { experiment } = (await answer.json()) as ExperimentReply;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/experiments/${experiment.id}`);
  await expect(page.getByText('Finished')).toBeVisible({ timeout: 90_000 });
  await page.getByRole('button', { name: 'Extend' }).click();
  await expect(figure(page, 'Pass rate by temperature')).toBeVisible();
  await expect.poll(() => misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });
  await expectAccessible(page);
  for (const title of ['Pass rate', 'Pass rate by temperature'])
    await expect(figure(page, title).getByRole('listitem')).toHaveText([/q4-k-m$/, /q8-0$/]);
  const cell = page.getByRole('combobox', { name: 'Second cell' }).getByRole('option');
  await expect(cell).toHaveText([...Array(3).fill(/-q4-k-m, temp/), ...Array(3).fill(/-q8-0, temp/)]);
});

test('runs of a missing model are not judged, and the page says why', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'installed', steps: [{ reply: { content: 'Yes.' } }] });
  const answer = await loupe.request('/api/experiments', {
    json: {
      ...{ name: 'One is missing', mode: 'prompt', task: 'Say it.', models: ['installed', 'gone'] },
      repeats: 2,
    },
  });
  const { experiment } = (await answer.json()) as ExperimentReply;
  await page.goto(`/experiments/${experiment.id}`);
  await expect(page.getByText('Finished')).toBeVisible({ timeout: 90_000 });
  await expect(page.getByRole('img', { name: '2 of 4 runs done, 2 did not run' })).toBeVisible();
  await expect(page.getByText('2 runs did not run: Model "gone" is missing. Run: ollama pull')).toBeVisible();
  await expect(cells(page).getByRole('row').nth(1)).toContainText('2 of 2');
  await expect(cells(page).getByRole('row').nth(2)).toContainText('did not run');
  await expect(results(page).getByRole('row').nth(3)).toContainText('Did not runModel "gone" is missing.');
  await expect(page.getByRole('region', { name: 'Compare two cells' })).toContainText(
    'No two runs with the same case, seed and repeat have a result in both cells.',
  );
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Experiments' }).last().click();
  const line = page.getByRole('listitem').filter({ hasText: 'One is missing' });
  await expect(line).toContainText('4 runs, 2 did not run');
  await line.getByRole('link').click();

  // Once the model is installed, its runs are started again.
  ollama.add({ name: 'gone', steps: [{ reply: { content: 'Here.' } }] });
  await page.getByRole('button', { name: 'Retry 2 runs that did not run' }).click();
  await expect(page.getByRole('img', { name: '4 of 4 runs done' })).toBeVisible({ timeout: 90_000 });
  await expect(cells(page).getByRole('row').nth(2)).toContainText('2 of 2');
  await expect(results(page).getByRole('row').nth(3)).toContainText('Answered');
  await expect(page.getByRole('button', { name: /^Retry/ })).toHaveCount(0);
});

test('an experiment that waits for another says when it was created, not that it started', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'busy', steps: [{ fault: { kind: 'hang' } }] });
  const plan = { mode: 'prompt', task: 'Say it.', models: ['busy'] };
  await loupe.request('/api/experiments', { json: { name: 'First', ...plan } });
  const answer = await loupe.request('/api/experiments', { json: { name: 'Second', ...plan } });
  const { experiment } = (await answer.json()) as ExperimentReply;
  await page.goto(`/experiments/${experiment.id}`);
  // The experiment and its only run.
  await expect(page.getByText('Waiting', { exact: true })).toHaveCount(2);
  await expect(page.getByText(/^Quick prompts · /)).toContainText('Created');
});

test('a suite is run from its page, some cases of it, and paired by case', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'blue', steps: [{ reply: { content: 'It is blue.' } }] });
  ollama.add({ name: 'red', steps: [{ reply: { content: 'It is red.' } }] });
  const prompt = { mode: 'prompt', tags: ['colours'] };
  const cases = [
    { id: 'sky', input: 'The sky?', target: 'blue', ...prompt },
    { id: 'blood', input: 'Blood?', target: ['red', 'crimson'], ...prompt },
    { id: 'grass', input: 'Grass?', target: 'green', ...prompt, tags: ['nature'] },
  ];
  const added = await loupe.request('/api/suites', { json: { suite: { name: 'Colour words', cases } } });
  const { suite } = (await added.json()) as SuiteReply;
  await page.goto(`/suites/${suite.id}`);
  await page.getByRole('link', { name: 'Run', exact: true }).click();

  const form = page.getByRole('form', { name: 'New experiment' });
  await test.step('the form opens with the suite, and counts the cases of a tag', async () => {
    await expect(form.getByLabel('Suite', { exact: true })).toHaveValue(suite.id);
    await expect(form.getByText('3 cases of 3')).toBeVisible();
    await form.getByRole('checkbox', { name: 'colours' }).check();
    await expect(form.getByText('2 cases of 3')).toBeVisible();
    await form.getByLabel('Name', { exact: true }).fill('Which knows colours?');
    await page.reload();
    await expect(form.getByLabel('Name', { exact: true })).toHaveValue('Which knows colours?');
    await expect(form.getByText('2 cases of 3')).toBeVisible();
    await form.getByRole('checkbox', { name: /^blue/ }).check();
    await form.getByRole('checkbox', { name: /^red/ }).check();
    await expect(form.getByText('4 runs')).toBeVisible();
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Start experiment', exact: true }).click();
  });

  await test.step('the page names the version of the suite, and the runs their case', async () => {
    await expect(page.getByRole('heading', { name: 'Which knows colours?' })).toBeVisible();
    await expect(page.getByText('Finished')).toBeVisible({ timeout: 90_000 });
    await expect(page.getByRole('main')).toContainText('2 cases of Colour words, version');
    await expect(results(page).getByRole('row').nth(1)).toContainText('sky');
    await expect(cells(page).getByRole('row').nth(1)).toContainText('1 of 2');
    const compared = page.getByRole('region', { name: 'Compare two cells' });
    await expect(compared).toContainText('0 percentage points');
  });

  await test.step('the grid names each square, and opens its run', async () => {
    const grid = figure(page, 'Cases by cell');
    await grid.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await expect(grid).toContainText('sky, cell 1 (blue:latest): 1 of 1 passed');
    await page.keyboard.press('ArrowRight');
    await expect(grid).toContainText('sky, cell 2 (red:latest): 0 of 1 passed');
    await grid.getByRole('button', { name: /show as a table/ }).click();
    await expect(grid.getByRole('row')).toHaveCount(3);
    const strips = figure(page, 'Distribution');
    await strips.getByRole('combobox', { name: 'Figure' }).selectOption('tokens_out');
    await expect(strips.getByRole('slider')).toHaveAttribute('aria-valuemax', '4');
  });

  await test.step('all figures and what they were measured with are a fold away', async () => {
    await page.getByText('All figures and provenance').click();
    const figures = page.getByRole('region', { name: 'Figures by cell' });
    await expect(figures.getByRole('row', { name: /^Malformed replies/ })).toContainText('0');
    await expect(page.getByRole('listitem').filter({ hasText: /^Cell 1: / })).toContainText(
      /Ollama 0\.0\.0-fake, Loupe .*, suite /,
    );
    await expectAccessible(page);
  });

  await test.step('a score and a note of a run are columns', async () => {
    const { items } = (await (
      await loupe.request(new URL(page.url()).pathname.replace('/experiments', '/api/experiments'))
    ).json()) as ExperimentReply;
    const answer = await loupe.request(`/api/runs/${items[0]?.run_id}`, {
      method: 'PATCH',
      json: { score: 10, note: 'Exactly right.' },
    });
    expect(answer.ok).toBe(true);
    await page.reload();
    await expect(results(page).getByRole('row').nth(1)).toContainText('10/10 · Exactly right.');
  });

  await test.step('a suite that ships can be run without adding it', async () => {
    await openExperimentForm(page);
    await form.getByRole('radiogroup', { name: 'Work' }).getByText('A suite', { exact: true }).click();
    await form.getByRole('button', { name: 'Start experiment', exact: true }).click();
    await expect(form.getByText('Choose a suite.')).toBeVisible();
    await form.getByLabel('Suite', { exact: true }).selectOption('shipped:basics');
    await expect(form.getByText('40 cases of 40')).toBeVisible();
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });
  });
});

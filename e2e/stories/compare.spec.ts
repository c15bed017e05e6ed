import { expect, expectAccessible, test } from '../fixtures.ts';
import { misfits } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

const read = (path: string) => ({ reply: { tool_calls: [{ name: 'read_file', arguments: { path } }] } });
const done = (content: string) => ({ reply: { content } });

test('two runs are shown side by side with the first difference marked', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'goes-left',
    steps: [read('a.txt'), read('b.txt'), done('The task is completed: left.')],
  });
  ollama.add({
    name: 'goes-right',
    steps: [read('a.txt'), read('c.txt'), done('The task is completed: right.')],
  });
  const folder = workspace({ 'a.txt': 'one', 'b.txt': 'two', 'c.txt': 'three' });
  const task = { task: 'Read the files', workspace: folder };
  const a = await finishRun(loupe, { ...task, model: 'goes-left' });
  const b = await finishRun(loupe, {
    ...task,
    model: 'goes-right',
    model_options: { seed: 3 },
    checks: [
      { type: 'file_exists', path: 'c.txt' },
      { type: 'file_contains', path: 'c.txt', text: 'three' },
    ],
  });

  const view = new RunView(page);
  await view.open(a.id);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command', exact: true }).fill('compare with');
  await expect(page.getByRole('option', { name: /compare with/i, selected: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/compare\?a=/);
  await page.getByRole('checkbox', { name: /goes-right/ }).check();
  await expect(page).toHaveURL(new RegExp(`b=${b.id}`));
  // The model comes first, because it distinguishes two runs of one task when names are cut.
  await expect(page.getByRole('listitem', { name: 'Run B', exact: true })).toHaveText(/^B\s*goes-right/);
  const verdict = page.getByRole('region', { name: 'Where the runs diverge' });
  await expect(verdict).toContainText('Identical up to iteration 1');
  await expect(verdict).toContainText('the model made a different call in iteration 2: read_file');
  // The steps are drawn when they come into view.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await expect(page.getByText('Iteration 1 is the same')).toBeVisible();
  const first = page.locator('#step-2');
  await expect(first).toContainText('first difference');
  const call = first.getByRole('group', { name: 'Changes to call read_file' });
  await expect(call.locator('del')).toHaveText('b');
  await expect(call.locator('ins')).toHaveText('c');
  const differing = page.getByRole('table', { name: 'Settings and conditions that differ' });
  await expect(differing.getByRole('row', { name: /^Seed/ })).toContainText('not set');
  await expect(differing.getByRole('row', { name: /^Checks/ }).getByRole('cell')).toHaveText([
    'none',
    'c.txt exists\nc.txt contains "three"',
  ]);
  await expect(
    page.getByRole('table', { name: 'Figures' }).getByRole('row', { name: /Tool calls/ }),
  ).toContainText('2');
  await expect(
    page
      .getByRole('table', { name: 'Figures' })
      .getByRole('row', { name: /^Checks/ })
      .getByRole('cell')
      .filter({ hasText: /./ }),
  ).toHaveText(['none', '2 of 2 checks passed']);
  await expect(
    page.getByRole('table', { name: 'Times' }).getByRole('row', { name: /Writing speed/ }),
  ).toContainText('tok/s');
  await expect(page.getByRole('table', { name: 'Times' }).locator('mark')).toHaveCount(0);
  await expectAccessible(page);

  await page.getByRole('heading', { name: 'Compare', exact: true }).click();
  await page.keyboard.press('j');
  await expect(first).toBeFocused();
  await page.keyboard.press('j');
  await expect(page.locator('#step-3')).toBeFocused();
  await page.keyboard.press('k');
  await expect(first).toBeFocused();
  await page.keyboard.press('n');
  await expect(first.locator('[data-difference]').first()).toBeFocused();

  // On a phone the two are stacked, and nothing is wider than the screen.
  await page.setViewportSize({ width: 360, height: 740 });
  expect((await misfits(page)).overflow).toBe(0);
  await first.getByRole('link', { name: 'in B' }).click();
  await expect(page).toHaveURL(new RegExp(`${b.id}#`));
});

test('a model, a long outcome and the button that copies an answer fit the column of their run on a phone', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'fails-checks', steps: [done('The task is completed.')] });
  const run = {
    task: 'Write notes',
    model: 'fails-checks',
    checks: ['a.md', 'b.md', 'c.md'].map((path) => ({ type: 'file_exists' as const, path })),
    max_attempts: 1,
  };
  const [one, other] = [await finishRun(loupe, run), await finishRun(loupe, run)];
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/compare?a=${one.id}&b=${other.id}`);
  const column = page.getByRole('article', { name: 'Run A' });
  await expect(column.getByText('Answered, 3 of 3 checks failed')).toBeVisible();
  const boxOf = async (text: string) => (await column.getByText(text, { exact: true }).boundingBox())?.width;
  expect(await boxOf('fails-checks')).toBeGreaterThan(50);
  expect(await column.locator('header').evaluate((header) => header.scrollWidth - header.clientWidth)).toBe(
    0,
  );
});

test('equal runs do not differ, and a missing run is reported', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'alone', steps: [done('The task is completed.')] });
  const task = { task: 'Say it', model: 'alone', workspace: workspace(), nudge_plans: false };
  const [one, other] = [await finishRun(loupe, task), await finishRun(loupe, task)];
  await page.goto(`/compare?a=${one.id}&b=${other.id}`);
  await expect(page.getByText('The runs are identical in their only iteration')).toBeVisible();
  await expect(page.getByText('No run changed a file with its file tools.')).toBeVisible();
  await page.goto(`/compare?a=${one.id}&b=nobody`);
  await expect(page.getByText('There is no run "nobody".').first()).toBeVisible();
});

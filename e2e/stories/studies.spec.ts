import type { ExperimentListReply } from '../../lib/api/experiment.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { loseFirstAnswer } from '../lose-answer.ts';

const answers = (name: string, content: string) => ({
  name,
  steps: [{ repeat: 99, steps: [{ reply: { content } }] }],
});

test('a study is set up, started and read in the dashboard', async ({ page, ollama }) => {
  ollama.add(answers('studied', 'It is Kestrel.'));
  await page.goto('/experiments');
  const study = page.getByRole('listitem').filter({ hasText: 'Reply limit' });
  await expect(study).toContainText('How many tokens does a reply need');
  await study.getByRole('button', { name: 'Set up Reply limit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reply limit' });
  await expect(dialog).toContainText('Reading the result.');
  await dialog.getByRole('button', { name: 'Start experiment' }).click();
  await expect(dialog).toContainText('Choose a model.');
  await dialog.getByText('Small (2 runs per model)', { exact: true }).click();
  await dialog.getByRole('checkbox', { name: /^studied/ }).check();
  await expect(dialog).toContainText('2 runs');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Start experiment' }).click();
  await expect(page.getByRole('heading', { name: 'Reply limit', level: 1 })).toBeVisible();
  await expect(page.getByText('2 of 2 runs')).toBeVisible({ timeout: 60_000 });

  // They move the button.
  await expect(page.getByRole('region', { name: 'Plots' })).toBeVisible();
  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Report (HTML)' }).click();
  expect((await download).suggestedFilename()).toMatch(/^loupe-experiment-.+\.html$/);
});

test('a plan file is opened with its suite file, and refused with its line', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add(answers('planned', 'It is Kestrel.'));
  await page.goto('/experiments');
  await page.getByRole('button', { name: 'Open a plan file' }).click();
  const dialog = page.getByRole('dialog', { name: 'Open a plan file' });
  const file = (name: string, text: string) => ({
    name,
    mimeType: 'application/yaml',
    buffer: Buffer.from(text),
  });
  const plan = dialog.getByLabel('Choose a plan file', { exact: true });
  await plan.last().setInputFiles(file('bad.yaml', 'name: x\nmodels: [planned]\nrepeets: 2\n'));
  await expect(dialog).toContainText('line 3: repeets: unknown field. Did you mean "repeats"?');
  await plan
    .last()
    .setInputFiles(
      file('plan.yaml', 'name: Two rooms\nmodels: [planned, absent]\nsuite: {file: rooms.yaml}\n'),
    );
  await expect(dialog).toContainText('rooms.yaml');
  const suite = 'cases:\n  - {id: room, input: "Which room?", target: Kestrel, mode: prompt}\n';
  await dialog
    .getByLabel('Choose the suite file', { exact: true })
    .last()
    .setInputFiles(file('rooms.yaml', suite));
  await expect(dialog).toContainText('Two rooms');
  await expect(dialog.getByText('2 runs')).toBeVisible();
  await expect(dialog.getByRole('checkbox', { name: /^planned:latest/ })).toBeChecked();
  const absent = dialog.getByRole('checkbox', { name: 'absent not installed' });
  await absent.uncheck();
  await expect(absent).toBeFocused();
  await expect(dialog.getByText('1 run', { exact: true })).toBeVisible();
  await expectAccessible(page);
  await loseFirstAnswer(page, '**/api/experiments');
  await dialog.getByRole('button', { name: 'Start experiment' }).click();
  await expect(dialog.getByText('The Loupe server does not answer.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Start experiment' }).click();
  await expect(page.getByRole('heading', { name: 'Two rooms', level: 1 })).toBeVisible();
  const { experiments } = (await (await loupe.request('/api/experiments')).json()) as ExperimentListReply;
  expect(experiments.filter(({ name }) => name === 'Two rooms')).toHaveLength(1);
  await expect(page.getByText(/^1 of 1 run(,|$)/)).toBeVisible({ timeout: 60_000 });
});

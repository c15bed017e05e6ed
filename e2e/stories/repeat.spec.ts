import type { ExperimentListReply } from '../../lib/api/experiment.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { loseFirstAnswer } from '../lose-answer.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

const list = { reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } };
const done = { reply: { content: 'The task is completed.' } };

test('a run is repeated several times, and its page shows where the repeats diverge', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'steady', steps: [list, done] });
  const { id } = await finishRun(loupe, { task: 'Look around', model: 'steady' });
  const view = new RunView(page);
  await view.open(id);
  await view.chooseNext('Run several times');
  await view.end.getByLabel('How many times?').fill('21');
  await view.end.getByRole('button', { name: 'Start runs' }).click();
  await expect(view.end.getByText('A whole number from 2 to 20.')).toBeVisible();
  await view.end.getByLabel('How many times?').fill('3');
  const repeats = async () => {
    const { experiments } = (await (await loupe.request('/api/experiments')).json()) as ExperimentListReply;
    return experiments.filter(({ plan }) => plan.task === 'Look around').length;
  };
  await loseFirstAnswer(page, '**/api/experiments');
  await view.end.getByRole('button', { name: 'Start runs' }).click();
  await expect(view.end.getByText('The Loupe server does not answer.')).toBeVisible();
  expect(await repeats()).toBe(1);
  await view.end.getByRole('button', { name: 'Start runs' }).click();
  await expect(page).toHaveURL(/\/experiments\//);
  const agreement = page.getByRole('region', { name: 'Agreement by iteration' });
  await expect(agreement).toContainText('All 3 runs are identical (2 iterations)', { timeout: 90_000 });
  await expectAccessible(page);
  expect(await repeats()).toBe(1);
});

test('diverging runs show the likely cause and can be compared with one click', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'wavering',
    // Each further request with the same conversation gets another answer, as from a model without a seed.
    steps: [
      list,
      {
        attempts: [
          { reply: { content: 'The task is completed: one.' } },
          { reply: { content: 'The task is completed: two.' } },
        ],
      },
    ],
  });
  const answer = await loupe.request('/api/experiments', {
    json: { name: 'Wavering', mode: 'task', task: 'Look', models: ['wavering'], repeats: 3 },
  });
  expect(answer.status).toBe(201);
  const { experiment } = (await answer.json()) as { experiment: { id: string } };
  await page.goto(`/experiments/${experiment.id}`);
  const agreement = page.getByRole('region', { name: 'Agreement by iteration' });
  await expect(agreement).toContainText('Identical up to iteration 1 in 3 of 3 runs; then 2 variants', {
    timeout: 90_000,
  });
  await expect(agreement).toContainText('Neither temperature nor seed is set');
  await agreement.getByRole('link', { name: 'Compare two that diverge' }).click();
  await expect(page.getByRole('region', { name: 'Where the runs diverge' })).toContainText(
    'Identical up to iteration 1',
  );
});

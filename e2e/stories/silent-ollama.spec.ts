import { startFakeOllama } from '../../lib/demo/fake-ollama.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { advanceToNextPoll } from '../page-clock.ts';
import { misfits } from '../page-fit.ts';

test('fits a long version of Ollama into the header', async ({ ownServer }) => {
  const fake = await startFakeOllama({
    models: [{ name: 'my-model' }],
    version: `0.17.4-${'x'.repeat(200)}`,
  });
  const { page } = await ownServer({ ollamaUrl: fake.url });
  await page.setViewportSize({ width: 1024, height: 800 });
  await page.goto('/models');
  await expect(page.getByRole('banner').getByRole('link', { name: /Ollama 0\.17\.4/ })).toBeVisible();
  expect(await misfits(page)).toMatchObject({ overflow: 0, outside: [] });
  await fake.close();
});

/** The pages read their state again every 5 to 10 s. */
const NEXT_LOOK = { timeout: 20_000 };

test('reports Ollama as not responding while it is silent, and recovers when it responds [D11]', async ({
  ownServer,
}) => {
  const fake = await startFakeOllama({ models: [{ name: 'my-model' }], version: '0.17.4' });
  const { page } = await ownServer({ ollamaUrl: fake.url });
  const light = page.getByRole('banner').getByRole('link', { name: /Ollama/ });
  const lastKnown = page.getByText('Ollama is not responding. This is its last known list.');

  await page.clock.install();
  await page.goto('/models');
  await expect(page.getByText('my-model:latest')).toBeVisible(NEXT_LOOK);
  await expect(light).toHaveText('Ollama 0.17.4', NEXT_LOOK);

  const thaw = fake.freeze();
  await advanceToNextPoll(page);
  await expect(lastKnown).toBeVisible(NEXT_LOOK);
  await expect(page.getByText('my-model:latest')).toBeVisible();
  await expect(light).toHaveText('Ollama not responding', NEXT_LOOK);
  await expectAccessible(page);

  await light.click();
  const ollama = page.getByRole('definition').first();
  await expect(ollama.getByText(/is not responding: no answer for \d+ s/)).toBeVisible(NEXT_LOOK);
  await expect(ollama.getByText('ollama serve')).toBeHidden();

  thaw();
  await advanceToNextPoll(page);
  await expect(ollama.getByText('Running, version 0.17.4')).toBeVisible(NEXT_LOOK);
  await expect(light).toHaveText('Ollama 0.17.4', NEXT_LOOK);
  await fake.close();
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startFakeOllama } from '../../lib/demo/fake-ollama.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { freePort } from '../loupe-server.ts';
import { advanceToNextPoll } from '../page-clock.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

test('a new user without Ollama learns how to install it, and sees a complete demo run [D11]', async ({
  ownServer,
}) => {
  const { loupe, page } = await ownServer({ ollamaUrl: `http://127.0.0.1:${await freePort()}` });

  await test.step('the first page says what is missing and how to get it', async () => {
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'See what your local agent does' })).toBeVisible();
    const steps = page.getByRole('region', { name: 'Getting started' });
    await expect(steps.getByRole('heading', { name: 'Start Ollama' })).toBeVisible();
    await expect(steps.getByRole('link', { name: 'https://ollama.com/download' })).toHaveAttribute(
      'href',
      'https://ollama.com/download',
    );
    await expect(steps.getByText('ollama serve', { exact: true })).toBeVisible();
    await expect(steps.getByText('ollama pull qwen3:8b')).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('the health page shows the check with its hint', async () => {
    await page.getByRole('link', { name: 'No Ollama' }).click();
    await expect(page).toHaveURL(/\/health$/);
    const ollama = page.getByRole('definition').first();
    await expect(ollama.getByText('Cannot connect to Ollama')).toBeVisible();
    await expect(ollama.getByText('Is Ollama running?')).toBeVisible();
    await expect(ollama.getByText('ollama serve', { exact: true })).toBeVisible();
  });

  await test.step('the demo is labeled as what it is, and runs to its end', async () => {
    await page.getByRole('link', { name: 'Loupe, home' }).click();
    await expect(page.getByText('The demo model is a script, not a language model')).toBeVisible();
    await page.getByRole('button', { name: 'Start the demo run' }).click();
    await expect(page).toHaveURL(/\/runs\/.+/);
    const view = new RunView(page);
    await expect(view.connection('Live')).toBeVisible();
    await view.expectEnd('The model answered', 'final_answer');
    await expect(view.end).toContainText('I am only a script');
    await expect(view.end).toContainText('notes.md');
  });

  await test.step('the files are real', async () => {
    const id = page.url().split('/').at(-1) ?? '';
    const notes = readFileSync(join(loupe.dataDir, 'workspaces', id, 'notes.md'), 'utf8');
    expect(notes).toContain('This file was written by the demo model');
  });

  await test.step('afterwards the run is in the list, and the missing Ollama is still said', async () => {
    await page.getByRole('link', { name: 'Loupe, home' }).click();
    await expect(page.getByRole('link', { name: /Show me around.*Answered/ })).toBeVisible();
    await expect(page.getByRole('status').getByText('Cannot connect to Ollama')).toBeVisible();
  });
});

test('a missing model is named with the command that gets it [D11, S2]', async ({ ownServer }) => {
  const ollama = await startFakeOllama({
    models: [{ name: 'was-here' }],
    faults: { '/api/show': { kind: 'http', status: 404, body: { error: "model 'was-here' not found" } } },
  });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url });
  await page.goto('/health');
  await expect(page.getByText(/^CPU time/)).toBeVisible();
  await page.getByLabel('Model to check').selectOption({ label: 'was-here:latest' });
  await expect(page.getByText(/Model "was-here:latest" is missing.*ollama pull was-here/)).toBeVisible();
  await expect(page.getByRole('term').filter({ hasText: 'Model: needs attention' })).toBeVisible();

  // A run that is started anyway ends with the same message.
  const { id } = await finishRun(loupe, { task: 'Say hello', model: 'was-here' });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The run failed', 'error');
  await expect(view.end).toContainText('ollama pull was-here');
  await ollama.close();
});

test('an open page notices when Ollama starts or stops [D11]', async ({ ownServer }) => {
  const port = await freePort();
  const { page } = await ownServer({ ollamaUrl: `http://127.0.0.1:${port}` });
  await page.clock.install();
  await page.goto('/health');
  const light = page.getByRole('term').filter({ hasText: 'Ollama' });
  await expect(light).toHaveText('Ollama: needs attention');
  const ollama = await startFakeOllama({ port });
  await advanceToNextPoll(page);
  await expect(light).toHaveText('Ollama: good');
  await ollama.close();
  await advanceToNextPoll(page);
  await expect(light).toHaveText('Ollama: needs attention');
});

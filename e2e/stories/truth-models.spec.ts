import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

test('a pull shows its progress, can be cancelled, and resumes to completion', async ({ page, ollama }) => {
  ollama.publish({
    model: {
      name: 'wide-reader:3b',
      size_bytes: 2_000_000_000,
      parameter_size: '3B',
      quantization: 'Q4_K_M',
    },
  });
  const release = ollama.holdPull('wide-reader:3b', 0.6);
  await page.goto('/models');
  await page.getByRole('textbox', { name: 'Name in the library' }).fill('wide-reader:3b');
  await page.getByRole('button', { name: 'Pull', exact: true }).click();
  const line = page
    .getByRole('list', { name: 'Pulls' })
    .getByRole('listitem')
    .filter({ hasText: 'wide-reader:3b' });
  await expect(line).toContainText('1.1 GB of 1.9 GB');
  await expect(line.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '60');
  await expectAccessible(page);
  const before = ollama.closeEvents.length;
  await line.getByRole('button', { name: 'Cancel' }).click();
  await expect(line).toContainText('cancelled');
  await expect.poll(() => ollama.closeEvents.slice(before).map(({ path }) => path)).toContain('/api/pull');
  release();
  await line.getByRole('button', { name: 'Resume' }).click();
  await expect(line).toContainText('is installed');
  await expect(page.getByRole('main')).toContainText(/3B · Q4_K_M · window up to [\d,]+ tokens/);
});

test('a failed pull says what to do, and a name with a host is never sent', async ({ page, ollama }) => {
  ollama.publish({ model: { name: 'too-big' }, error: 'write blob: no space left on device' });
  await page.goto('/models');
  const name = page.getByRole('textbox', { name: 'Name in the library' });
  const pull = page.getByRole('button', { name: 'Pull', exact: true });
  await name.fill('too-big');
  await pull.click();
  await expect(page.getByRole('main')).toContainText('There is no disk space for "too-big"');
  await expect(page.getByRole('main')).toContainText('ollama rm');
  await name.fill('no-such-model');
  await pull.click();
  await expect(page.getByRole('main')).toContainText('library has no "no-such-model"');
  await name.fill('evil.example:5000/a/b');
  await pull.click();
  await expect(page.getByRole('main')).toContainText('not a model name in Ollama');
  expect(ollama.requests.some(({ body }) => JSON.stringify(body ?? '').includes('evil.example'))).toBe(false);
});

test('a run whose model is missing offers to pull it', async ({ page, loupe, ollama }) => {
  ollama.publish({ model: { name: 'lacking:1b' } });
  const run = await finishRun(loupe, { task: 'Say yes', model: 'lacking:1b' });
  const view = new RunView(page);
  await view.open(run.id);
  await expect(view.end).toContainText('Model "lacking:1b" is missing');
  await view.end.getByRole('button', { name: 'Pull lacking:1b' }).click();
  await expect(view.end).toContainText('is installed');
  await view.chooseNext('Run again');
  await view.expectEnd('The model answered', 'final_answer');
});

test('a loaded model shows its GPU share and can be unloaded [OL6, OL9]', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'half-loaded', model: 'half:7b', steps: [{ reply: { content: 'Yes.' } }] });
  ollama.publish({ model: { name: 'half:7b', vram_share: 0.5, size_bytes: 4_000_000_000 } });
  await page.goto('/models');
  await page.getByRole('textbox', { name: 'Name in the library' }).fill('half:7b');
  await page.getByRole('button', { name: 'Pull', exact: true }).click();
  const pulls = page.getByRole('list', { name: 'Pulls' }).getByRole('listitem');
  await expect(pulls.filter({ hasText: 'half:7b' })).toContainText('is installed');
  await finishRun(loupe, { task: 'Say yes', model: 'half:7b' });
  await page.reload();
  const model = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: 'Unload half:7b' }) });
  await expect(model).toContainText('50%');
  await expect(model).toContainText(/unloads\s*in \d/);
  await model.getByRole('button', { name: 'Unload half:7b' }).click();
  await expect(page.getByRole('button', { name: 'Unload half:7b' })).toBeHidden();
});

test('shared, remote and embedding models are labeled, and offered only where they work', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'sharing', model: 'shared:1b', steps: [{ reply: { content: 'Yes.' } }] });
  const models = [
    { name: 'shared:1b' },
    { name: 'twin:1b', copy_of: 'shared:1b' },
    { name: 'afar:120b', remote_host: 'https://ollama.com:443', remote_model: 'gpt-oss:120b' },
    { name: 'vectors:1b', capabilities: ['embedding'] },
  ];
  for (const model of models) {
    ollama.publish({ model });
    expect((await loupe.request('/api/models/pull', { json: { model: model.name } })).status).toBe(202);
  }
  await finishRun(loupe, { task: 'Say yes', model: 'shared:1b' });
  await page.goto('/models');
  const line = (name: string) =>
    page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByText(name, { exact: true }) })
      .first();
  await expect(line('twin:1b')).toContainText('shared with');
  await expect(line('shared:1b')).not.toContainText('shared with');
  await expect(line('afar:120b')).toContainText('runs at ollama.com');
  await expect(line('afar:120b')).toContainText('LOUPE_ALLOW_REMOTE_MODELS=1');
  await expect(line('vectors:1b')).toContainText('writes no replies');
  for (const name of ['afar:120b', 'vectors:1b']) {
    await expect(line(name).getByRole('link', { name: /^New run/ })).toBeHidden();
    await expect(line(name).getByRole('button', { name: /^Check/ })).toBeHidden();
  }
  await expectAccessible(page);

  await page.goto('/runs/new?mode=explore');
  const offered = page.getByRole('radiogroup', { name: 'Model' });
  await expect(offered).toContainText('twin:1b');
  await expect(offered).not.toContainText('afar:120b');
  await expect(offered).not.toContainText('vectors:1b');
  const missing = 'Not offered: afar:120b (runs on another machine), vectors:1b (makes embeddings only).';
  await expect(page.getByRole('main')).toContainText(missing);
  await page.goto('/');
  await expect(page.getByLabel('Model', { exact: true })).toContainText('twin:1b');
  await expect(page.getByLabel('Model', { exact: true })).not.toContainText('vectors:1b');
  await expect(page.getByRole('form', { name: 'Quick run' })).toContainText(missing);
  const refused = await loupe.request('/api/runs', { json: { task: 'A secret', model: 'afar:120b' } });
  expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'remote_model']);
});

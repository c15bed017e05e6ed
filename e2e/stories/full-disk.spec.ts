import { join } from 'node:path';
import { canMountDisks, mountSmallDisk } from '../../lib/testing/small-disk.ts';
import { expect, test } from '../fixtures.ts';
import { startLoupe } from '../loupe-server.ts';
import { misfits } from '../page-fit.ts';
import { finishRun } from '../runs.ts';

test.skip(!canMountDisks, 'This needs permission to mount file systems in a separate namespace.');

test('a full disk is announced on every page until there is space', async ({ ollama, ownServer }) => {
  const disk = await mountSmallDisk({ megabytes: 64 });
  const options = {
    ollamaUrl: ollama.url,
    dataDir: join(disk.path, 'data'),
    within: disk.within,
    env: { LOUPE_MIN_FREE_MB: '0' },
  };
  try {
    const first = await startLoupe(options);
    ollama.add({ name: 'short', steps: [{ reply: { content: 'Done.' } }] });
    const { id } = await finishRun(first, { task: 'Say something', model: 'short' });
    await first.stop();
    disk.fill();

    const { loupe, page } = await ownServer(options);
    const banner = page.getByRole('complementary', { name: 'Disk full' });
    for (const path of ['/', `/runs/${id}`, '/models', '/experiments', '/health']) {
      await page.goto(`${loupe.url}${path}`);
      await expect(banner).toContainText('Disk full: Loupe is read-only.');
      await expect(banner).toContainText(/free \d+ MB on that disk/);
    }
    await expect(page.getByRole('main')).toContainText(/The disk that holds .* is full/);
    expect((await misfits(page)).overflow).toBe(0);
    await banner.getByRole('link', { name: 'Delete runs' }).click();
    await expect(page).toHaveURL(`${loupe.url}/`);

    disk.empty();
    await expect(banner).toBeHidden();
    await loupe.stop('SIGKILL');
  } finally {
    await disk.dispose();
  }
});

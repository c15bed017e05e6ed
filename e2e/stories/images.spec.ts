import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { ShareReply } from '../../lib/api/share.ts';
import { npmServer } from '../../lib/mcp/under-test.ts';
import { jpegImage, pngImage } from '../../lib/testing/sample-images.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { addMcpServer } from '../furnish.ts';
import { RunView } from '../run-view.ts';
import { startRun } from '../runs.ts';

const SIGHTED = ['completion', 'tools', 'vision'];
const png = (name: string, width = 300, height = 200) => ({
  name,
  mimeType: 'image/png',
  buffer: pngImage(width, height),
});
const choose = (page: Page, model: string) =>
  page.getByRole('radiogroup', { name: 'Model' }).getByText(`${model}:latest`, { exact: true }).click();

/** Pastes pictures into a field one after another, like screenshots. @param press a button to press right after that */
async function paste(page: Page, label: string, pictures: readonly Buffer[], press?: string): Promise<void> {
  const texts = pictures.map((data) => data.toString('base64'));
  await page.getByLabel(label, { exact: true }).evaluate(
    (field, { texts, press }) => {
      for (const base64 of texts) {
        const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }
      if (press) document.querySelector<HTMLElement>(`[aria-label="${press}"]`)?.click();
    },
    { texts, press },
  );
}

/** The widths of the attached images. */
const widthsOf = (page: Page) =>
  page
    .getByRole('list', { name: 'Attached images' })
    .locator('img')
    .evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth));

const shown = (image: ReturnType<Page['locator']>) =>
  expect
    .poll(() => image.evaluate((element: HTMLImageElement) => element.complete && element.naturalWidth))
    .toBeGreaterThan(0);

test('images are chosen and pasted for a task, sent to a model that can see, shown, exported and shared [O20]', async ({
  page,
  loupe,
  ollama,
  workspace,
  browser,
}, info) => {
  ollama.add({
    name: 'eyes',
    capabilities: SIGHTED,
    steps: [
      {
        expect: { images: 2 },
        reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'photo.jpg' } }] },
      },
      { expect: { images: 3, last_role: 'tool' }, reply: { content: 'Three pictures.' } },
    ],
  });
  const folder = workspace();
  writeFileSync(join(folder, 'photo.jpg'), jpegImage(200, 100));
  await page.goto('/runs/new');
  await expect(page.getByRole('button', { name: 'Add images' })).not.toHaveAttribute('title');
  await page.getByLabel('What should the agent do?').fill('Compare the pictures.');
  await page
    .getByLabel('Image files')
    .setInputFiles([
      png('chart.png'),
      { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') },
    ]);
  await expect(page.getByText('logo.svg is not a PNG, JPEG, WebP or GIF image.')).toBeVisible();
  await paste(page, 'What should the agent do?', [pngImage(2000, 900)]);
  const attached = page.getByRole('list', { name: 'Attached images' });
  await expect(attached.getByRole('listitem')).toHaveCount(2);
  await expectAccessible(page);
  await page.getByText('An existing folder', { exact: true }).click();
  await page.getByLabel('Folder', { exact: true }).fill(folder);
  await choose(page, 'eyes');
  await page.getByRole('button', { name: 'Start run' }).click();
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');

  await test.step('the timeline shows them, and opens them larger', async () => {
    const chart = page.getByRole('img', { name: 'chart.png' }).first();
    await chart.scrollIntoViewIfNeeded();
    await shown(chart);
    await expectAccessible(page);
    await chart.click();
    const dialog = page.getByRole('dialog', { name: /chart\.png \(PNG, 300 × 200/ });
    await expect(dialog).toBeVisible();
    await shown(dialog.getByRole('img', { name: 'chart.png' }));
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    const photo = page.getByRole('img', { name: 'photo.jpg' });
    await photo.scrollIntoViewIfNeeded();
    await shown(photo);
  });

  const runId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await test.step('a page exported to a file shows them without asking anyone', async () => {
    const files = await view.openMenu('Export');
    const saving = page.waitForEvent('download');
    await files.getByRole('link', { name: 'HTML page' }).click();
    const path = await (await saving).path();
    const context = await browser.newContext();
    const requests: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    const file = await context.newPage();
    const copy = info.outputPath('run.html');
    copyFileSync(path, copy);
    await file.goto(`file://${copy}`);
    await shown(file.getByRole('img', { name: 'chart.png' }).first());
    expect(requests).toEqual([`file://${copy}`]);
    await context.close();
  });

  await test.step('a shared page shows them, and a link without results shows none of a tool', async () => {
    const link = async (scope: string) => {
      const answer = await loupe.request(`/api/runs/${runId}/shares`, { json: { scope } });
      return ((await answer.json()) as ShareReply).share.url ?? '';
    };
    const context = await browser.newContext();
    const shared = await context.newPage();
    await shared.goto(await link('everything'));
    await shown(shared.getByRole('img', { name: 'chart.png' }).first());
    await shared.goto(await link('without_results'));
    await shown(shared.getByRole('img', { name: 'chart.png' }).first());
    await new RunView(shared).allRows();
    await expect(shared.getByRole('img', { name: 'photo.jpg' })).toHaveCount(0);
    await context.close();
  });
});

test('a model without vision gets a list of the images instead', async ({ page, loupe: _, ollama }) => {
  ollama.add({
    name: 'blind',
    steps: [
      {
        expect: { images: 0, last_contains: 'There is an image here that you cannot see: chart.png (PNG' },
        reply: { content: 'I cannot see it.' },
      },
    ],
  });
  await page.goto('/runs/new');
  await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Quick prompt', { exact: true }).click();
  await page.getByLabel('What do you want to know?').fill('What is in the picture?');
  await choose(page, 'blind');
  await page.getByLabel('Image files').setInputFiles(png('chart.png'));
  await expect(page.getByText(/cannot see images/)).toBeVisible();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  await expect(page.getByText(/blind:latest cannot see images\. It gets a list/)).toBeVisible();
});

test('a message of a session has images', async ({ page, loupe, ollama }) => {
  ollama.add({
    name: 'sees',
    capabilities: SIGHTED,
    steps: [{ reply: { content: 'Hello.' } }, { expect: { images: 1 }, reply: { content: 'A gradient.' } }],
  });
  const run = await startRun(loupe, { mode: 'session', task: 'Hi', model: 'sees' });
  await page.goto(`/runs/${run.id}`);
  // Not the same words for screen readers.
  await expect(page.getByText('The session waits for you. Enter to send')).toBeVisible();
  await paste(page, 'Message to the agent', [pngImage()]);
  await expect(page.getByRole('list', { name: 'Attached images' }).getByRole('listitem')).toHaveCount(1);
  await page.getByLabel('Message to the agent').fill('What is this?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('A gradient.')).toBeVisible();
  await shown(page.getByRole('img', { name: 'image.png' }).first());
});

test('images that are pasted in quick succession are all attached, and removed ones stay away', async ({
  page,
}) => {
  await page.goto('/runs/new');
  const field = 'What should the agent do?';
  const items = page.getByRole('list', { name: 'Attached images' }).getByRole('listitem');
  await paste(page, field, [pngImage(300, 200), pngImage(200, 300)]);
  await expect(items).toHaveCount(2);
  // The first one is removed while the next one is being read.
  await paste(page, field, [pngImage(100, 100)], 'Remove image.png');
  await expect.poll(() => widthsOf(page)).toEqual([200, 100]);
});

test('an image that is attached while a message is being sent stays for the next one', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'sees-later', capabilities: SIGHTED, steps: [{ reply: { content: 'Hello.' } }] });
  const { id } = await startRun(loupe, { mode: 'session', task: 'Hi', model: 'sees-later' });
  await page.goto(`/runs/${id}`);
  await expect(page.getByText('The session waits for you. Enter to send')).toBeVisible();
  const message = page.getByLabel('Message to the agent');
  const items = page.getByRole('list', { name: 'Attached images' }).getByRole('listitem');
  const answer = await holdReply(page, `/api/runs/${id}/messages`);
  await paste(page, 'Message to the agent', [pngImage(300, 200)]);
  await expect(items).toHaveCount(1);
  await message.fill('What is this?');
  await message.press('Enter');
  await paste(page, 'Message to the agent', [pngImage(200, 300)]);
  await expect(items).toHaveCount(2);
  answer();
  await expect(message).toHaveValue('');
  await expect.poll(() => widthsOf(page)).toEqual([200]);
});

test('an image that a tool of a server returns reaches the model', async ({ page, loupe, ollama }) => {
  ollama.add({
    name: 'looks',
    capabilities: SIGHTED,
    steps: [
      { reply: { tool_calls: [{ name: 'every_thing__get_tiny_image', arguments: {} }] } },
      { expect: { images: 1, last_role: 'tool' }, reply: { content: 'A tiny logo.' } },
    ],
  });
  try {
    await addMcpServer(loupe, 'every_thing', npmServer('everything', ['stdio']));
    const run = await startRun(loupe, {
      task: 'Look at the picture.',
      model: 'looks',
      tools: ['every_thing__get_tiny_image'],
      approval: { tools: { every_thing__get_tiny_image: 'auto' } },
    });
    await page.goto(`/runs/${run.id}`);
    const view = new RunView(page);
    await view.expectEnd('The model answered', 'final_answer');
    const image = page.getByRole('img', { name: 'image 1' });
    await image.scrollIntoViewIfNeeded();
    await shown(image);
  } finally {
    await loupe.request('/api/mcp/servers/every_thing', { method: 'DELETE', json: {} });
  }
});

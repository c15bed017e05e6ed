import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Download, Locator, Page } from '@playwright/test';
import { longLog, SampleLog } from '../../lib/testing/sample-logs.ts';
import { expect, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';
import { storeRuns } from '../stored-run.ts';

const LONG = '20261121-0900-longrun';
const HUGE = '20261121-0902-huge';
const HUGE_CHARS = 20_000_000;

/** A run whose only tool call returned twenty megabytes. */
function hugeLog(): SampleLog {
  const log = new SampleLog().prepare();
  log.round({
    calls: [
      {
        name: 'read_file',
        arguments: { path: 'huge.log' },
        result: {
          output: { path: 'huge.log', content: 'A line of a huge log file.\n'.repeat(HUGE_CHARS / 27) },
        },
      },
    ],
  });
  return log.end('final_answer', { message: 'The model answered.', output: 'Read.' });
}

const frames = (page: Page, work: string) =>
  page.evaluate(
    (script) =>
      new Promise<number>((done) => {
        let longest = 0;
        let last = performance.now();
        let count = 0;
        const element = document.querySelector('[role="feed"]')?.parentElement;
        const next = () => {
          const now = performance.now();
          longest = Math.max(longest, now - last);
          last = now;
          if (element && script === 'scroll') element.scrollTop += element.scrollHeight / 40;
          if (++count < 40) requestAnimationFrame(next);
          else done(longest);
        };
        requestAnimationFrame(next);
      }),
    work,
  );

test('a run of ten thousand events can be navigated, filtered and scrubbed', async ({
  ownServer,
  ollama,
}) => {
  test.setTimeout(600_000);
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-reading-'));
  await storeRuns(dataDir, { [LONG]: longLog(10_000).events });
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const view = new RunView(page);
  await view.open(LONG);
  await expect(view.connection('Complete')).toBeVisible();
  await expect(view.guardrails).toContainText('Call formats3,750 native');
  expect(await view.guardrails.evaluate((aside) => aside.scrollWidth <= aside.clientWidth)).toBe(true);

  await test.step('Ctrl G goes to an iteration, and a number that is too high means the last', async () => {
    await page.keyboard.press('Control+g');
    const bar = page.getByRole('form', { name: /^Go to iteration by number/ });
    await bar.getByLabel('Iteration').fill('300');
    await page.keyboard.press('Enter');
    await expect(view.row('Iteration 300')).toBeFocused();
    await page.keyboard.press('Control+g');
    await expect(bar.getByLabel('Iteration')).toHaveValue('300');
    await page.keyboard.press('Escape');
    await expect(bar).toBeHidden();
    await expect(view.row('Iteration 300')).toBeFocused();
  });

  await test.step('y copies the link of the row, and it opens there', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('y');
    await expect(page.getByText('Link to this row copied.')).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const key = await view.timeline.locator('article:focus').getAttribute('id');
    await page.goto(link);
    await page.reload();
    await expect(page.locator(`#${key}`)).toBeFocused();
    await page.goto(link.replace('#', '?seq='));
    await expect(page.locator(`#${key}`)).toBeFocused();
  });

  await test.step('filters that are set and cleared keep the place', async () => {
    const near = () =>
      view.timeline.getByText(/^chapter-(299|300)-/).evaluateAll(
        (names) =>
          names.filter((name) => {
            const { top, bottom } = name.getBoundingClientRect();
            return top > innerHeight / 3 && bottom < innerHeight;
          }).length,
      );
    const only = page.getByRole('button', { name: 'Tools', exact: true });
    await only.click();
    await expect(view.row(/^Model call/)).toHaveCount(0);
    await expect.poll(near).toBeGreaterThan(0);
    await page.keyboard.press('e');
    await expect(view.timeline.getByRole('article')).toHaveCount(0);
    await page.keyboard.press('e');
    await expect.poll(near).toBeGreaterThan(0);
    await only.click();
    await expect(view.row('Iteration 300')).toBeInViewport();
  });

  await test.step('the outline shows the place in the whole, and scrolls', async () => {
    const outline = page.locator('[data-outline]');
    const box = await outline.boundingBox();
    if (!box) throw new Error('There is no outline');
    await page.mouse.move(box.x + 20, box.y + box.height * 0.25);
    await page.mouse.down();
    await page.mouse.move(box.x + 20, box.y + box.height * 0.75, { steps: 6 });
    await page.mouse.up();
    await expect(view.row(/^Iteration 4[5-9]\d$/).first()).toBeAttached();
    await expect(outline).toContainText('1');
    await page.setViewportSize({ width: 700, height: 800 });
    await expect(outline).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 860 });
    expect(await frames(page, 'scroll')).toBeLessThan(3000);
  });

  await test.step('rows are filtered in the address by a key, with Back', async () => {
    await page.keyboard.press('o');
    await expect(page).toHaveURL(/rows=talk/);
    await page.keyboard.press('g');
    await expect(view.row('Task')).toBeFocused();
    await expect(view.row(/^read_file/)).toHaveCount(0);
    await page.goBack();
    await expect(page).not.toHaveURL(/rows=/);
  });

  await test.step('beside the end a row is unfolded where it stands, and Tab leads to rows in view', async () => {
    await page.setViewportSize({ width: 1280, height: 1300 });
    await view.open(LONG);
    await expect(view.end).toBeInViewport();
    const last = view.row(/^read_file, succeeded/).last();
    const heading = last.getByRole('button', { name: /^read_file/ });
    const y = async () => Math.round((await heading.boundingBox())?.y ?? Number.NaN);
    let before = Number.NaN;
    await expect(async () => {
      before = await y();
      await frames(page, 'wait');
      expect(await y(), 'the list is still').toBe(before);
    }).toPass();
    await heading.click();
    await expect(last.getByRole('group', { name: 'Arguments', exact: true })).toBeVisible();
    await frames(page, 'wait');
    expect(await y()).toBe(before);
    await view.open(LONG);
    await expect(view.end).toBeInViewport();
    await page.getByRole('toolbar', { name: 'Rows', exact: true }).getByRole('button').last().focus();
    await page.keyboard.press('Tab');
    await frames(page, 'wait');
    await expect(view.timeline.locator(':focus')).toBeInViewport();
  });
});

test('a 20 MB result shows its beginning and a download link', async ({ ownServer, ollama }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-huge-'));
  await storeRuns(dataDir, { [HUGE]: hugeLog().events });
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const view = new RunView(page);
  const opened = Date.now();
  await view.open(HUGE);
  await view.expectEnd('The model answered', 'final_answer');
  expect(Date.now() - opened).toBeLessThan(30_000);
  const row = view.row('read_file, succeeded');
  await row.getByRole('button', { name: /^read_file/ }).click();
  await expect(row).toContainText('A line of a huge log file.');
  await row.getByRole('button', { name: /^Show this part/ }).click();
  expect(await frames(page, 'scroll')).toBeLessThan(3000);
  const link = row.getByRole('link', { name: /Download the full content \(20(\.0)? MB\)/ });
  await link.scrollIntoViewIfNeeded();
  // While the list is moving, a click may hit the previous row.
  let download: Download | undefined;
  await expect(async () => {
    [download] = await Promise.all([page.waitForEvent('download', { timeout: 30_000 }), link.click()]);
  }).toPass({ timeout: 90_000 });
  if (!download) throw new Error('nothing was downloaded');
  expect(download.suggestedFilename()).toMatch(/^loupe-.*\.txt$/);
  let size = 0;
  for await (const chunk of await download.createReadStream()) size += (chunk as Buffer).length;
  expect(size).toBeGreaterThan(HUGE_CHARS * 0.99);
});

for (const worker of [true, false]) {
  test(`with 12 tabs open the 13th is live all the same, ${
    worker ? 'by a shared worker' : 'and without one'
  }`, async ({ page, context, loupe, ollama }) => {
    test.setTimeout(600_000);
    if (!worker) {
      await context.addInitScript(() => {
        Reflect.deleteProperty(window, 'SharedWorker');
      });
    }
    const name = worker ? 'thirteen-shared' : 'thirteen-alone';
    ollama.add({ name, steps: [{ reply: { content: 'The task is completed.' } }] });
    const release = ollama.hold(name, { turn: 0 });
    const { id } = await startRun(loupe, {
      task: 'Wait for all of them',
      model: name,
      call_timeout_seconds: 3600,
    });
    const tabs = [page];
    while (tabs.length < 12) tabs.push(await context.newPage());
    for (const tab of tabs) {
      await tab.goto(`/runs/${id}`);
      await expect(new RunView(tab).connection('Live')).toBeVisible();
    }
    const last = await context.newPage();
    await last.goto('about:blank');
    await last.goto(`/runs/${id}`, { waitUntil: 'commit' });
    // A tab without a connection would wait forever; bench/dashboard.ts measures how long it takes.
    await new RunView(last).connection('Live').waitFor();
    // The tab that has the stream is closed: another takes over, and nothing is lost.
    await page.close();
    release();
    for (const tab of [...tabs.slice(1), last]) {
      await expect(new RunView(tab).connection('Complete')).toBeVisible();
    }
  });
}

test('notifications are enabled by a click, and sent only while no page is visible', async ({
  page,
  context,
  loupe,
  ollama,
}) => {
  // A desktop notification, and a page that believes it is hidden.
  await context.addInitScript(() => {
    const shown: string[] = [];
    const asked = { times: 0, answer: 'granted' as NotificationPermission };
    class FakeNotification {
      static permission: NotificationPermission = 'default';
      static async requestPermission() {
        asked.times += 1;
        FakeNotification.permission = asked.answer;
        return asked.answer;
      }
      onclick: (() => void) | null = null;
      constructor(title: string, options?: NotificationOptions) {
        shown.push(`${title}: ${options?.body}`);
      }
      close() {}
    }
    Object.assign(window, { Notification: FakeNotification, desk: { shown, asked } });
  });
  type Desk = { shown: string[]; asked: { times: number; answer: NotificationPermission } };
  const desk = () => page.evaluate(() => (window as unknown as { desk: Desk }).desk);
  ollama.add({ name: 'notified', steps: [{ reply: { content: 'The task is completed.' } }] });
  const release = ollama.hold('notified', { turn: 0 });
  const { id } = await startRun(loupe, { task: 'Tell me when', model: 'notified' });
  await page.goto('/');
  await expect(page.getByRole('link', { name: /Tell me when/ })).toBeVisible();
  expect((await desk()).asked.times).toBe(0);

  const bell = page.getByRole('button', { name: 'Notify me when a run ends or waits for me' });
  await page.evaluate(() => {
    (window as unknown as { desk: Desk }).desk.asked.answer = 'denied';
  });
  await bell.click();
  await expect(page.getByText('The browser blocks notifications of this page.')).toBeVisible();
  const blocked = page.getByRole('button', { name: 'Notifications are blocked by the browser' });
  await page.evaluate(() => {
    (window as unknown as { Notification: { permission: string } }).Notification.permission = 'granted';
  });
  await blocked.click();
  await expect(page.getByRole('button', { name: /Notifications are on/ })).toBeVisible();
  expect((await desk()).asked.times).toBe(1);

  await page.goto(`/runs/${id}`);
  // The new page has read the permission once before it changes.
  await expect(blocked).toBeVisible();
  await page.evaluate(() => {
    (window as unknown as { Notification: { permission: string } }).Notification.permission = 'granted';
  });
  await blocked.click();
  // A run that ends before the first list of runs arrives would cause no notification.
  await expect(page.getByRole('button', { name: /Notifications are on/ })).toHaveAttribute(
    'aria-busy',
    'false',
  );
  await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }));
  await expect(page).toHaveTitle(/^Running: Tell me when/);
  release();
  await expect.poll(async () => (await desk()).shown).toEqual(['The model answered: Tell me when']);
  await expect(page).toHaveTitle(/^Answered: Tell me when/);
  const icon = await page.locator('link[rel~="icon"]').first().getAttribute('href');
  expect(decodeURIComponent(icon ?? '')).toContain('fill="#2f8f57"');
});

test('a right-to-left text is read in its own direction, and cut at its end', async ({
  page,
  loupe,
  ollama,
}) => {
  const text = 'اكتب ملخصا في summary.md ثم توقف.';
  ollama.add({ name: 'arabic', steps: [{ reply: { content: `${text}\n\n- ${text}` } }] });
  const { id } = await finishRun(loupe, { task: text, model: 'arabic', nudge_plans: false });
  /** Whether the first letter is to the right of the last. */
  const isRead = (part: Locator) =>
    part.evaluate((element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const node = walker.nextNode();
      const leftOf = (index: number) => {
        const range = document.createRange();
        range.setStart(node as Node, index);
        range.setEnd(node as Node, index + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf(0) > leftOf((node?.nodeValue ?? '').length - 1);
    });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.end.getByText(text).first()).toBeVisible();
  expect(await isRead(page.getByRole('heading', { name: text, level: 1 }))).toBe(true);
  expect(await isRead(view.end.getByText(text).first())).toBe(true);
  expect(await isRead(view.end.getByRole('listitem').filter({ hasText: text }))).toBe(true);
  await page.goto('/');
  expect(await isRead(page.getByRole('link', { name: text }))).toBe(true);
  await page.getByLabel('Task', { exact: true }).fill(text);
  await expect(page.getByLabel('Task', { exact: true })).toHaveCSS('unicode-bidi', 'plaintext');
});

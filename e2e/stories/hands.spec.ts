import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { endedLog, longLog } from '../../lib/testing/sample-logs.ts';
import { exploreLog } from '../../lib/testing/sample-modes.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';
import { storeRuns } from '../stored-run.ts';

const LONG = '20261121-0920-long';
const EXPLORED = '20261121-0921-explored';
const FAILED = '20261121-0922-failed';
/** One frame of a slow screen, in milliseconds. */
const FRAME_MS = 34;

/** The elements that move on the page for longer than a frame. */
function moving(page: Page): Promise<string[]> {
  return page.evaluate((frame) => {
    const ms = (times: string) =>
      Math.max(
        ...times.split(',').map((time) => Number.parseFloat(time) * (time.trim().endsWith('ms') ? 1 : 1000)),
      );
    return [...document.querySelectorAll('*')]
      .filter((element) => {
        const style = getComputedStyle(element);
        const animated = style.animationName !== 'none' && ms(style.animationDuration) > frame;
        return animated || ms(style.transitionDuration) > frame;
      })
      .map((element) => `${element.localName} ${element.getAttribute('class') ?? ''}`);
  }, FRAME_MS);
}

/** How far the page and the timeline can be scrolled sideways, in pixels. */
function sideways(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('[role="feed"]')].map((element) => {
      const box = element.getAttribute('role') === 'feed' ? (element.parentElement ?? element) : element;
      return box.scrollWidth - box.clientWidth;
    }),
  );
}

test('a complete run can be read by keyboard alone', async ({ ownServer, ollama }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-hands-'));
  await storeRuns(dataDir, { [LONG]: longLog(400).events });
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const view = new RunView(page);
  const focused = () =>
    view.timeline.evaluate((feed) => {
      const row = feed.ownerDocument.activeElement?.closest('article');
      return row ? Number(row.getAttribute('aria-posinset')) : 0;
    });
  await page.goto('/');
  await expect(page.getByRole('region', { name: 'Runs', exact: true })).toBeVisible();

  await test.step('the palette leads to the run', async () => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox', { name: 'Command', exact: true })).toBeFocused();
    await page.keyboard.type('three reports qwen3');
    await expect(
      page.getByRole('option', { name: /Read the three reports.*qwen3:8b/ }).first(),
    ).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(LONG));
    await expect(view.connection('Complete')).toBeVisible();
  });

  await test.step('j leads through every row from the first to the last, k back', async () => {
    await page.keyboard.press('Shift+G');
    await expect(view.end).toBeInViewport();
    await page.keyboard.press('g');
    await expect.poll(focused).toBe(1);
    for (let position = 2; position <= 60; position += 1) {
      await page.keyboard.press('j');
      await expect.poll(focused, { intervals: [10, 20, 50] }).toBe(position);
    }
    await expect(view.timeline.locator('article:focus')).toBeInViewport();
    await page.keyboard.press('k');
    await expect.poll(focused).toBe(59);
  });

  await test.step('/ finds, Enter goes on, Escape comes back to the rows', async () => {
    await page.keyboard.press('/');
    await expect(page.getByRole('textbox', { name: 'Search in this run' })).toBeFocused();
    await page.keyboard.type('chapter-9-3');
    await expect(page.getByRole('search')).toContainText(/\d/);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('search')).toContainText(/1\/\d/);
    await page.getByRole('button', { name: 'Next', exact: true }).focus();
    await page.keyboard.press('/');
    await expect(page.getByRole('textbox', { name: 'Search in this run' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('search')).toBeHidden();
    await expect(view.timeline.locator('article:focus')).toContainText('chapter-9-3');
  });

  await test.step('Enter and Escape right after the last letter lead to a row that is not drawn yet', async () => {
    await page.keyboard.press('/');
    await expect(view.timeline).not.toContainText('chapter-1-1');
    await page.getByRole('textbox', { name: 'Search in this run' }).evaluate((field: HTMLInputElement) => {
      // Faster than anyone types: before the page has searched.
      field.focus();
      document.execCommand('insertText', false, 'chapter-1-1');
      for (const key of ['Enter', 'Escape'])
        field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    });
    await expect(view.timeline.locator('article:focus')).toContainText('chapter-1-1');
  });

  await test.step('Enter unfolds a row, ? shows the keys', async () => {
    await page.keyboard.press('g');
    await expect.poll(focused).toBe(1);
    await page.keyboard.press('Shift+J');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const row = view.timeline.locator('article:focus');
    await expect(row).toHaveAccessibleName(/^read_file, succeeded/);
    await page.keyboard.press('Enter');
    await expect(row.locator('button[aria-expanded="true"]').first()).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(row.locator('button[aria-expanded="true"]')).toHaveCount(0);
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeHidden();
    await expect(row).toBeFocused();
  });
});

test('two runs can be marked in the list and compared by keyboard', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'to-mark', steps: [{ reply: { content: 'The task is completed.' } }] });
  for (const task of ['Mark me first', 'Mark me second', 'Leave me alone'])
    await finishRun(loupe, { task, model: 'to-mark' });
  await page.goto('/');
  const bar = page.getByRole('region', { name: 'Selected runs' });
  const mark = (title: string) => page.getByRole('checkbox', { name: `Select: ${title}` }).first();
  await page.getByRole('link', { name: /Mark me first/ }).focus();
  await page.keyboard.press('Shift+Tab');
  await expect(mark('Mark me first')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(bar).toContainText('Select another run');
  await mark('Leave me alone').focus();
  await page.keyboard.press('Space');
  await mark('Mark me second').focus();
  await page.keyboard.press('Space');
  await expect(bar.getByRole('link', { name: 'Compare' })).toHaveAttribute('href', /a=.+&b=.+&c=.+/);
  await mark('Leave me alone').focus();
  await page.keyboard.press('Space');
  await expectAccessible(page);
  await bar.getByRole('link', { name: 'Compare' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Compare', exact: true })).toBeVisible();
  const compared = page.getByRole('list', { name: 'Compared runs' }).getByRole('listitem');
  await expect(compared).toHaveText([/Mark me first/, /Mark me second/]);
});

test('with reduced motion nothing moves for longer than a frame', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'still', steps: [{ fault: { kind: 'hang' } }] });
  const { id } = await startRun(loupe, { task: 'Stay still', model: 'still' });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.row('Model call 1, open')).toBeVisible();
  await expect.poll(async () => (await moving(page)).join()).toContain('breathe');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await moving(page)).toEqual([]);
  await page.goto('/');
  await expect(page.getByRole('link', { name: /Stay still/ })).toBeVisible();
  expect(await moving(page)).toEqual([]);
});

test('a printed run has all its rows', async ({ ownServer, ollama }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-paper-'));
  await storeRuns(dataDir, { [LONG]: longLog(400).events });
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const view = new RunView(page);
  await view.open(LONG);
  await expect(view.connection('Complete')).toBeVisible();
  const drawn = await view.timeline.locator('article').count();
  await page.evaluate(() => {
    window.addEventListener('beforeprint', () => {
      const rows = [...document.querySelectorAll<HTMLElement>('[role="feed"] article')];
      const words = [rows[0], rows.at(-1)].map((row) => row?.textContent ?? '');
      Object.assign(window, { paper: { rows: rows.length, words } });
    });
  });
  const pdf = await page.pdf({ format: 'A4' });
  const paper = await page.evaluate(
    () => (window as unknown as { paper: { rows: number; words: string[] } }).paper,
  );
  expect(paper.rows).toBeGreaterThan(drawn);
  expect(paper.rows).toBeGreaterThan(200);
  expect(paper.words[0]).toContain('Read the three reports in this folder');
  expect(paper.words[1]).toContain('All chapters are read.');
  // A row takes at least one line, and a sheet has about 70 lines.
  const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
  expect(sheets).toBeGreaterThan(paper.rows / 70);
  await expect(view.timeline.locator('article')).not.toHaveCount(paper.rows);
});

test('runs in every state fit 360 and 3840 pixels, and axe finds nothing', async ({ ownServer, ollama }) => {
  test.setTimeout(600_000);
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-states-'));
  await storeRuns(dataDir, { [EXPLORED]: exploreLog(12).events, [FAILED]: endedLog('error').events });
  ollama.add({ name: 'hangs', steps: [{ fault: { kind: 'hang' } }] });
  ollama.add({
    name: 'asks',
    steps: [{ reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'a.md', content: 'A.' } }] } }],
  });
  const { page, loupe } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const view = new RunView(page);
  const asked = await startRun(loupe, {
    task: 'Ask first',
    model: 'asks',
    approval: { tools: { write_file: 'ask' } },
  });
  await view.open(asked.id);
  await expect(view.row('write_file, awaiting approval')).toBeVisible();
  const running = await startRun(loupe, { task: 'Run on', model: 'hangs' });
  const states = [
    { id: asked.id, seen: view.row('write_file, awaiting approval') },
    { id: running.id, seen: view.row('Model call 1, open') },
    { id: FAILED, seen: view.end },
    { id: EXPLORED, seen: view.end },
  ];
  for (const { id, seen } of states) {
    await test.step(id, async () => {
      await page.setViewportSize({ width: 1280, height: 860 });
      await view.open(id);
      await expect(seen).toBeVisible();
      await expectAccessible(page);
      for (const [width, height] of [
        [360, 740],
        [3840, 2160],
      ] as const) {
        await page.setViewportSize({ width, height });
        await expect(seen).toBeVisible();
        await expect.poll(() => sideways(page), `at ${width} pixels`).toEqual([0, 0]);
      }
    });
  }
});

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import type { RunEvent } from '../../lib/events/registry.ts';
import { SqliteRunStore } from '../../lib/store/sqlite/sqlite-store.ts';
import { sampleCheck } from '../../lib/testing/sample-check.ts';
import { longLog } from '../../lib/testing/sample-logs.ts';
import { exploreLog } from '../../lib/testing/sample-modes.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { misfits } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';

const call = (name: string, args: Record<string, string>) => ({ name, arguments: args });

const steps = [
  { reply: { content: 'First I look.', tool_calls: [call('list_directory', { path: '.' })] } },
  { reply: { tool_calls: [call('read_file', { path: 'gone.md' })] } },
  { reply: { tool_calls: [call('write_file', { path: 'out.md', content: 'Done.' })] } },
  { reply: { content: 'The task is completed: out.md is there.' } },
];

const strip = (page: Page) => page.getByRole('region', { name: 'Plots', exact: true });
const plot = (page: Page, title: string) => page.getByRole('figure', { name: title });
const points = (figure: Locator) => figure.getByRole('slider');

/** Imports a log through the list of runs and shows its plots. */
async function importedPlots(page: Page, events: readonly RunEvent[]): Promise<void> {
  const text = events.map((event) => JSON.stringify(event)).join('\n');
  await page.goto('/');
  await page
    .getByLabel('Run file')
    .setInputFiles({ name: 'run.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(text) });
  await expect(page).toHaveURL(/\/runs\/[^/]+$/);
  await page.goto(`${page.url()}?view=plots`);
}

test('the strip sums up a run; the plots in full lead to its events', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'plotted', steps });
  const { id } = await finishRun(loupe, { task: 'Write out.md', model: 'plotted', workspace: workspace() });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');

  await test.step('the strip can be closed, and stays closed', async () => {
    await expect(strip(page).getByRole('button', { name: /^Context [\d,]+ of [\d,]+/ })).toBeVisible();
    await strip(page).getByRole('button', { name: 'Plots', exact: true }).click();
    await page.reload();
    await expect(strip(page).getByRole('button', { name: 'Plots', exact: true })).toBeVisible();
    await expect(strip(page).getByRole('button', { name: /^Elapsed / })).toHaveCount(0);
    await strip(page).getByRole('button', { name: 'Plots', exact: true }).click();
  });

  await test.step('arrow keys move through the calls, Enter goes to the call on the timeline', async () => {
    await strip(page)
      .getByRole('button', { name: /^Elapsed / })
      .click();
    await expect(page).toHaveURL(/[?&]view=plots/);
    const cursor = points(plot(page, 'Time by model call'));
    await cursor.focus();
    await page.keyboard.press('End');
    await expect(cursor).toHaveAttribute('aria-valuetext', /^Call 4: /);
    await page.keyboard.press('ArrowLeft');
    await expect(cursor).toHaveAttribute('aria-valuetext', /^Call 3: .*tools/);
    await page.keyboard.press('Enter');
    await expect(page).not.toHaveURL(/view=plots/);
    await expect(view.row('Model call 3')).toBeInViewport();
  });

  await test.step('Back opens the plots again, and Escape closes them', async () => {
    await strip(page)
      .getByRole('button', { name: /^Context / })
      .click();
    await expect(plot(page, 'Context by iteration')).toBeVisible();
    await page.goBack();
    await expect(plot(page, 'Context by iteration')).toBeHidden();
    await page.goForward();
    await points(plot(page, 'Context by iteration')).focus();
    await page.keyboard.press('Escape');
    await expect(plot(page, 'Context by iteration')).toBeHidden();
  });

  await test.step('the table has the same numbers as the plot', async () => {
    await strip(page)
      .getByRole('button', { name: /^Context / })
      .click();
    const figure = plot(page, 'Context by iteration');
    await points(figure).focus();
    await page.keyboard.press('Home');
    const words = await points(figure).getAttribute('aria-valuetext');
    const estimated = /about ([\d,]+) tokens/.exec(words ?? '')?.[1] ?? 'nothing';
    await figure.getByRole('button', { name: 'Context by iteration: show as a table' }).click();
    const first = figure.getByRole('row').nth(1);
    await expect(first.getByRole('rowheader')).toHaveText('Iteration 1');
    await expect(first.getByRole('cell', { name: estimated, exact: true })).toBeVisible();
    await expect(figure.getByRole('row')).toHaveCount(5);
  });

  await test.step('a plot is saved as an SVG file with its title', async () => {
    const saved = page.waitForEvent('download');
    await plot(page, 'Tokens in').getByRole('button', { name: 'Tokens in: save as SVG' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('tokens-in.svg');
    const svg = readFileSync(await file.path(), 'utf8');
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(svg).toContain('>Tokens in</text>');
    expect(svg).not.toMatch(/class=|style=|<script|href=/);
  });
});

for (const [theme, width] of [
  ['light', 360],
  ['dark', 360],
  ['light', 1280],
  ['dark', 1920],
] as const) {
  test(`the plots are accessible and fit: ${theme}, ${width} px`, async ({
    page,
    loupe,
    ollama,
    workspace,
  }) => {
    ollama.add({ name: 'plotted', steps });
    const { id } = await finishRun(loupe, { task: 'Write out.md', model: 'plotted', workspace: workspace() });
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme });
    await page.goto(`/runs/${id}?view=plots`);
    for (const title of [
      'Time by model call',
      'Context by iteration',
      'Tokens in',
      'Tokens out',
      'Writing speed',
    ]) {
      await expect(plot(page, title)).toBeAttached();
    }
    await expect(points(plot(page, 'Tokens in')).locator('svg')).toBeAttached();
    await expectAccessible(page);
    const { overflow, outside } = await misfits(page);
    expect([overflow, outside]).toEqual([0, []]);
    await page.getByRole('button', { name: 'Tokens in: show as a table' }).click();
    await expectAccessible(page);
  });
}

test('a running run and a failed one have plots as well', async ({ page, loupe, ollama, workspace }) => {
  ollama.add({ name: 'slow', steps: [...steps.slice(0, 1), { fault: { kind: 'hang' } }] });
  const { id } = await startRun(loupe, { task: 'Wait', model: 'slow', workspace: workspace() });
  await page.goto(`/runs/${id}?view=plots`);
  const cursor = points(plot(page, 'Time by model call'));
  await expect(cursor).toHaveAttribute('aria-valuemax', '3');
  await cursor.focus();
  await page.keyboard.press('End');
  await expect(cursor).toHaveAttribute('aria-valuetext', /^Call 2: .*thinking or writing/);
  await expectAccessible(page);
  await loupe.request(`/api/runs/${id}/stop`, { json: { force: true } });
  await expect(cursor).toHaveAttribute('aria-valuetext', /^Call 2, failed: /);
});

test('an exploration also plots diversity, memory and tools', async ({ page }) => {
  await importedPlots(page, exploreLog(12).events);
  await expect(points(plot(page, 'Diversity by cycle'))).toHaveAttribute('aria-valuemax', '12');
  const tools = points(plot(page, 'Tools by cycle'));
  await tools.focus();
  await page.keyboard.press('Home');
  await expect(tools).toHaveAttribute('aria-valuetext', /^Cycle 1: .*write/);
  await expectAccessible(page);
});

test('explorations are put side by side, with the similarity of their reflections', async ({ page }) => {
  const ids: string[] = [];
  for (const cycles of [5, 7]) {
    await importedPlots(page, exploreLog(cycles, { runId: `sample${cycles}` }).events);
    ids.push(new URL(page.url()).pathname.replace('/runs/', ''));
  }
  const similarity = points(plot(page, 'Similarity of reflections'));
  await similarity.focus();
  await page.keyboard.press('End');
  await expect(similarity).toHaveAttribute('aria-valuetext', /^Cycle 7: (\d+ % like cycle \d|like no other)/);
  await page.goto(`/runs/${ids[1]}`);
  await page.getByRole('tab', { name: 'Cycles' }).click();
  const own = page.getByRole('region', { name: 'Cycle table' });
  await expect(own.getByRole('row')).toHaveCount(1 + 7);
  await expect(own.getByRole('columnheader', { name: 'write' })).toBeVisible();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  expect(readFileSync(await file.path(), 'utf8').split('\r\n')).toHaveLength(1 + 7 + 1);
  await expectAccessible(page);

  await page.goto(`/compare?a=${ids[0]}&b=${ids[1]}`);
  const explorations = page.getByRole('region', { name: 'Explorations' });
  const across = points(explorations.getByRole('figure', { name: 'Similarity across runs' }));
  await across.focus();
  await page.keyboard.press('Home');
  await expect(across).toHaveAttribute('aria-valuetext', /^A, cycle 1: 100% like B, cycle 1/);
  await explorations.getByRole('button', { name: 'Mean similarity by run: show as a table' }).click();
  await expect(explorations.getByRole('row', { name: /^A \d+% \d+%/ })).toBeVisible();
  const [cycles] = await Promise.all([
    page.waitForEvent('download'),
    explorations.getByRole('link', { name: 'Cycles as CSV' }).click(),
  ]);
  expect(readFileSync(await cycles.path(), 'utf8').split('\r\n')).toHaveLength(1 + 12 + 1);
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => misfits(page)).toEqual({ overflow: 0, outside: [], sideways: [] });
});

test('10,000 events are combined into a few rows, which zooming in separates', async ({ page }) => {
  await importedPlots(page, longLog(10_000).events);
  const figure = plot(page, 'Time by model call');
  const cursor = points(figure);
  await expect(cursor).toHaveAttribute('aria-valuemax', '45', { timeout: 120_000 });
  expect(await page.locator('[data-plots-view] svg *').count()).toBeLessThan(2000);
  await cursor.focus();
  await page.keyboard.press('Home');
  await expect(cursor).toHaveAttribute('aria-valuetext', /^Calls 1–/);
  await page.keyboard.press('Enter');
  await expect(cursor).toHaveAttribute('aria-valuetext', /^(Before the first call|Call 1):/);
  await figure.getByRole('button', { name: 'Zoom out' }).click();
  await expect(figure.getByText(/^Calls [\d,]+–[\d,]+ of /)).toBeVisible();
  await test.step('the focus stays beside a button that is disabled by its press', async () => {
    const closer = figure.getByRole('button', { name: 'Zoom in' });
    const wider = figure.getByRole('button', { name: 'Zoom out' });
    await closer.focus();
    while (await closer.isEnabled()) await page.keyboard.press('Enter');
    await expect(wider).toBeFocused();
    while (await wider.isEnabled()) await page.keyboard.press('Enter');
    await expect(closer).toBeFocused();
  });
});

test('plots in a replay follow its position', async ({ page }) => {
  await importedPlots(page, longLog(300).events);
  const cursor = points(plot(page, 'Time by model call'));
  // The time before the first call, and 19 calls.
  await expect(cursor).toHaveAttribute('aria-valuemax', '20');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  const place = page.getByRole('slider', { name: 'Position in the run' });
  await page.getByRole('button', { name: 'Pause' }).click();
  await place.focus();
  await page.keyboard.press('Home');
  await expect(plot(page, 'Time by model call')).toContainText('No data yet.');
  await place.focus();
  await page.keyboard.press('End');
  await expect(cursor).toHaveAttribute('aria-valuemax', '20');
});

test('two runs have their timelines above each other, aligned by iteration', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'plotted', steps });
  ollama.add({ name: 'shorter', steps: steps.slice(2) });
  const folder = workspace();
  const a = await finishRun(loupe, { task: 'Write out.md', model: 'plotted', workspace: folder });
  const b = await finishRun(loupe, { task: 'Write out.md', model: 'shorter', workspace: folder });
  await page.goto(`/compare?a=${a.id}&b=${b.id}`);
  const figure = plot(page, 'Time by iteration');
  const cursor = points(figure);
  // The time before the first call, and four iterations.
  await expect(cursor).toHaveAttribute('aria-valuemax', '5');
  await cursor.focus();
  await page.keyboard.press('End');
  await expect(cursor).toHaveAttribute('aria-valuetext', /^Iteration 4: A .+ · B has none$/);
  await expectAccessible(page);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.locator('#step-2')).toBeInViewport();
  await figure.getByRole('button', { name: 'Time by iteration: show as a table' }).click();
  await expect(figure.getByRole('row')).toHaveCount(6);
});

test('the Models page plots the results of checks over time', async ({ ownServer, ollama }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-checks-'));
  const day = 86_400_000;
  const store = SqliteRunStore.open(dataDir, { ballastMegabytes: 1 });
  for (const [model, ended_at] of [
    ['qwen3:8b', Date.UTC(2026, 10, 1, 12)],
    ['qwen3:8b', Date.UTC(2026, 10, 1, 12) + 3 * day],
    ['llama3.2:3b', Date.UTC(2026, 10, 1, 12) + 4 * day],
  ] as const) {
    await store.saveModelCheck(sampleCheck({ model, ended_at }));
  }
  await store.close();
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  await page.goto('/models');
  const figure = plot(page, 'Pass rate of checks');
  const cursor = points(figure);
  await expect(cursor).toHaveAttribute('aria-valuemax', '3');
  await cursor.focus();
  await page.keyboard.press('End');
  await expect(cursor).toHaveAttribute(
    'aria-valuetext',
    /^llama3.2:3b, 5 Nov 2026.*: \d+ of \d+ rules passed$/,
  );
  await expect(points(plot(page, 'Speed in checks'))).toHaveAttribute('aria-valuetext', /tok\/s$/);
  await expectAccessible(page);
  await figure.getByRole('button', { name: 'Pass rate of checks: show as a table' }).click();
  await expect(figure.getByRole('row')).toHaveCount(4);
});

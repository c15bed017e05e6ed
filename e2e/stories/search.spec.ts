import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { SearchReply } from '../../lib/api/search.ts';
import { longLog, repairedLog, SampleLog } from '../../lib/testing/sample-logs.ts';
import type { JsonValue } from '../../lib/util/json.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { storeManyRuns } from '../many-runs.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';
import { storeRuns } from '../stored-run.ts';

/** Whether the first of the marked words is within the window. */
function isFirstMarkInView(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const [mark] = CSS.highlights.get('found') ?? [];
    if (!(mark instanceof Range)) return false;
    const { top, bottom } = mark.getBoundingClientRect();
    return top > 0 && bottom > top && bottom < window.innerHeight;
  });
}

/** Whether a mark is visible: within the window, and not cut off by a part of the page that clips or scrolls. */
function isAMarkVisible(page: Page): Promise<boolean> {
  return page.evaluate(() =>
    [...(CSS.highlights.get('found') ?? [])].some((mark) => {
      if (!(mark instanceof Range)) return false;
      const { top, bottom, left, right } = mark.getBoundingClientRect();
      if (bottom <= top || top < 0 || bottom > innerHeight || left < 0 || right > innerWidth) return false;
      for (let parent = mark.startContainer.parentElement; parent; parent = parent.parentElement) {
        if (getComputedStyle(parent).overflow === 'visible') continue;
        const frame = parent.getBoundingClientRect();
        if (top < frame.top - 1 || bottom > frame.bottom + 1) return false;
        if (left < frame.left - 1 || right > frame.right + 1) return false;
      }
      return true;
    }),
  );
}

const manyLines = (count: number, words: string) =>
  Array.from({ length: count }, (_, line) =>
    line === Math.round(count * 0.7) ? `Here is ${words}.` : `Line ${line + 1} of something else.`,
  ).join('\n');

/** Rows with words in all parts that are folded at first, each named after its part. */
function foldedLog(mode: 'task' | 'session'): SampleLog {
  const log = new SampleLog({ config: { mode, task: manyLines(60, 'quokka-task') } }).prepare();
  const call = (path: string, result: JsonValue, content = 'Short.') => ({
    name: 'write_file',
    arguments: { path, content },
    result: { output: result },
  });
  log.round({
    thinking: manyLines(60, 'quokka-thought'),
    text: 'I begin.',
    calls: [
      call('result.md', { content: manyLines(300, 'quokka-result') }),
      call('short-thought.md', { content: 'Nothing.' }, manyLines(200, 'quokka-argument')),
      call('window.md', { content: manyLines(2000, 'quokka-window') }),
      call('tree.md', {
        entries: Array.from({ length: 240 }, (_, at) => ({
          name: `entry ${at}`,
          details: { note: at === 180 ? `${'long '.repeat(90)}quokka-tree` : 'none' },
        })),
      }),
    ],
  });
  for (let turn = 0; turn < 8; turn += 1) {
    log.round({ text: manyLines(40, 'nothing').replaceAll('\n', '\n\n') });
  }
  log.round({ thinking: `${'A thought. '.repeat(20)}quokka-clamped`, text: manyLines(300, 'quokka-reply') });
  return log.end('stopped', { message: 'Stopped on request.', output: 'Done.' });
}

const FOLDED = ['task', 'thought', 'result', 'argument', 'window', 'tree', 'clamped', 'reply'].map(
  (part) => `quokka-${part}`,
);

/** A session with so many turns, each with a long text. */
function longSession(turns: number): SampleLog {
  const log = new SampleLog({ config: { mode: 'session' } }).prepare();
  for (let turn = 1; turn <= turns; turn += 1) {
    const rows = Array.from({ length: 200 }, (_, row) => `I water row ${row + 1} of bed ${turn}.`);
    log.round({ text: rows.join('\n\n') });
    log.push({ type: 'turn.ended', iteration: turn, outcome: 'text' });
    log.push({ type: 'harness.prompted', iteration: turn, text: 'Continue.' });
  }
  return log.end('stopped', { message: 'Stopped on request.', output: 'Done.' });
}

const answer = (name: string, content: string) => ({
  name,
  steps: [
    { reply: { tool_calls: [{ name: 'write_file', arguments: { path: `${name}.md`, content } }] } },
    { reply: { content: `${content} The task is completed.` } },
  ],
});

test('a search over all runs links to the matching rows', async ({ page, loupe, ollama }) => {
  ollama.add(answer('quokka-model', 'The quokka lives on Rottnest Island.'));
  ollama.add(answer('wombat-model', 'A wombat digs <b>all night</b>.'));
  const quokka = await finishRun(loupe, { task: 'Tell me about animals', model: 'quokka-model' });
  await finishRun(loupe, { task: 'Tell me about diggers', model: 'wombat-model:latest' });
  await finishRun(loupe, { task: 'Tell me more about diggers', model: 'wombat-model' });
  await page.goto('/');

  await test.step('a model that runs named in two ways is one choice', async () => {
    const filter = page.getByLabel('Filter by model');
    await expect(filter.getByRole('option', { name: /^wombat-model(:latest)?$/ })).toHaveCount(1);
    await page.goto('/?model=wombat-model%3Alatest');
    await expect(filter.locator('option:checked')).toHaveText(/^wombat-model/);
    const runs = page.getByRole('region', { name: 'Runs', exact: true });
    await expect(runs.getByRole('link', { name: /about diggers/ })).toHaveCount(2);
    await page.goto('/');
  });

  await test.step('the slash leads to the search, and the address follows it', async () => {
    await expect(page.getByRole('region', { name: 'Runs', exact: true })).toBeVisible();
    await page.keyboard.press('/');
    await page.keyboard.type('rottn isl');
    const logs = page.getByRole('region', { name: 'In the logs', exact: true });
    await expect(
      logs.getByRole('link', { name: /Reply.*The quokka lives on Rottnest Island/ }).first(),
    ).toBeVisible();
    await expect(
      logs
        .locator('mark')
        .filter({ hasText: /^Rottnest$/ })
        .first(),
    ).toBeVisible();
    await expect(page).toHaveURL(/text=rottn\+isl/);
    await expect(page.getByText('No titles match.')).toBeVisible();
    await expectAccessible(page);
  });

  await test.step('markup of a model is text', async () => {
    await page.getByLabel('Search all runs').fill('wombat night');
    await expect(
      page.getByRole('region', { name: 'In the logs', exact: true }).getByText('<b>').first(),
    ).toBeVisible();
  });

  await test.step('a hit opens the run at its row', async () => {
    await page.getByLabel('Search all runs').fill('"quokka lives"');
    const hit = page.getByRole('link', { name: /^Reply.*quokka lives.*completed/ });
    const href = await hit.getAttribute('href');
    await hit.click();
    await expect(page).toHaveURL(new RegExp(`/runs/${quokka.id}\\?find=%22quokka(%20|\\+)lives%22#\\d+$`));
    const view = new RunView(page);
    await expect(view.timeline.locator('article:focus')).toContainText('The quokka lives');
    await page.goBack();
    await expect(page.getByLabel('Search all runs')).toHaveValue('"quokka lives"');
    await expect(page.getByRole('link', { name: /^Reply.*quokka lives.*completed/ })).toHaveAttribute(
      'href',
      href ?? '',
    );
  });

  await test.step('the palette finds it too', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('quokka rottnest');
    const option = page.getByRole('option', { name: /Reply The quokka lives/ });
    await expect(option.first()).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`/runs/${quokka.id}\\?find=quokka\\+rottnest#\\d+$`));
  });

  await test.step('any text is a query', async () => {
    await page.goto('/');
    await page.getByLabel('Search all runs').fill('") OR (* NEAR');
    await expect(page.getByRole('region', { name: 'In the logs', exact: true })).toContainText('nothing');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('region', { name: 'In the logs', exact: true })).toBeHidden();
  });
});

test('a run with many matches leaves room for others, and opens with its own search', async ({
  ownServer,
  ollama,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-search-'));
  const [often, once] = ['20261121-0930-often', '20261121-0920-once'];
  await storeRuns(dataDir, { [once]: repairedLog().events, [often]: longLog(2000).events });
  const { page, loupe } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const reply = async () => (await (await loupe.request('/api/search?q=read_file')).json()) as SearchReply;
  await expect.poll(async () => (await reply()).behind, { timeout: 120_000 }).toBe(0);
  const places = (await reply()).runs.find((run) => run.run_id === often)?.places ?? 0;
  expect(places).toBeGreaterThan(30);
  await page.goto('/?text=read_file');
  const logs = page.getByRole('region', { name: 'In the logs', exact: true });
  await expect(
    logs.getByRole('link', { name: `and ${(places - 3).toLocaleString('en-US')} more in this run` }),
  ).toBeVisible();
  await expect(logs.locator(`a[href^="/runs/${often}?"][href*="#"]`)).toHaveCount(3);
  await expect(logs.locator(`a[href^="/runs/${once}?"][href*="#"]`).first()).toBeVisible();
  await expectAccessible(page);

  await logs
    .getByRole('link', { name: /more in this run/ })
    .first()
    .click();
  await expect(page).toHaveURL(new RegExp(`/runs/${often}\\?find=read_file$`));
  const search = page.getByRole('search');
  await expect(search.getByLabel('Search in this run')).toHaveValue('read_file');
  await expect(search.getByRole('status')).toHaveText(/^1\/\d+$/);
  await expect(new RunView(page).row(/^read_file/).first()).toBeInViewport();
  await expectAccessible(page);
  await search.getByLabel('Search in this run').press('Escape');
  await expect(search).toBeHidden();
  await expect(page).toHaveURL(new RegExp(`/runs/${often}$`));
});

test('a link with words alone opens the run at the first match, also within a text longer than the page', async ({
  ownServer,
  ollama,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-search-'));
  const [long, session] = ['20261121-0930-long', '20261121-0920-session'];
  await storeRuns(dataDir, { [long]: longLog(2000).events, [session]: longSession(30).events });
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  for (const [id, words] of [
    [long, 'chapter-20-3'],
    [session, 'row 1 of bed 7'],
    [session, 'row 190 of bed 20'],
  ] as const) {
    await page.goto(`/runs/${id}?find=${encodeURIComponent(`"${words}"`)}`);
    await expect(page.getByRole('search').getByRole('status')).toHaveText(/^1\/\d+$/);
    await expect.poll(() => isFirstMarkInView(page)).toBe(true);
  }
});

test('words in a folded part are unfolded and shown, by the search of a run and by links', async ({
  ownServer,
  ollama,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-search-'));
  const ids = { task: '20261121-0930-folded', session: '20261121-0920-folded' };
  const logs = { task: foldedLog('task').events, session: foldedLog('session').events };
  await storeRuns(dataDir, { [ids.task]: logs.task, [ids.session]: logs.session });
  const { page, loupe } = await ownServer({ ollamaUrl: ollama.url, dataDir });

  for (const mode of ['task', 'session'] as const) {
    const id = ids[mode];
    await test.step(`the search of a ${mode}`, async () => {
      for (const words of FOLDED) {
        await page.goto(`/runs/${id}`);
        await expect(new RunView(page).connection('Complete')).toBeVisible();
        await page.keyboard.press('/');
        const field = page.getByLabel('Search in this run', { exact: true });
        await field.fill(words);
        await field.press('Enter');
        await expect.poll(() => isAMarkVisible(page), `${words} in a ${mode}`).toBe(true);
      }
    });

    await test.step(`a link to the words in a ${mode}`, async () => {
      for (const words of FOLDED) {
        await page.goto(`/runs/${id}?find=${words}`);
        await expect.poll(() => isAMarkVisible(page), `${words} in a ${mode}`).toBe(true);
      }
    });
  }

  await test.step('a hit of the search over all runs', async () => {
    const reply = async () => (await (await loupe.request('/api/search?q=quokka')).json()) as SearchReply;
    await expect.poll(async () => (await reply()).behind).toBe(0);
    await page.goto('/?text=quokka-result&mode=task');
    const hit = page.locator(`a[href^="/runs/${ids.task}"]`, { hasText: 'quokka-result' }).last();
    await hit.click();
    const view = new RunView(page);
    await expect(view.timeline.locator('article:focus')).toContainText('quokka-result');
    await expect.poll(() => isAMarkVisible(page)).toBe(true);
  });
});

test('a phrase is marked across the colors of code', async ({ ownServer, ollama }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-search-'));
  const id = '20261121-0930-code';
  const content = Array.from({ length: 9 }, (_, line) => `const quokka${line} = { fed: true };`).join('\n');
  const log = new SampleLog().prepare();
  log.round({
    calls: [
      { name: 'read_file', arguments: { path: 'a.ts' }, result: { output: { path: 'a.ts', content } } },
    ],
  });
  await storeRuns(dataDir, { [id]: log.end('final_answer', { message: 'Done.', output: 'Done.' }).events });
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  await page.goto(`/runs/${id}?find=${encodeURIComponent('"CONST quokka7 = { fed"')}`);
  const marks = () =>
    page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map((mark) => String(mark)));
  await expect(page.locator('code .text-code-keyword').first()).toBeVisible();
  await expect.poll(marks).toEqual(['const quokka7 = { fed']);
  await expect.poll(() => isAMarkVisible(page)).toBe(true);
});

/** A run with words near the end of texts that are too long to be sent in full. */
function cutLog(mode: 'task' | 'session'): SampleLog {
  const log = new SampleLog({ config: { mode } }).prepare();
  const call = (path: string, content: string, output: JsonValue) => ({
    name: 'write_file',
    arguments: { path, content },
    result: { output },
  });
  log.round({
    thinking: manyLines(4000, 'quokka-thought'),
    text: manyLines(4000, 'quokka-reply'),
    calls: [
      call('result.md', 'Short.', { content: manyLines(4000, 'quokka-result') }),
      call('argument.md', manyLines(4000, 'quokka-argument'), 'Done.'),
      call('huge.md', 'Short.', { content: manyLines(100_000, 'quokka-huge') }),
    ],
  });
  for (let turn = 0; turn < 8; turn += 1) {
    log.round({ text: manyLines(40, 'nothing').replaceAll('\n', '\n\n') });
  }
  return log.end('stopped', { message: 'Stopped on request.', output: 'Done.' });
}

test('words in the part of a text that was not sent are found and shown', async ({ ownServer, ollama }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-search-'));
  const ids = { task: '20261121-0930-cut', session: '20261121-0920-cut' };
  await storeRuns(dataDir, { [ids.task]: cutLog('task').events, [ids.session]: cutLog('session').events });
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const bar = page.getByRole('search');

  for (const mode of ['task', 'session'] as const) {
    for (const part of ['thought', 'reply', 'result', 'argument']) {
      await test.step(`${part} in a ${mode}`, async () => {
        await page.goto(`/runs/${ids[mode]}?find=quokka-${part}`);
        await expect(bar).toContainText('Long texts are searched only in part.');
        await bar.getByRole('button', { name: 'Search them in full' }).click();
        await expect(bar).toContainText('1 text too long to search: download it instead.');
        await expect(bar.getByRole('status')).toHaveText('1/1');
        await expect.poll(() => isAMarkVisible(page), `${part} in a ${mode}`).toBe(true);
      });
    }
  }

  await test.step('on a phone the note is as high as its lines', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`/runs/${ids.task}?find=quokka-result`);
    const note = bar.getByText('Long texts are searched only in part.');
    await expect(note.getByRole('button')).toBeVisible();
    expect((await note.boundingBox())?.height).toBeLessThan(44);
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  await test.step('the answer to an earlier search does not replace that to the last one', async () => {
    const url = /\/events\/\d+$/;
    const inFull = bar.getByRole('button', { name: 'Search them in full' });
    const field = page.getByLabel('Search in this run', { exact: true });
    const done = '1 text too long to search';
    let last = '';
    page.on('request', (request) => {
      if (url.test(request.url())) last = request.url();
    });
    await page.goto(`/runs/${ids.task}?find=quokka-result`);
    await inFull.click();
    await expect(bar).toContainText(done);

    const held = Promise.withResolvers<void>();
    await page.route(url, async (route) => {
      await held.promise;
      await route.continue();
    });
    const answered = page.waitForResponse(last);
    const first = page.waitForRequest(url);
    await field.fill('quokka-resul');
    await inFull.click();
    await first;
    // All texts have this word in the part that was sent, so nothing is fetched.
    await field.fill('line');
    await inFull.click();
    await expect(bar).toContainText(done);
    held.resolve();
    await (await answered).finished();
    await twoFrames(page);
    await expect(bar).toContainText(done);
    await page.unroute(url);
  });

  await test.step('a link to the row', async () => {
    const result = cutLog('task').events.find(({ type }) => type === 'tool-call.ended');
    await page.goto(`/runs/${ids.task}?find=quokka-result#${result?.seq}`);
    await expect.poll(() => isAMarkVisible(page)).toBe(true);
  });

  await test.step('a run without such texts has no note', async () => {
    await page.getByLabel('Search in this run', { exact: true }).fill('');
    await expect(bar.getByText('Long texts')).toBeHidden();
  });
});

test('list filters are kept in the URL and never dropped silently', async ({ page, loupe, ollama }) => {
  ollama.add({
    name: 'stuck-one',
    steps: [{ reply: { tool_calls: [{ name: 'list_directory', arguments: {} }] } }],
  });
  ollama.add(answer('fine-one', 'Fine.'));
  await finishRun(loupe, { task: 'Loops for ever', model: 'stuck-one' });
  await finishRun(loupe, { task: 'Writes at once', model: 'fine-one' });
  await page.goto('/');
  const loops = page.getByRole('link', { name: /Loops for ever/ });
  const writes = page.getByRole('link', { name: /Writes at once/ });
  await expect(loops).toBeVisible();
  await page.getByLabel('Filter by state').selectOption('Repeated itself');
  await expect(page).toHaveURL(/outcome=repetition/);
  await expect(writes).toBeHidden();
  await expect(loops).toBeVisible();
  await page.getByLabel('Filter by model').selectOption('fine-one:latest');
  await expect(page.getByText('No runs match.')).toBeVisible();
  await page.goBack();
  await expect(loops).toBeVisible();
  await expect(page.getByLabel('Filter by model')).toHaveValue('');
  await page.goBack();
  await expect(writes).toBeVisible();
  await page.goForward();
  await expect(writes).toBeHidden();
  await page.reload();
  await expect(loops).toBeVisible();
  await expect(writes).toBeHidden();
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(writes).toBeVisible();

  // A URL with a reason, as used by scripts, still filters and shows it.
  await page.goto('/?reason=repetition');
  await expect(loops).toBeVisible();
  await expect(writes).toBeHidden();
  await expect(page.getByLabel('Filter by state')).toHaveValue('reason:repetition');

  await page.goto('/?reason=bored&mode=task');
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    'reason is "bored"; it must be one of',
  );
  await expect(page.getByLabel(/^Filter by mode(?!l)/)).toHaveValue('task');
  expect((await loupe.request('/api/runs?reason=bored')).status).toBe(400);
});

test('matches that come after the words have changed do not replace those of the new words', async ({
  ollama,
  ownServer,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-data-'));
  await storeManyRuns(dataDir, 240, Date.now());
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const found = page.getByRole('region', { name: 'In the logs', exact: true });
  const runs = found.locator('a[title]');
  const more = found.getByRole('button', { name: 'Show more runs' });
  await page.goto('/?text=translate');
  await expect(runs).toHaveCount(20);
  const release = await holdReply(page, /[?&]before=/, 1);
  await more.click();
  await page.getByLabel('Search all runs').fill('cheapest');
  await expect(runs.first()).toContainText('cheapest');
  await more.click();
  await expect(runs).toHaveCount(40);
  const late = page.waitForResponse((response) => /[?&]before=/.test(response.url()));
  release();
  await (await late).finished();
  await twoFrames(page);
  await expect(runs).toHaveCount(40);
});

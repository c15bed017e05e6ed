import type { Page } from '@playwright/test';
import type { ScenarioInput } from '../../lib/demo/scenario.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, signIn, test } from '../fixtures.ts';
import { startProxy } from '../proxy.ts';
import { RunView } from '../run-view.ts';
import { endOf, logOf, startRun, summaryOf } from '../runs.ts';

/** Six iterations with thinking, text and files, slow enough to observe. */
function journey(name: string): ScenarioInput {
  return {
    name,
    pace: { prompt_ms: 50, ms_per_token: 8 },
    steps: [
      {
        repeat: 6,
        steps: [
          {
            reply: {
              thinking: 'I think about part {{n}} for a while before I write it down.',
              content: 'Part {{n}} is next, and these words arrive one after another.',
              tool_calls: [
                { name: 'write_file', arguments: { path: 'part-{{n}}.md', content: 'Part {{n}}' } },
              ],
            },
          },
        ],
      },
      { reply: { content: 'All six parts are completed.' } },
    ],
  };
}

async function pictureOf(
  page: Page,
): Promise<{ rows: Map<string, string>; header: string | null; ledger: string | null }> {
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  return {
    rows: await view.allRows(),
    header: await page.locator('[data-phase]').textContent(),
    ledger: await view.guardrails.textContent(),
  };
}

test('five reloads in the middle of a run leave the same picture as a tab that never reloaded [D5]', async ({
  page,
  context,
  loupe,
  ollama,
}) => {
  ollama.add(journey('reloaded'));
  // Each reload is at another point of a reply while the run continues; the last one is in the middle of a reply.
  const releases = [1, 2, 3, 4, 5].map((turn) => ollama.hold('reloaded', { turn, afterTokens: 4 * turn }));
  const { id } = await startRun(loupe, { task: 'Go', model: 'reloaded', live_tokens: true, think: true });
  const steady = await context.newPage();
  await new RunView(steady).open(id);
  const view = new RunView(page);
  await view.open(id);
  for (const [index, release] of releases.entries()) {
    await expect(view.connection('Live')).toBeVisible();
    await expect(view.row(`Model call ${index + 2}, open`)).toBeVisible();
    const reloading = page.reload();
    if (index < 4) release();
    await reloading;
  }
  await expect(view.connection('Live')).toBeVisible();
  releases.at(-1)?.();
  const reloaded = await pictureOf(page);
  const unreloaded = await pictureOf(steady);
  expect(reloaded).toEqual(unreloaded);
  // Every row once and in order: an iteration with its call and its file, six times.
  expect([...reloaded.rows.values()].filter((text) => text.includes('write_file'))).toHaveLength(6);
});

test('a late viewer gets every event once, and the text in progress [D5]', async ({
  page,
  context,
  loupe,
  ollama,
}) => {
  const words = Array.from({ length: 120 }, (_, index) => `w${index}`).join(' ');
  ollama.add({
    name: 'late',
    pace: { ms_per_token: 4 },
    steps: [
      {
        reply: {
          content: 'A file first.',
          tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }],
        },
      },
      { reply: { content: `${words} completed` } },
    ],
  });
  const release = ollama.hold('late', { turn: 1, afterTokens: 60 });
  const { id } = await startRun(loupe, { task: 'Write', model: 'late', live_tokens: true });
  const early = new RunView(page);
  await early.open(id);
  await expect(early.row('Model call 2, open')).toContainText('w59');
  const second = await context.newPage();
  const late = new RunView(second);
  await late.open(id);
  await expect(late.row('Model call 2, open')).toContainText('w0 w1 w2');
  await expect(late.row('Model call 2, open')).toContainText('w59');
  await expect(late.row('Model call 1, ended')).toHaveCount(1);
  await expect(late.row('Model call 2, open')).not.toContainText('w60');
  release();
  expect(await pictureOf(second)).toEqual(await pictureOf(page));
});

test('a run continues without viewers, and is complete when one returns [D3]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add(journey('goes-alone'));
  // Until the viewer has left, however slow it is.
  const release = ollama.hold('goes-alone', { turn: 3, afterTokens: 5 });
  const { id } = await startRun(loupe, { task: 'Go alone', model: 'goes-alone', live_tokens: true });
  await new RunView(page).open(id);
  await expect(page.locator('[data-connection="live"]')).toBeVisible();
  await page.goto('about:blank');
  release();
  await endOf(loupe, id);
  await new RunView(page).open(id);
  const { rows } = await pictureOf(page);
  expect([...rows.values()].filter((text) => text.includes('write_file'))).toHaveLength(6);
});

test('a broken stream resumes where it stopped [D5]', async ({ browser, loupe, ollama }) => {
  ollama.add(journey('cut'));
  const releases = [3, 5].map((turn) => ollama.hold('cut', { turn, afterTokens: 5 }));
  const { id } = await startRun(loupe, { task: 'Go', model: 'cut', live_tokens: true, think: true });
  // Playwright's `setOffline` leaves the stream of the shared worker open.
  const proxy = await startProxy();
  const context = await browser.newContext({ baseURL: loupe.url, proxy: proxy.settings });
  await signIn(context, loupe);
  const page = await context.newPage();
  const view = new RunView(page);
  await view.open(id);
  await expect(view.connection('Live')).toBeVisible();
  await expect(view.row('Model call 4, open')).toContainText('I think');

  proxy.cut();
  await expect(view.connection('Offline')).toBeVisible();
  releases[0]?.();
  await expect.poll(async () => (await summaryOf(loupe, id)).tool_calls).toBe(5);
  await expect(view.row('Model call 4, open')).toBeVisible();

  proxy.mend();
  await expect(view.connection('Live')).toBeVisible();
  await expect(view.row('Model call 6, open')).toBeVisible();
  releases[1]?.();
  const { rows } = await pictureOf(page);
  expect([...rows.values()].filter((text) => text.includes('write_file'))).toHaveLength(6);
  // Nothing that was already loaded is requested again.
  const positions = proxy.paths.flatMap((path) => new RegExp(`${id}%3A(\\d+)`).exec(path)?.[1] ?? []);
  expect(positions.length).toBeGreaterThan(1);
  expect(positions.lastIndexOf('0')).toBe(0);
  await context.close();
  await proxy.close();
});

test('a missing run shows an error and a link back [D5]', async ({ page }) => {
  await new RunView(page).open('20200101-0000-nobody');
  await expect(page.getByRole('heading', { name: 'There is no run "20200101-0000-nobody"' })).toBeVisible();
  await page.getByRole('link', { name: 'All runs' }).click();
  await expect(page).toHaveURL(/\/$/);
});

test('a deep link opens at its row and stays there while the run continues [D5]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add(journey('linked'));
  const release = ollama.hold('linked', { turn: 3, afterTokens: 5 });
  const { id } = await startRun(loupe, { task: 'Go', model: 'linked', live_tokens: true });
  await expect.poll(async () => (await summaryOf(loupe, id)).tool_calls).toBe(3);
  const started = eventsOf(await logOf(loupe, id), 'tool-call.started')[1];
  const view = new RunView(page);
  await view.open(id, { seq: started?.seq });
  const row = view.row(/^write_file/).filter({ hasText: 'part-2.md' });
  await expect(row).toBeFocused();
  await expect(row).toBeInViewport();
  release();
  await endOf(loupe, id);
  await expect(view.connection('Complete')).toBeVisible();
  await expect(row).toBeInViewport();

  await test.step('the link of a row can be taken from the row', async () => {
    const anchor = view.timeline.getByRole('link', { name: /^Event \d+ at/ }).nth(3);
    const href = await anchor.getAttribute('href');
    // The list may render other rows in between.
    await view.timeline.locator(`a[href="${href}"]`).click();
    await expect(page).toHaveURL(new RegExp(`${href}$`));
    await page.reload();
    await expect(
      view.timeline.locator('article:focus').getByRole('link', { name: /^Event/ }),
    ).toHaveAttribute('href', href ?? '');
  });

  await test.step('the pill leads back to the end', async () => {
    await page.keyboard.press('g');
    await page.getByRole('button', { name: 'Answered' }).click();
    await expect(view.end).toBeInViewport();
  });
});

test('a linked row stays in view while the run continues, even if the end is in view as well [D5, D20]', async ({
  page,
  loupe,
  ollama,
}) => {
  // However slow this machine is, the page opens within its first half second.
  await page.addInitScript(() => {
    const now = performance.now.bind(performance);
    performance.now = () => now() / 100;
  });
  ollama.add(journey('near-end'));
  const releases = [3, 5].map((turn) => ollama.hold('near-end', { turn, afterTokens: 5 }));
  const { id } = await startRun(loupe, { task: 'Go', model: 'near-end', live_tokens: true });
  const view = new RunView(page);
  const part = (number: number) => view.row(/^write_file/).filter({ hasText: `part-${number}.md` });
  const continues = async (from: number, to: () => Promise<void>) => {
    releases.shift()?.();
    await to();
    await expect(part(from)).toBeInViewport();
  };

  await test.step('by a link, on a page that has just opened', async () => {
    await expect.poll(async () => (await summaryOf(loupe, id)).tool_calls).toBe(3);
    const started = eventsOf(await logOf(loupe, id), 'tool-call.started')[2];
    await view.open(id, { seq: started?.seq });
    await expect(part(3)).toBeFocused();
    await continues(3, async () => {
      await expect.poll(async () => (await summaryOf(loupe, id)).tool_calls).toBe(5);
      await expect(page.getByRole('button', { name: /new rows/ })).toBeVisible();
    });
  });

  await test.step('by a press in the list', async () => {
    await page.keyboard.press('G');
    await expect(part(5)).toBeInViewport();
    await view.timeline.hover();
    await page.mouse.wheel(0, -200);
    await page.mouse.wheel(0, 60);
    await part(5)
      .getByRole('link', { name: /^Event/ })
      .click();
    await expect(page).toHaveURL(/#\d+$/);
    await continues(5, () => expect(view.connection('Complete')).toBeVisible());
  });
});

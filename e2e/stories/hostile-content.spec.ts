import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page } from '@playwright/test';
import type { ShareReply } from '../../lib/api/share.ts';
import { expect, test } from '../fixtures.ts';
import { HOSTILE_CASES, hostileLog } from '../hostile-content.ts';
import type { LoupeServer } from '../loupe-server.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { storeRuns } from '../stored-run.ts';

const RUN = 'hostile';

let dataDir: string;
test.beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'loupe-hostile-'));
});
test.afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Everything that hostile content on a page would do if it could. */
function watch(context: BrowserContext) {
  const requests: string[] = [];
  const troubles: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  context.on('weberror', (error) => troubles.push(`page error: ${error.error().message}`));
  context.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  return { requests, troubles };
}

/** The elements to unfold: not menus, and not sent requests, which repeat the whole conversation for each call. */
const FOLDED = [
  'article:not([data-kind="call"]) button[aria-expanded="false"]:not([popovertarget])',
  'article[data-kind="call"] .markdown button[aria-expanded="false"]',
].join(', ');

/** Draws every row, as for printing, and unfolds what hides content. */
async function showAll(page: Page): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  const feed = page.getByRole('feed', { name: 'Timeline' });
  await expect(feed.locator('article[data-kind="tool"]').last()).toBeAttached();
  await expect(async () => {
    const left = await feed.evaluate(async (element, folded) => {
      const closed = [...element.querySelectorAll<HTMLElement>(folded)];
      for (const button of closed) button.click();
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return closed.length;
    }, FOLDED);
    expect(left).toBe(0);
  }).toPass({ intervals: [100], timeout: 60_000 });
}

/** The parts of a page's content that are more than text. */
function findActive(
  page: Page,
): Promise<{ elements: string[]; attributes: string[]; unseen: string[]; pwned: boolean }> {
  return page.getByRole('feed', { name: 'Timeline' }).evaluate((feed) => {
    const active =
      'script, iframe, frame, object, embed, style, link, meta, base, form, input:not([type=checkbox]), video, audio, template, animate, foreignObject';
    const elements = [...feed.querySelectorAll(active)];
    const leadsToRow = ({ href }: HTMLAnchorElement) =>
      /^#\d+$/.test(new URL(href).hash) && href.split('#')[0] === location.href.split(/[?#]/)[0];
    const links = [...feed.querySelectorAll('a')].filter(
      // The menus of the end card are Loupe's own.
      (link) => !leadsToRow(link) && !link.closest('[popover]'),
    );
    const images = [...feed.querySelectorAll('img, image')].filter(
      (image) => !/^data:image\/(png|jpeg|gif|webp);base64,/.test(image.getAttribute('src') ?? ''),
    );
    const attributes = [...feed.querySelectorAll('*')].flatMap((element) =>
      [...element.attributes].filter(
        ({ name, value }) =>
          name.startsWith('on') ||
          name === 'srcdoc' ||
          name === 'formaction' ||
          /url\(|javascript:/i.test(name === 'style' ? value : ''),
      ),
    );
    const hidden =
      /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u2060\u3164\u2028\u2029\u2800]|[\u{E0000}-\u{E0FFF}]|\p{M}{9}/gu;
    return {
      elements: [...elements, ...links, ...images].map((element) => element.outerHTML.slice(0, 200)),
      attributes: attributes.map(({ name, value }) => `${name}=${value.slice(0, 80)}`),
      unseen: (feed.textContent ?? '').match(hidden) ?? [],
      pwned: 'pwned' in window || 'polluted' in {},
    };
  });
}

/** Each case is readable, and none of it has an effect. */
async function expectInert(page: Page, url: RegExp): Promise<void> {
  await showAll(page);
  const text = await page.getByRole('feed', { name: 'Timeline' }).evaluate((feed) => feed.textContent ?? '');
  for (const { name } of HOSTILE_CASES) expect(text).toContain(`Case: ${name}.`);
  expect(text).not.toContain('cannot be drawn');
  // The text itself is shown and not dropped.
  for (const words of [
    'sign in again',
    'a hidden order',
    'TAG ; rm -rf ~',
    'RLO',
    'rm -rf ~',
    '192.0.2.1/login',
  ]) {
    expect(text).toContain(words);
  }
  expect(await findActive(page)).toEqual({ elements: [], attributes: [], unseen: [], pwned: false });
  expect(page.url()).toMatch(url);
  // Each word that looks like a link is clicked, and leads nowhere.
  const pages = page.context().pages().length;
  await page.evaluate(() => {
    for (const element of document.querySelectorAll<HTMLElement>('.markdown span, .markdown img'))
      element.click();
  });
  expect(page.url()).toMatch(url);
  expect(page.context().pages()).toHaveLength(pages);
  // The page still responds.
  await twoFrames(page);
}

async function shareUrl(loupe: LoupeServer): Promise<string> {
  const answer = await loupe.request(`/api/runs/${RUN}/shares`, {
    json: { scope: 'everything', live: false },
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as ShareReply).share.url ?? '';
}

test(`${HOSTILE_CASES.length} pieces of hostile content are inert in dashboard, replay, share and export [D18, D2]`, async ({
  ollama,
  ownServer,
  browser,
}, info) => {
  test.setTimeout(600_000);
  expect(HOSTILE_CASES.length).toBeGreaterThanOrEqual(60);
  await storeRuns(dataDir, { [RUN]: hostileLog(RUN).events });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url, dataDir });

  await test.step('dashboard', async () => {
    const view = new RunView(page);
    await view.open(RUN);
    await expect(view.end).toBeVisible();
    await expectInert(page, /\/runs\/hostile(#\d+)?$/);
  });

  await test.step('as the source of its Markdown', async () => {
    await page.getByRole('button', { name: 'Raw', exact: true }).first().click();
    await expect(page.locator('.markdown')).toHaveCount(0);
    await expectInert(page, /\/runs\/hostile(#\d+)?$/);
    await page.getByRole('button', { name: 'Raw', exact: true }).first().click();
  });

  await test.step('replay', async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('slider', { name: 'Position in the run' }).focus();
    await page.keyboard.press('End');
    await expectInert(page, /\/runs\/hostile(#\d+)?$/);
  });

  const asGuest = async (url: string, pattern: RegExp) => {
    const context = await browser.newContext();
    const seen = watch(context);
    const guest = await context.newPage();
    await guest.goto(url);
    await expect(guest.getByRole('feed', { name: 'Timeline' })).toBeVisible();
    await expectInert(guest, pattern);
    await context.close();
    const own = new URL(url);
    const foreign = seen.requests.filter(
      (request) => !request.startsWith('data:') && new URL(request).host !== own.host,
    );
    expect(foreign).toEqual([]);
    expect(seen.troubles).toEqual([]);
  };

  await test.step('shared page', async () => {
    const url = await shareUrl(loupe);
    await asGuest(url, new RegExp(`^${url.replaceAll(/[.?]/g, '\\$&')}(#\\d+)?$`));
  });

  await test.step('exported page', async () => {
    const exported = await loupe.request(`/api/runs/${RUN}/export.html`);
    expect(exported.status).toBe(200);
    const path = info.outputPath('hostile.html');
    writeFileSync(path, await exported.text());
    const url = pathToFileURL(path).href;
    await asGuest(url, /hostile\.html(#\d+)?$/);
  });
});

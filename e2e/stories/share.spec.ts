import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Locator, Page, Request } from '@playwright/test';
import type { ShareReply } from '../../lib/api/share.ts';
import { ownAddresses } from '../../lib/sharing/listener/share-address.ts';
import { leaksIn, PLANTED_SECRETS } from '../../lib/testing/planted-secrets.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { expectAtItsEnd, RunView } from '../run-view.ts';
import { finishRun, logOf, startRun, summaryOf } from '../runs.ts';

const done = { reply: { content: 'The task is completed.' } };
const never = { fault: { kind: 'hang' } } as const;
const reads = { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'notes.txt' } }] } };

/** A teammate: another browser, without a cookie, all of whose requests are recorded. */
async function teammate(
  browser: Browser,
  options: { width?: number } = {},
): Promise<{ context: BrowserContext; page: Page; urls: string[]; troubles: string[] }> {
  const context = await browser.newContext({ viewport: { width: options.width ?? 1280, height: 800 } });
  const urls: string[] = [];
  const troubles: string[] = [];
  context.on('request', (request) => urls.push(`${request.method()} ${request.url()}`));
  context.on('weberror', (error) => troubles.push(error.error().message));
  context.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      troubles.push(message.text());
    }
  });
  return { context, page: await context.newPage(), urls, troubles };
}

test('a run is shared as an HTML file with the chosen content and masks', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'is-a-file', steps: [reads, { reply: { content: 'The task is completed.' } }] });
  const folder = workspace({ 'notes.txt': 'Write to ada.lovelace@analytical.org about the fern.\n' });
  const { id } = await finishRun(loupe, { task: 'Read the notes', model: 'is-a-file', workspace: folder });
  await new RunView(page).open(id);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share this run' });
  await dialog.getByText('HTML file', { exact: true }).click();
  await expect(dialog.getByLabel('Link expires after')).toHaveCount(0);
  await expectAccessible(page);
  const save = async () => {
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download HTML file' }).click();
    return readFileSync(await (await saving).path(), 'utf8');
  };
  const masked = await save();
  expect(masked).toContain('about the fern');
  expect(masked).not.toContain('ada.lovelace');
  await dialog.getByRole('checkbox', { name: 'Show email' }).check();
  expect(await save()).toContain('ada.lovelace@analytical.org');
  await dialog.getByText('Without results', { exact: true }).click();
  expect(await save()).not.toContain('about the fern');
});

test('a teammate follows a live run, until the link is revoked [D14, D15]', async ({
  page,
  loupe,
  ollama,
  workspace,
  browser,
}) => {
  ollama.add({ name: 'is-shared', steps: [reads, never] });
  const folder = workspace({ 'notes.txt': 'Write to ada.lovelace@analytical.org about the fern.\n' });
  const { id } = await startRun(loupe, { task: 'Read the notes', model: 'is-shared', workspace: folder });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.row('read_file, succeeded')).toBeVisible();

  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share this run' });
  const preview = dialog.getByRole('region', { name: 'Preview' });
  await expect(preview.getByRole('article', { name: 'read_file, succeeded' })).toBeVisible();
  await expect(dialog.getByRole('checkbox', { name: 'Show email' })).not.toBeChecked();
  await expect(dialog).toContainText('Only this machine can open the link.');
  await expect(dialog).toContainText('LOUPE_SHARE_URL');
  // Only the question is tested: no test opens anything to a network.
  if (ownAddresses().length > 0) {
    await dialog.getByRole('button', { name: 'Open to my network' }).click();
    await expect(dialog).toContainText('the connection is not encrypted');
    await expect(dialog.getByLabel('Address of this machine')).toHaveValue(ownAddresses()[0] ?? '');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  }
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const url = await dialog.getByLabel('The link', { exact: true }).inputValue();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/s\/[\w-]{22}$/);
  expect(new URL(url).port).not.toBe(String(loupe.port));

  const other = await teammate(browser);
  await other.page.goto(url);
  await expect(other.page.getByRole('heading', { name: 'Read the notes', exact: true })).toBeVisible();
  await expect(other.page.getByRole('article', { name: 'read_file, succeeded' })).toBeVisible();
  await expect(other.page.getByText('read only')).toBeVisible();
  // No action, whatever the run waits for.
  for (const name of [/^Stop/, /^Share/, /^Delete/, /^Run again/, /^Approve/, /^Send/]) {
    await expect(other.page.getByRole('button', { name })).toHaveCount(0);
  }
  await expect(other.page.getByRole('textbox')).toHaveCount(0);
  expect(await other.context.cookies()).toEqual([]);

  // Later events arrive there as well.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Stop after this step' }).click();
  await expect(other.page.getByText(/stop/i).first()).toBeVisible();

  await page.goto('/shares');
  const line = page.getByRole('listitem', { name: 'Read the notes', exact: true });
  await expect(line).toContainText('1 view');
  await expectAccessible(page);
  await line.getByRole('button', { name: 'Revoke' }).click();
  await expect(other.page.getByRole('heading', { name: 'This run is no longer shared.' })).toBeVisible({
    timeout: 5000,
  });
  await expect(line).toContainText('revoked');
  await expect(line.getByRole('link')).toBeFocused();
  const answer = await other.page.goto(url);
  expect(answer?.status()).toBe(410);
  await expect(other.page.getByRole('heading', { name: 'This run is no longer shared.' })).toBeVisible();
  for (let links = 0; links < 2; links += 1) await loupe.request(`/api/runs/${id}/shares`, { json: {} });
  await expect(page.getByText('Only this machine can open the links.')).toBeVisible();

  expect(new Set(other.urls.map((line) => new URL(line.split(' ')[1] ?? '').origin))).toEqual(
    new Set([new URL(url).origin]),
  );
  expect(other.urls.every((line) => line.startsWith('GET '))).toBe(true);
  expect(other.troubles).toEqual([]);
  await other.context.close();
});

test('an open page closes when its link expires [D15]', async ({
  page,
  loupe,
  ollama,
  workspace,
  browser,
}) => {
  ollama.add({ name: 'expires', steps: [never] });
  const { id } = await startRun(loupe, { task: 'Wait', model: 'expires', workspace: workspace() });
  const other = await teammate(browser);
  const url = await openShortLink(other.page, {
    share: (expires_in_ms) => makeShare(loupe, id, { expires_in_ms }),
    content: other.page.getByRole('heading', { name: 'Wait', exact: true }),
  });
  await expect(other.page.getByRole('heading', { name: 'This run is no longer shared.' })).toBeVisible();
  expect((await other.page.goto(url))?.status()).toBe(404);
  await expect(other.page.getByRole('heading', { name: 'There is nothing at this address.' })).toBeVisible();
  await page.goto('/shares');
  await expect(page.getByRole('listitem', { name: 'Wait', exact: true }).first()).toContainText('expired');
  await page.setViewportSize({ width: 360, height: 740 });
  const [inner, whole] = await page.evaluate(() => [
    document.documentElement.clientWidth,
    document.documentElement.scrollWidth,
  ]);
  expect(whole).toBe(inner);
  await other.context.close();
});

test('an open page without a stream also closes: a snapshot, or an ended run [D15]', async ({
  loupe,
  ollama,
  workspace,
  browser,
}) => {
  ollama.add({ name: 'stays-open', steps: [reads, done] });
  const { id } = await finishRun(loupe, {
    task: 'Read what was open',
    model: 'stays-open',
    workspace: workspace({ 'notes.txt': 'Nothing new.\n' }),
  });
  for (const live of [true, false]) {
    const one = await teammate(browser);
    const other = await teammate(browser);
    const revoked = await makeShare(loupe, id, { live });
    const asking = new Set<Request>();
    const isQuestion = (request: Request) => request.url().endsWith('/status');
    one.page.on('request', (request) => isQuestion(request) && asking.add(request));
    one.page.on('requestfinished', (request) => asking.delete(request));
    await one.page.clock.install();
    await one.page.goto(revoked.share.url ?? '');
    await expect(one.page.getByRole('article', { name: 'read_file, succeeded' })).toBeVisible();
    await openShortLink(other.page, {
      share: (expires_in_ms) => makeShare(loupe, id, { live, expires_in_ms }),
      content: other.page.getByRole('article', { name: 'read_file, succeeded' }),
    });
    // Five seconds by the page's own clock, which is otherwise frozen, however slow this machine is.
    await one.page.clock.pauseAt(await one.page.evaluate(() => Date.now() + 60_000));
    await expect.poll(() => asking.size).toBe(0);
    const asked = await loupe.request(`/api/shares/${revoked.share.id}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
    });
    expect(asked.status).toBe(200);
    await one.page.clock.runFor(5000);
    await expect(one.page.getByRole('heading', { name: 'This run is no longer shared.' })).toBeVisible();
    await expect(one.page.getByText('Nothing new.')).toHaveCount(0);
    await expect(other.page.getByRole('heading', { name: 'This run is no longer shared.' })).toBeVisible();
    for (const { troubles } of [one, other]) expect(troubles).toEqual([]);
    await Promise.all([one.context.close(), other.context.close()]);
  }
});

test('a text over 64 KB shows how much is loaded, and the rest is fetched, masked', async ({
  loupe,
  ollama,
  workspace,
  browser,
}) => {
  // The secret spans the position where the text is cut.
  const secret = 'AKIAIOSFODNN7EXAMPLF';
  const content = `${'lorem\n'.repeat(11_000).slice(0, 65_526)}\n${secret}\n${'ipsum\n'.repeat(2000)}`;
  ollama.add({ name: 'long-shared', steps: [{ reply: { content: `${content}The task is completed.` } }] });
  const { id } = await finishRun(loupe, {
    task: 'Say much',
    model: 'long-shared',
    workspace: workspace(),
    num_predict: [30_000, 30_000],
  });
  for (const live of [true, false]) {
    const { share } = await makeShare(loupe, id, { live });
    const other = await teammate(browser);
    await other.page.goto(share.url ?? '');
    const end = other.page.getByRole('region', { name: 'How the run ended' });
    await expect(end).toContainText(/Only the first 65,53\d of 77,\d{3} characters are here/);
    await end.getByRole('button', { name: /Load the full answer/ }).click();
    const whole = end.getByRole('region', { name: 'Full answer' });
    await expectAtItsEnd(whole, 'The task is completed.');
    await expect(end).not.toContainText('Only the first');
    const read = (await other.page.locator('body').textContent()) ?? '';
    const sent = await (await fetch(share.url ?? '')).text();
    expect(read + sent).not.toContain('AKIA');
    expect(other.troubles).toEqual([]);
    await other.context.close();
  }
});

test('planted secrets of more than 20 kinds never leave, in any scope, live or frozen [D15]', async ({
  loupe,
  ollama,
  workspace,
  browser,
}) => {
  const text = PLANTED_SECRETS.map((secret) => secret.text).join('\n');
  ollama.add({ name: 'knows-secrets', steps: [reads, { reply: { content: `I found: ${text}` } }] });
  const { id } = await finishRun(loupe, {
    task: `Look for secrets: ${text}`,
    model: 'knows-secrets',
    workspace: workspace({ 'notes.txt': text }),
  });
  expect(leaksIn(JSON.stringify(await logOf(loupe, id))).length).toBeGreaterThanOrEqual(20);
  const { config } = (await (await loupe.request(`/api/runs/${id}`)).json()) as {
    config: { workspace: string };
  };
  for (const scope of ['summary', 'without_results', 'everything']) {
    for (const live of [true, false]) {
      const { share } = await makeShare(loupe, id, { scope, live });
      const bytes = await (await fetch(share.url ?? '')).text();
      const stream = await (await fetch(`${share.url}/events`)).text();
      expect(stream).toContain('run.ended');
      for (const sent of [bytes, stream, share.title]) {
        expect(leaksIn(sent), `${scope} ${live}`).toEqual([]);
        expect(sent).not.toContain(config.workspace);
        expect(sent).not.toContain(loupe.token);
      }
    }
  }
  // And what is drawn of it.
  const { share } = await makeShare(loupe, id, {});
  // The token of a link gives no access to the dashboard.
  for (const path of ['/api/shares', `/api/runs/${id}/log`]) {
    const headers = { authorization: `Bearer ${share.url?.split('/').at(-1)}` };
    expect((await fetch(`${loupe.url}${path}`, { headers })).status, path).toBe(401);
  }
  const other = await teammate(browser);
  await other.page.goto(share.url ?? '');
  await expect(other.page.locator('article').first()).toBeVisible();
  expect(leaksIn((await other.page.locator('body').textContent()) ?? '')).toEqual([]);
  await other.context.close();
});

test('links open at a row, a snapshot link is a recording, and both fit a narrow screen', async ({
  loupe,
  ollama,
  workspace,
  browser,
}) => {
  ollama.add({ name: 'is-linked', steps: [reads, done] });
  const { id } = await finishRun(loupe, {
    task: 'Read the notes again',
    model: 'is-linked',
    workspace: workspace({ 'notes.txt': 'Nothing new.\n' }),
  });
  const seq = (await logOf(loupe, id)).find(({ type }) => type === 'tool-call.started')?.seq ?? 0;
  for (const live of [true, false]) {
    const { share } = await makeShare(loupe, id, { live });
    const other = await teammate(browser, { width: 360 });
    await other.page.goto(`${share.url}#${seq}`);
    await expect(other.page.getByRole('article', { name: 'read_file, succeeded' })).toBeFocused();
    const [inner, whole] = await other.page.evaluate(() => [
      document.documentElement.clientWidth,
      document.documentElement.scrollWidth,
    ]);
    expect(whole).toBe(inner);
    await expectAccessible(other.page);
    expect(other.troubles).toEqual([]);
    await other.context.close();
  }
});

test('shared pages open at the task, and a running run is followed only on request', async ({
  loupe,
  ollama,
  workspace,
  browser,
}) => {
  const names = Array.from({ length: 12 }, (_, index) => `notes-${index}.txt`);
  const each = names.map((path) => ({ reply: { tool_calls: [{ name: 'read_file', arguments: { path } }] } }));
  ollama.add({ name: 'is-read', steps: [...each, done] });
  ollama.add({ name: 'goes-on', steps: [...each, never] });
  const files = Object.fromEntries(names.map((name) => [name, `The text of ${name}.\n`]));
  const draft = { task: 'Read all the notes', workspace: workspace(files), max_iterations: 20 };
  const ended = await finishRun(loupe, { ...draft, model: 'is-read' });
  for (const live of [true, false]) {
    const { share } = await makeShare(loupe, ended.id, { live });
    const other = await teammate(browser, { width: 360 });
    await other.page.goto(share.url ?? '');
    const shown = new RunView(other.page);
    await expect(shown.timeline.locator('article').first()).toHaveAttribute('aria-posinset', '1');
    await expect(shown.timeline.locator('article').first()).toBeInViewport();
    await expect(shown.end).not.toBeInViewport();
    await expect(other.page.getByRole('button', { name: /new rows?$/ })).toHaveCount(0);
    await expectAccessible(other.page);
    await other.context.close();
  }

  const running = await startRun(loupe, { ...draft, model: 'goes-on' });
  const { share } = await makeShare(loupe, running.id, { live: true });
  const other = await teammate(browser);
  await other.page.goto(share.url ?? '');
  const shown = new RunView(other.page);
  const call = (number: number) => shown.row(new RegExp(`^Model call ${number},`));
  await expect
    .poll(
      async () => (await logOf(loupe, running.id)).filter(({ type }) => type === 'model-call.started').length,
    )
    .toBe(13);
  await expect(shown.timeline.locator('article').first()).toBeInViewport();
  await other.page.getByRole('button', { name: 'Follow', exact: true }).click();
  await expect(call(13)).toBeInViewport();
  expect(other.troubles).toEqual([]);
  await other.context.close();
});

test('deleting a run also removes its links', async ({ page, loupe, ollama, workspace }) => {
  ollama.add({ name: 'is-deleted', steps: [done] });
  const { id } = await finishRun(loupe, { task: 'Forget me', model: 'is-deleted', workspace: workspace() });
  const { share } = await makeShare(loupe, id, {});
  await page.goto(`/runs/${id}`);
  await page.getByRole('button', { name: 'Delete this run' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this run?' });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  expect((await summaryOf(loupe, id)).phase).toBe('ended');
  await page.getByRole('button', { name: 'Delete this run' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByText('Forget me')).toHaveCount(0);
  expect((await fetch(share.url ?? '')).status).toBe(410);
  expect((await loupe.request(`/api/runs/${id}`)).status).toBe(404);
});

async function makeShare(
  loupe: { request(path: string, options: { json: unknown }): Promise<Response> },
  runId: string,
  draft: Record<string, unknown>,
): Promise<ShareReply> {
  const answer = await loupe.request(`/api/runs/${runId}/shares`, { json: draft });
  expect(answer.status).toBe(201);
  return (await answer.json()) as ShareReply;
}

/**
 * Opens a link that soon expires. On a machine too busy to show the page before that, the next link lasts twice as long.
 *
 * @returns the address of the link whose page was seen open
 */
async function openShortLink(
  page: Page,
  { share, content }: { share: (expiresInMs: number) => Promise<ShareReply>; content: Locator },
): Promise<string> {
  const closed = page.getByRole('heading', { name: 'This run is no longer shared.' });
  for (let expiresInMs = 3000; ; expiresInMs *= 2) {
    const url = (await share(expiresInMs)).share.url ?? '';
    const answer = await page.goto(url);
    if (!answer?.ok()) continue;
    await content.or(closed).first().waitFor();
    if (await content.isVisible()) return url;
  }
}

import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Locator } from '@playwright/test';
import type { RunListReply } from '../../lib/api/replies.ts';
import type { SignInListReply } from '../../lib/api/sign-in.ts';
import { KEY_HEADER, STORED_KEY } from '../../lib/api/sign-in-key.ts';
import { expect, signIn, test } from '../fixtures.ts';
import type { LoupeServer } from '../loupe-server.ts';
import { finishRun, startRun } from '../runs.ts';

/** A request with headers that `fetch` does not allow. */
async function ask(
  loupe: LoupeServer,
  options: { method?: string; path: string; headers: Record<string, string> },
) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port: loupe.port,
        path: options.path,
        method: options.method ?? 'GET',
        headers: options.headers,
      },
      (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    request.on('error', reject);
    request.end(options.method === 'POST' ? '{"task":"Steal","model":"any"}' : undefined);
  });
}

test('requests for a foreign host or from a foreign page are refused, even with the token [D17]', async ({
  loupe,
}) => {
  const token = { authorization: `Bearer ${loupe.token}` };
  const host = `127.0.0.1:${loupe.port}`;
  const json = { ...token, host, 'content-type': 'application/json' };
  const cases = [
    { path: '/api/runs', headers: { ...token, host: 'evil.example' } },
    { path: '/', headers: { host: `evil.example:${loupe.port}` } },
    { path: '/api/runs', method: 'POST', headers: { ...json, origin: 'http://evil.example' } },
    { path: '/api/runs', method: 'POST', headers: { ...json, origin: 'null' } },
    { path: '/api/runs', method: 'POST', headers: { ...json, origin: `http://${host}.evil.example` } },
    { path: '/api/runs', headers: { ...token, host, 'sec-fetch-site': 'cross-site' } },
  ];
  for (const refused of cases) {
    const answer = await ask(loupe, refused);
    expect([refused, answer.status]).toEqual([refused, 403]);
    expect(answer.body).toMatch(/foreign_(host|origin)|another (host|page)/);
  }
  expect((await ask(loupe, { path: '/api/runs', headers: { ...token, host } })).status).toBe(200);
});

test('another page in the same browser can neither start, stop nor read runs [D17]', async ({
  page,
  loupe,
  browser,
}) => {
  // Another port of the same machine: the browser sends the cookie along, so the cookie alone must not be enough.
  const evil = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<form method="post" enctype="text/plain" action="${loupe.url}/api/runs">
      <input name='{"task":"Steal","model":"any","x":"' value='"}'></form>`);
  });
  await new Promise<void>((done) => evil.listen(0, '127.0.0.1', done));
  const { port } = evil.address() as AddressInfo;
  const context = await browser.newContext({ storageState: await page.context().storageState() });
  const runs = async () => ((await (await loupe.request('/api/runs')).json()) as RunListReply).runs.length;
  const before = await runs();
  try {
    const tab = await context.newPage();
    await tab.goto(`http://127.0.0.1:${port}/`);
    const outcome = await tab.evaluate(async (url) => {
      const tried = async (init: RequestInit, path = '/api/runs') =>
        fetch(`${url}${path}`, { credentials: 'include', ...init }).then(
          (answer) => `${answer.type} ${answer.status}`,
          () => 'refused',
        );
      const body = '{"task":"Steal","model":"any"}';
      return [
        await tried({}),
        await tried({ method: 'POST', headers: { 'content-type': 'application/json' }, body }),
        await tried({ method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body }),
        await tried({}, '/api/stream'),
      ];
    }, loupe.url);
    expect(outcome).toEqual(['refused', 'refused', 'refused', 'refused']);
    await tab.locator('form').evaluate((form: HTMLFormElement) => form.submit());
    await expect(tab.locator('body')).toContainText('This request was sent by another page.');
    // A frame shows nothing of it either.
    await tab.goto(`http://127.0.0.1:${port}/`);
    const framed = await tab.evaluate(
      (url) =>
        new Promise<boolean>((done) => {
          const frame = document.createElement('iframe');
          frame.src = url;
          frame.onload = () => {
            try {
              done(frame.contentDocument !== null);
            } catch {
              done(false);
            }
          };
          document.body.append(frame);
        }),
      loupe.url,
    );
    expect(framed).toBe(false);
    expect(await runs()).toBe(before);
  } finally {
    await context.close();
    evil.close();
  }
});

test('a server on another port receives nothing usable from a signed-in browser', async ({
  browser,
  loupe,
  ollama,
}) => {
  const received: Record<string, string>[] = [];
  const evil = createServer((request, response) => {
    const { cookie = '', [KEY_HEADER]: key } = request.headers;
    received.push({ cookie, ...(key === undefined ? {} : { [KEY_HEADER]: String(key) }) });
    response.setHeader('content-type', 'text/html');
    response.end('<p>Another server</p>');
  });
  await new Promise<void>((done) => evil.listen(0, '127.0.0.1', done));
  const { port } = evil.address() as AddressInfo;
  ollama.add({ name: 'private', steps: [{ reply: { content: 'Done.' } }] });
  const { id } = await finishRun(loupe, { task: 'Be seen by its owner only', model: 'private' });
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const link = await loupe.request('/api/session-link', { json: {} });
    await page.goto(((await link.json()) as { url: string }).url);
    await expect(page.getByRole('form', { name: 'Quick run' })).toBeVisible();
    const key = await page.evaluate((name) => localStorage.getItem(name), STORED_KEY);
    expect(key).toMatch(/^[\w-]{43}$/);

    await page.goto(`http://127.0.0.1:${port}/`);
    await expect(page.getByText('Another server')).toBeVisible();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    const [seen = {}] = received;
    // Browsers send cookies to every port of a host, which cannot be prevented.
    expect(seen.cookie).toContain(`loupe_${loupe.port}=`);
    expect(JSON.stringify(received)).not.toContain(key);

    const host = `127.0.0.1:${loupe.port}`;
    const paths = [
      '/api/runs',
      '/api/session',
      '/api/sign-ins',
      `/api/runs/${id}/log`,
      `/api/runs/${id}/events`,
      `/api/runs/${id}/export?format=run`,
      '/api/stream?list=1',
    ];
    for (const path of paths) {
      const answer = await ask(loupe, { path, headers: { host, ...seen } });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.body).toContain('sign_in_again');
    }
    for (const path of ['/api/runs', '/api/download-links', '/api/session-link']) {
      const headers = { host, ...seen, origin: loupe.url, 'content-type': 'application/json' };
      expect((await ask(loupe, { method: 'POST', path, headers })).status).toBe(401);
    }
    // The same cookie opens all of it for the page that has the key.
    const own = { host, ...seen, [KEY_HEADER]: key ?? '' };
    expect((await ask(loupe, { path: '/api/runs', headers: own })).status).toBe(200);
  } finally {
    await context.close();
    evil.close();
  }
});

test('a browser with a cookie but no key must sign in again, and then all its tabs continue', async ({
  browser,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'steady', steps: [{ reply: { content: 'Done.' } }] });
  const { id } = await finishRun(loupe, { task: 'Outlive a sign-in', model: 'steady' });
  const context = await browser.newContext({ baseURL: loupe.url });
  // The cookie of an earlier version: one value for every browser, and no key.
  await context.addCookies([
    {
      name: `loupe_${loupe.port}`,
      value: 'x'.repeat(43),
      url: loupe.url,
      httpOnly: true,
      sameSite: 'Strict',
    },
  ]);
  const list = await context.newPage();
  const run = await context.newPage();
  await list.goto('/');
  await run.goto(`/runs/${id}`);
  for (const tab of [list, run]) {
    await expect(tab.getByRole('heading', { name: 'Sign in again' })).toBeVisible();
    await expect(tab.getByRole('main')).toContainText('an earlier version of Loupe');
  }
  await list.getByLabel('Operator token', { exact: true }).fill(loupe.token);
  await list.getByRole('button', { name: 'Sign in' }).click();
  await expect(list.getByRole('form', { name: 'Quick run' })).toBeVisible();
  await expect(run.getByRole('heading', { name: 'Outlive a sign-in' })).toBeVisible();
  await context.close();
});

test('signed-in browsers are listed, and signing one out ends its stream', async ({
  browser,
  loupe,
  ollama,
  page,
}) => {
  ollama.add({ name: 'keeps-going', steps: [{ fault: { kind: 'hang' } }] });
  const { id } = await startRun(loupe, { task: 'Be followed', model: 'keeps-going' });
  const context = await browser.newContext({ baseURL: loupe.url });
  await signIn(context, loupe);
  const other = await context.newPage();
  await other.goto(`/runs/${id}`);
  await expect(other.getByRole('heading', { name: 'Be followed' })).toBeVisible();

  await page.goto('/health');
  const browsers = page.getByRole('region', { name: 'Signed-in browsers' });
  const own = browsers.getByRole('listitem').filter({ hasText: 'this browser' });
  await expect(own).toHaveCount(1);
  const before = await browsers.getByRole('listitem').count();
  await browsers
    .getByRole('listitem')
    .filter({ hasNotText: 'this browser' })
    .first()
    .getByRole('button', { name: /^Sign out/ })
    .click();
  await expect(browsers.getByRole('listitem')).toHaveCount(before - 1);
  // Without a reload: the stream of the page was ended, and opening it again is refused.
  await expect(other.getByRole('heading', { name: 'Sign in again' })).toBeVisible();

  await browsers.getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page.getByRole('heading', { name: 'This browser is not signed in' })).toBeVisible();
  expect(await page.context().cookies()).toEqual([]);
  const left = (await (await loupe.request('/api/sign-ins')).json()) as SignInListReply;
  expect(left.sign_ins).toEqual([]);
  await context.close();
});

test('the server listens on the loopback interface only [D16]', async ({ loupe }) => {
  const others = Object.values(networkInterfaces())
    .flat()
    .filter((address) => address !== undefined && !address.internal && address.family === 'IPv4');
  for (const address of others) {
    const reached = await fetch(`http://${address?.address}:${loupe.port}/`, {
      signal: AbortSignal.timeout(2000),
    }).then(
      () => true,
      () => false,
    );
    expect(reached).toBe(false);
  }
});

test('a browser without the link can sign in with the token [D17]', async ({ browser, loupe }) => {
  const context = await browser.newContext({ baseURL: loupe.url });
  const page = await context.newPage();
  const card = page.locator('form').filter({ hasText: 'This browser is not signed in' });
  const placeOf = (part: Locator) =>
    part.evaluate((element) => {
      const { x, width, top, bottom } = element.getBoundingClientRect();
      return { center: x + width / 2, top, bottom };
    });
  await test.step('it is asked to in the middle of any page, apart from what else is there', async () => {
    for (const path of ['/models', '/tools/sign-in?code=1&state=2', '/runs/new']) {
      await page.goto(path);
      await expect(card).toBeVisible();
      const main = await placeOf(page.getByRole('main'));
      expect((await placeOf(card)).center).toBeCloseTo(main.center, 0);
    }
    const form = await placeOf(page.getByRole('form', { name: 'New run' }));
    expect(form.top - (await placeOf(card)).bottom).toBeGreaterThan(12);
  });
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'This browser is not signed in' })).toBeVisible();
  await page.getByLabel('Operator token', { exact: true }).fill('a-wrong-token-of-some-length');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('This token is wrong');
  await page.getByLabel('Operator token', { exact: true }).fill(loupe.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('form', { name: 'Quick run' })).toBeVisible();
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(cookie?.value).not.toContain(loupe.token);
  await context.close();
});

test('the link that npm start prints signs in once [D17]', async ({ browser, loupe }) => {
  const { url } = (await (await loupe.request('/api/session-link', { method: 'POST', json: {} })).json()) as {
    url: string;
  };
  const first = await browser.newContext();
  const page = await first.newPage();
  await page.goto(url);
  await expect(page.getByRole('form', { name: 'Quick run' })).toBeVisible();
  expect(page.url()).not.toContain(new URL(url).search || 'no ticket in the address');
  const second = await browser.newContext();
  const late = await second.newPage();
  await late.goto(url);
  await expect(late.getByRole('heading', { name: 'This sign-in link no longer works' })).toBeVisible();
  await expect(late.getByRole('main')).toContainText('has been used or has expired');
  await expect(late.getByRole('button', { name: 'Copy npm start' })).toBeVisible();
  await late.getByLabel('Operator token', { exact: true }).fill(loupe.token);
  await late.getByRole('button', { name: 'Sign in' }).click();
  await expect(late.getByRole('form', { name: 'Quick run' })).toBeVisible();
  expect(new URL(late.url()).search).toBe('');
  // A browser that is already signed in sees a notice and continues.
  await page.goto(url);
  await expect(page.getByRole('status').filter({ hasText: 'is signed in' })).toBeVisible();
  await page.getByRole('link', { name: 'Hide this' }).click();
  await expect(page.getByText('is signed in')).toBeHidden();
  await first.close();
  await second.close();
});

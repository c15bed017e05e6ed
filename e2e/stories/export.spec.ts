import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun, logOf } from '../runs.ts';

const call = (name: string, args: Record<string, string>) => ({ name, arguments: args });

/** A server that should never get a request, and the requests it did get. */
async function canary() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end('tweet');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () => new Promise((closed) => server.close(closed)),
  };
}

test('the exported page opens from disk, makes no requests, and replays the run', async ({
  page,
  browser,
  loupe,
  ollama,
  workspace,
}, info) => {
  const bird = await canary();
  const markup = [
    `<img src="${bird.url}/img" onerror="fetch('${bird.url}/onerror')">`,
    `<script src="${bird.url}/script"></script></script><script>fetch('${bird.url}/inline')</script>`,
    `<iframe src="${bird.url}/frame"></iframe><!-- <script>`,
    `<style>@import "${bird.url}/import"; body { background: url(${bird.url}/css) }</style>`,
    `<link rel="stylesheet" href="${bird.url}/link"><meta http-equiv="refresh" content="0;url=${bird.url}/refresh">`,
    `![picture](${bird.url}/markdown) \u2028\u2029 </title></pre></body></html>`,
  ].join('\n');
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  ollama.add({
    name: 'carried',
    steps: [
      { reply: { content: `I look. ${markup}`, tool_calls: [call('read_file', { path: 'notes.md' })] } },
      { reply: { tool_calls: [call('read_file', { path: markup })] } },
      { reply: { content: `The task is completed. ${markup}` } },
    ],
  });
  const folder = workspace({ 'notes.md': `token: ${secret}\n${markup}` });
  const { id } = await finishRun(loupe, {
    task: `Read notes.md. ${markup}`,
    title: `</title><script>fetch('${bird.url}/title')</script>`,
    model: 'carried',
    workspace: folder,
  });
  const log = await logOf(loupe, id);
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const files = await view.openMenu('Export');
  const save = async (name: string) => {
    const saving = page.waitForEvent('download');
    await files.getByRole('link', { name }).click();
    const download = await saving;
    const path = info.outputPath(download.suggestedFilename());
    await download.saveAs(path);
    return path;
  };

  const path = await save('HTML page');
  expect(path).toMatch(new RegExp(`loupe-${id}\\.html$`));

  await test.step('it opens from the disk in a separate browser and makes no requests', async () => {
    const context = await browser.newContext();
    const requests: string[] = [];
    const troubles: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    context.on('weberror', (error) => troubles.push(error.error().message));
    context.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text());
    });
    const file = await context.newPage();
    await file.goto(`file://${path}`);
    const shown = new RunView(file);
    await expect(shown.timeline.getByRole('article').first()).toBeInViewport();
    await expect(shown.timeline.getByRole('article').first()).toHaveAttribute('aria-posinset', '1');
    await expect(shown.end).not.toBeInViewport();
    const rows = [...(await shown.allRows()).values()].join('\n');
    expect(rows).toContain(`<img src="${bird.url}/img"`);
    expect(rows).toContain('</script><script>');

    const bar = file.getByRole('region', { name: 'Replay', exact: true });
    const place = bar.getByRole('slider', { name: 'Position in the run' });
    await place.focus();
    await file.keyboard.press('Home');
    await expect(shown.timeline.getByRole('article')).toHaveCount(1);
    await bar.getByRole('radio', { name: '16×' }).check({ force: true });
    await file.keyboard.press(' ');
    await expect(place).toHaveAttribute('aria-valuenow', String(log.length));
    await expect(shown.end).toBeVisible();

    await test.step('a link with the number of an event leads to its row', async () => {
      const called = log.find(({ type }) => type === 'model-call.started')?.seq;
      const linked = await context.newPage();
      await linked.goto(`file://${path}#${called}`);
      await expect(new RunView(linked).row(/^Model call 1/)).toBeFocused();
    });
    await test.step('nothing can be done to the run, and everybody can read it', async () => {
      await expect(file.getByRole('button', { name: /Run again|Continue|Stop|Approve/ })).toHaveCount(0);
      const links = await file
        .locator('a')
        .evaluateAll((all: HTMLAnchorElement[]) => all.map(({ href }) => href));
      expect(links.filter((href) => href.split('#')[0] !== `file://${path}`)).toEqual([]);
      await expectAccessible(file);
    });
    expect(requests.filter((url) => !url.startsWith('data:') && !url.startsWith(`file://${path}`))).toEqual(
      [],
    );
    expect(troubles).toEqual([]);
    await context.close();
  });

  await test.step('secrets and paths are masked unless they are asked for', async () => {
    const masked = [readFileSync(path, 'utf8'), readFileSync(await save('Markdown summary'), 'utf8')];
    for (const text of masked) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(folder);
      expect(text).not.toContain(loupe.token);
    }
    expect(masked[1]).toContain('## How it ended');
    await files.getByRole('checkbox', { name: /Mask/ }).uncheck();
    await expect(files.getByRole('status')).toBeVisible();
    expect(readFileSync(await save('HTML page'), 'utf8')).toContain(secret);
  });

  await test.step('without its log the page is small', async () => {
    const size = readFileSync(path).byteLength - JSON.stringify(log).length;
    expect(size).toBeLessThan(1_200_000);
  });
  expect(bird.asked).toEqual([]);
  await bird.close();
});

test('exports require the operator token and a valid scope', async ({ loupe, ollama, workspace }) => {
  ollama.add({ name: 'plain', steps: [{ reply: { content: 'The task is completed: forty-two.' } }] });
  const { id } = await finishRun(loupe, { task: 'Say it', model: 'plain', workspace: workspace() });
  for (const name of ['export.html', 'export.md']) {
    expect((await fetch(`${loupe.url}/api/runs/${id}/${name}`)).status).toBe(401);
    const file = await loupe.request(`/api/runs/${id}/${name}`);
    expect(file.status).toBe(200);
    expect(file.headers.get('content-disposition')).toBe(
      `attachment; filename="loupe-${id}.${name.slice(7)}"`,
    );
    expect(await file.text()).toContain('forty-two');
    const summary = await loupe.request(`/api/runs/${id}/${name}?scope=without_results`);
    expect(summary.status).toBe(200);
    expect((await loupe.request(`/api/runs/${id}/${name}?scope=all`)).status).toBe(400);
    expect((await loupe.request(`/api/runs/${id}/${name}?redact=no`)).status).toBe(400);
    expect((await loupe.request(`/api/runs/nobody/${name}`)).status).toBe(404);
  }
});

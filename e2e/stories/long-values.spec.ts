import { holdReply } from '../delay-reply.ts';
import { expect, test } from '../fixtures.ts';
import { expectAtItsEnd, RunView } from '../run-view.ts';
import { finishRun } from '../runs.ts';

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `Line ${index + 1} of the text.`).join('\n');

test('long results expand in place [D7, E10]', async ({ page, loupe, ollama, workspace }) => {
  ollama.add({
    name: 'long-read',
    steps: [
      { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'long.txt' } }] } },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  const { id } = await finishRun(loupe, {
    task: 'Read',
    model: 'long-read',
    workspace: workspace({ 'long.txt': lines(400) }),
  });
  const view = new RunView(page);
  await view.open(id);
  const row = view.row('read_file, succeeded');
  await row.getByRole('button', { name: /^read_file/ }).click();
  const result = row.getByRole('group', { name: 'Result', exact: true });
  await expect(result).toContainText('Line 3 of the text.');
  await expect(result).not.toContainText('Line 300 of the text.');
  await expect(result).toContainText('400 lines');
  await result.getByRole('button', { name: 'Show all of the content' }).click();
  await expect(result).toContainText('Line 400 of the text.');
  await result.getByRole('button', { name: 'Show less of the content' }).click();
  await expect(result).not.toContainText('Line 300 of the text.');
});

test('texts too long for the stream are fetched in full on demand [E10]', async ({
  page,
  context,
  loupe,
  ollama,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const content = lines(3000); // about 70 KB
  ollama.add({
    name: 'long-write',
    steps: [
      { reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'long.md', content } }] } },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  ollama.add({ name: 'long-answer', steps: [{ reply: { content: `${content}\nThe task is completed.` } }] });
  const view = new RunView(page);
  const open = async (model: string) => {
    await view.open((await finishRun(loupe, { task: 'Write', model, num_predict: [30_000, 30_000] })).id);
    await view.expectEnd('The model answered', 'final_answer');
  };

  await test.step('the answer', async () => {
    await open('long-answer');
    await expect(view.end).toContainText('Line 1 of the text.');
    await view.end.getByRole('button', { name: /Load the full answer/ }).click();
    const whole = view.end.getByRole('region', { name: 'Full answer' });
    await expectAtItsEnd(whole, 'The task is completed.');
  });

  await test.step('an argument', async () => {
    await open('long-write');
    const row = view.row('write_file, succeeded');
    await row.getByRole('button', { name: /^write_file/ }).click();
    const args = row.getByRole('group', { name: 'Arguments', exact: true });
    await expect(args).toContainText('Line 1 of the text.');
    const fetched = page.waitForResponse((response) => /\/events\/\d+$/.test(response.url()));
    // A second click before the text has come does not fold it again.
    const release = await holdReply(page, /\/events\/\d+$/, 2);
    await args.getByRole('button', { name: /Load the full content/ }).dblclick();
    release();
    expect((await fetched).status()).toBe(200);
    await expect(args).toContainText('3,000 lines');
    const whole = args.getByRole('region', { name: 'Full content' });
    await expectAtItsEnd(whole, 'Line 3000 of the text.');
    await args.getByRole('button', { name: 'Copy the content' }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toBe(content);

    // As on a page that another machine serves without encryption, such as a shared run in a local network.
    await page.evaluate(() => {
      Object.defineProperty(window, 'isSecureContext', { value: false });
      return navigator.clipboard.writeText('');
    });
    await args.getByRole('button', { name: /^Cop/ }).click();
    await expect.poll(copied).toBe(content);
  });
});

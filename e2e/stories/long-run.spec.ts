import { expect, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun, summaryOf } from '../runs.ts';

/** Ten calls in each of a hundred iterations, none like another. */
const thousand = (task: string) => ({
  name: task.replaceAll(' ', '-'),
  model: 'wide-window',
  match: task,
  steps: [
    {
      repeat: 99,
      steps: [
        {
          reply: {
            content: 'Round {{n}}.',
            tool_calls: Array.from({ length: 10 }, (_, index) => ({
              name: index === 0 ? 'write_file' : 'read_file',
              arguments:
                index === 0
                  ? { path: 'log.md', content: 'Round {{n}}\n' }
                  : { path: 'log.md', start_line: `${index}` },
            })),
          },
        },
      ],
    },
    {
      reply: {
        tool_calls: Array.from({ length: 10 }, (_, index) => ({
          name: 'list_directory',
          arguments: { path: '.', n: `${index}` },
        })),
      },
    },
  ],
});

const longRun = { model: 'wide-window', max_iterations: 100, window_tokens: 1_000_000, stall_guard: false };

test('a run with 1000 calls stays usable [D20]', async ({ page, loupe, ollama }) => {
  test.setTimeout(600_000);
  ollama.add(thousand('thousand at once'));
  const { id } = await finishRun(loupe, { ...longRun, task: 'thousand at once' });
  const { tool_calls, last_seq } = await summaryOf(loupe, id);
  expect(tool_calls).toBe(1000);

  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The iteration limit was reached', 'max_iterations');
  const rows = view.timeline.locator('article');
  // Only visible rows are rendered.
  expect(await rows.count()).toBeLessThan(120);

  await page.keyboard.press('g');
  await expect(view.row('Task')).toBeInViewport();
  await page.keyboard.press('Shift+G');
  await expect(view.end).toBeInViewport();
  const middle = Math.floor(last_seq / 2);
  await view.open(id, { seq: middle });
  await page.reload();
  await expect(view.timeline.locator('article:focus')).toBeInViewport();
  for (let index = 0; index < 20; index += 1) await page.keyboard.press('j');
  await expect(view.timeline.locator('article:focus')).toBeInViewport();
  expect(await rows.count()).toBeLessThan(120);
  // The renderer may still hold garbage from earlier stories.
  await page.requestGC();
  const heapMb = await page.evaluate(
    () =>
      ((performance as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0) / 1024 / 1024,
  );
  expect(heapMb).toBeLessThan(200);
});

test('scrolling up in a fast run stops following it [D20]', async ({ page, loupe, ollama }) => {
  ollama.add({ ...thousand('thousand slowly'), pace: { prompt_ms: 100 } });
  // Ten calls in one turn: the run waits until the reader is on the page, has scrolled and has read.
  const [goOn, goFar] = [10, 30].map((turn) => ollama.hold('thousand-slowly', { turn }));
  ollama.hold('thousand-slowly', { turn: 60 });
  const callsAre = (count: number) =>
    expect.poll(async () => (await summaryOf(loupe, id)).tool_calls, { timeout: 120_000 }).toBe(count);
  const { id } = await startRun(loupe, { ...longRun, task: 'thousand slowly' });
  const view = new RunView(page);
  await view.open(id);
  const scroller = view.timeline.locator('xpath=..');
  const toEnd = () =>
    scroller.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  await expect(view.row('Model call 11, open')).toBeVisible();
  await expect.poll(toEnd).toBeLessThan(40); // it follows the end
  await page.mouse.move(500, 500);
  goOn?.();
  await page.mouse.wheel(0, -400);
  await callsAre(300);
  await expect.poll(toEnd).toBeGreaterThan(200);
  const before = await scroller.evaluate((element) => element.scrollTop);
  goFar?.();
  const pill = page.getByRole('button', { name: /new rows?$/ });
  await expect(pill).toBeVisible();
  await callsAre(600);
  expect(Math.abs((await scroller.evaluate((element) => element.scrollTop)) - before)).toBeLessThan(3);
  await pill.click();
  await expect(pill).toBeHidden();
  await expect.poll(toEnd).toBeLessThan(40);
  await page.getByRole('button', { name: 'Stop now', exact: true }).click();
  await view.expectEnd('The run was stopped', 'stopped');
  await expect(view.end).toBeInViewport();
});

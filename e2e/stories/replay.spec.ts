import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun, logOf } from '../runs.ts';

const call = (name: string, args: Record<string, string>) => ({ name, arguments: args });

test('a finished run can be replayed in real or compressed time, from any position', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'recorded',
    steps: [
      { reply: { content: 'First I look.', tool_calls: [call('list_directory', { path: '.' })] } },
      { reply: { tool_calls: [call('read_file', { path: 'gone.md' })] } },
      { reply: { tool_calls: [call('write_file', { path: 'out.md', content: 'Done.' })] } },
      { reply: { content: 'The task is completed: out.md is there.' } },
    ],
  });
  const { id } = await finishRun(loupe, { task: 'Write out.md', model: 'recorded', workspace: workspace() });
  const log = await logOf(loupe, id);
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const whole = await view.allRows();

  const bar = page.getByRole('region', { name: 'Replay', exact: true });
  const place = bar.getByRole('slider', { name: 'Position in the run' });
  const at = (seq: number) => expect(place).toHaveAttribute('aria-valuenow', String(seq));

  await test.step('it plays from the beginning to the end by itself', async () => {
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await bar.getByRole('radio', { name: '16×' }).check({ force: true });
    await at(log.length);
    await expect(bar.getByRole('button', { name: 'Play', exact: true })).toBeVisible();
    await expect(view.end).toBeVisible();
  });

  await test.step('at the cursor stands what had happened by then, and nothing can be done to it', async () => {
    const started = log.find((event) => event.type === 'tool-call.started')?.seq ?? 0;
    await place.focus();
    await page.keyboard.press('Home');
    await at(1);
    await expect(view.timeline.getByRole('article')).toHaveCount(1);
    for (let seq = 1; seq < started; seq += 1) await page.keyboard.press('ArrowRight');
    await at(started);
    await expect(view.row('list_directory, running')).toBeVisible();
    await expect(view.end).toBeHidden();
    await expect(page.getByRole('button', { name: /^Stop/ })).toHaveCount(0);
    await page.keyboard.press('.');
    await expect(view.row('list_directory, succeeded')).toBeVisible();
    await page.keyboard.press(',');
    await expect(view.row('list_directory, running')).toBeVisible();
  });

  await test.step('arrows go from iteration to iteration, and Space plays on', async () => {
    const iterations = log.filter(({ type }) => type === 'iteration.started').map(({ seq }) => seq);
    await view.timeline.getByRole('article').last().focus();
    await page.keyboard.press('ArrowRight');
    await at(iterations[1] ?? 0);
    await page.keyboard.press('ArrowLeft');
    await at(iterations[0] ?? 0);
    await page.keyboard.press(' ');
    await at(log.length);
  });

  await test.step('it is dragged to any place', async () => {
    const box = await place.boundingBox();
    if (!box) throw new Error('no track');
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 1, box.y + box.height / 2, { steps: 8 });
    await page.mouse.up();
    await expect.poll(async () => Number(await place.getAttribute('aria-valuenow'))).toBeLessThan(log.length);
    await expect(view.end).toBeHidden();
  });

  await test.step('at the end every row is as in the run itself', async () => {
    await place.focus();
    await page.keyboard.press('End');
    await at(log.length);
    const replayed = await view.allRows();
    expect([...replayed.keys()]).toEqual([...whole.keys()]);
    // There are no actions in the past, so the button of a row that reads as text is left out.
    for (const [row, text] of replayed)
      expect(text).toBe(whole.get(row)?.replace('\nFork with other arguments', ''));
    await expectAccessible(page);
    await bar.getByRole('button', { name: 'Exit replay' }).click();
    await expect(bar).toHaveCount(0);
    await expect(view.connection('Complete')).toBeVisible();
  });
});

import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { endOf, eventsOf, logOf, startRun } from '../runs.ts';

test('S9, S16: a session goes on turn by turn, takes a message and is stopped', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'talker',
    steps: [
      { reply: { content: 'I look around in the garden.' } },
      { reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } },
      { repeat: 400, steps: [{ reply: { content: 'I think about bed {{n}}.' } }] },
    ],
  });
  const { id } = await startRun(loupe, {
    mode: 'session',
    model: 'talker',
    workspace: workspace({ 'beds.md': 'ferns' }),
    turn_delay: 700,
  });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.getByRole('heading', { level: 1, name: 'Session' })).toBeVisible();
  await expect(view.timeline).toContainText('Harness: Continue.');
  await expect(view.timeline).toContainText('I think about bed 1.');
  await test.step('what a person says is queued, then delivered', async () => {
    const box = page.getByRole('textbox', { name: 'Message to the agent' });
    await box.fill('Please look at the ferns.');
    await box.press('Enter');
    await expect(box).toHaveValue('');
    await expect(view.guardrails.getByRole('tab', { name: /^Messages/ })).toBeVisible();
    await view.guardrails.getByRole('tab', { name: /^Messages/ }).click();
    await expect(view.guardrails).toContainText('Please look at the ferns.');
    await expect(view.guardrails).toContainText('delivered');
    await expectAccessible(page);
  });
  await test.step('S14: the first stop waits for the turn', async () => {
    await page.getByRole('button', { name: 'Stop after this step' }).click();
    await view.expectEnd('The run was stopped', 'stopped');
    await expect(view.end.getByRole('link', { name: 'Session log' })).toBeVisible();
  });
  const log = await logOf(loupe, id);
  expect(eventsOf(log, 'operator.delivered')).toHaveLength(1);
});

test('X11, X22, O12: an exploration shows its cycles, its memory and its reflections', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'wanderer',
    steps: [
      {
        repeat: 3,
        steps: [
          {
            reply: {
              tool_calls: [{ name: 'write', arguments: { key: 'tides', value: 'Note {{n}} on tides.' } }],
            },
          },
          { reply: { content: 'In round {{n}} I thought about tides and the moon.' } },
        ],
      },
    ],
  });
  const { id } = await startRun(loupe, { mode: 'explore', model: 'wanderer', max_cycles: 3 });
  await endOf(loupe, id);
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('All cycles are done', 'final_answer');
  const strip = page.getByRole('slider', { name: 'Cycle' }).first();
  await expect(strip).toHaveAttribute('aria-valuetext', /Cycle 3: 1 call/);
  await view.guardrails.getByRole('tab', { name: 'Memory' }).click();
  await expect(view.guardrails).toContainText('Note 3 on tides.');
  await strip.focus();
  await page.keyboard.press('Home');
  await expect(view.guardrails).toContainText('At the end of cycle 1');
  await expect(view.guardrails).toContainText('Note 1 on tides.');
  await view.guardrails.getByRole('button', { name: /tides/ }).click();
  await expect(view.guardrails.getByRole('link', { name: 'call c1' })).toBeVisible();
  await view.guardrails.getByRole('tab', { name: 'Reflections' }).click();
  await expect(view.guardrails).toContainText('In round 2 I thought about tides');
  await expectAccessible(page);
});

test('O14: an experiment is planned, run and read as a table', async ({ page, ollama }) => {
  ollama.add({
    name: 'subject',
    steps: [{ repeat: 4, steps: [{ reply: { content: 'Thought {{n}}.' } }] }],
  });
  await page.goto('/experiments');
  await page.getByLabel('Name', { exact: true }).fill('Two seeds');
  await page.getByLabel('Cycles each').fill('2');
  await page.getByRole('checkbox', { name: /^subject/ }).check();
  await page.getByLabel('Seeds').fill('1-2');
  await expect(page.getByText('2 runs')).toBeVisible();
  await page.getByRole('button', { name: 'Start experiment' }).click();
  await expect(page.getByText('Finished')).toBeVisible({ timeout: 40_000 });
  await expect(page.getByRole('row')).toHaveCount(3);
  await expect(page.getByRole('row').nth(1)).toContainText('seed 1');
  await expect(page.getByRole('row').nth(1)).toContainText('Complete');
  await expect(page.getByRole('link', { name: 'CSV' })).toHaveAttribute('href', /results\?format=csv$/);
  await expectAccessible(page);
});

test('T10: a quick prompt is asked from the form and streams its answer', async ({ page, ollama }) => {
  ollama.add({ name: 'answerer', steps: [{ reply: { content: 'Forty-two.' } }] });
  await page.goto('/runs/new?mode=prompt');
  await page.getByLabel('What do you want to know?').fill('What is six times seven?');
  await page.getByRole('radio', { name: /^answerer/ }).check();
  await page.getByRole('button', { name: 'Ask' }).click();
  const view = new RunView(page);
  await view.expectEnd('The model gave its answer', 'final_answer');
  await expect(view.end).toContainText('Forty-two.');
});

test('Ctrl-K goes anywhere, and / finds a row', async ({ page, loupe, ollama }) => {
  ollama.add({
    name: 'findable',
    steps: [{ reply: { content: 'The needle is in this answer. Completed.' } }],
  });
  const { id } = await startRun(loupe, { task: 'Hide a needle', model: 'findable' });
  await endOf(loupe, id);
  await page.goto('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('hide a needle');
  await expect(page.getByRole('listbox', { name: 'Commands' }).getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  const view = new RunView(page);
  await view.expectEnd('The model gave its answer', 'final_answer');
  await expect(page).toHaveTitle(/^Answered: Hide a needle/);
  await page.keyboard.press('/');
  await page.getByRole('textbox', { name: 'Search in this run' }).fill('needle is in this');
  await expect(page.getByRole('search')).toContainText('2');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('search')).toContainText('1/2');
});

import type { Locator } from '@playwright/test';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { logOf, startRun, summaryOf } from '../runs.ts';

const box = 'Message to the agent';

test('a session starts on the home page, waits after each answer, and is ended there', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'gardener',
    steps: [
      {
        reply: {
          content: 'I look first.',
          tool_calls: [
            { name: 'write_file', arguments: { path: 'beds.md', content: 'dry' } },
            { name: 'read_file', arguments: { path: 'beds.md' } },
          ],
        },
      },
      { reply: { content: 'The beds are **dry**.' } },
      { reply: { content: 'I would water them in the evening.' } },
      { reply: { content: 'Turn {{n}}.' } },
    ],
  });
  const view = new RunView(page);
  await page.goto('/');
  await page.getByRole('textbox', { name: 'Task' }).fill('How are the beds?');
  await page.getByRole('combobox', { name: 'Model' }).selectOption('gardener:latest');
  await page.getByRole('button', { name: 'Start session' }).click();

  await test.step('the chat shows the texts, and one line for the calls', async () => {
    await expect(page.getByRole('feed', { name: 'Chat' })).toBeVisible();
    await expect(view.row('You said')).toContainText('How are the beds?');
    await expect(view.row('Answer').last()).toContainText('The beds are');
    await expect(view.row(/^2 tool calls/)).toContainText('write_file, read_file');
    await expect(page.locator('[data-phase="awaiting-message"]')).toContainText('Waiting for you');
    await expectAccessible(page);
  });

  await test.step('the line unfolds to the rows with their evidence', async () => {
    await view
      .row(/^2 tool calls/)
      .getByRole('button')
      .click();
    await expect(view.row('write_file, succeeded')).toBeVisible();
    await view
      .row('Model call 2, ended')
      .getByRole('button', { name: /^Model/ })
      .click();
    await expect(view.row('Model call 2, ended')).toContainText('messages');
    await view
      .row(/^2 tool calls/)
      .getByRole('button')
      .click();
    await expect(view.row('write_file, succeeded')).toHaveCount(0);
  });

  const field = page.getByRole('textbox', { name: box });
  await test.step('Shift+Enter makes a line, Enter sends, and the session goes on at once', async () => {
    await field.fill('When should I');
    await field.press('Shift+Enter');
    await field.pressSequentially('water them?');
    await field.press('Enter');
    await expect(field).toHaveValue('');
    await expect(view.row('You said').last()).toContainText('water them?');
    await expect(view.row('Answer').last()).toContainText('in the evening');
    await expect(page.locator('[data-phase="awaiting-message"]')).toBeVisible();
    await expect(
      page.locator('[aria-live="polite"]', { hasText: 'The session waits for you.' }),
    ).toBeAttached();
  });

  const id = page
    .url()
    .replace(/.*\/runs\//, '')
    .replace(/[#?].*/, '');
  await test.step('a link to a folded row unfolds it, and the search finds it', async () => {
    const log = await logOf(loupe, id);
    const [read] = eventsOf(log, 'tool-call.started').slice(1);
    await page.goto('/');
    await view.open(id, { seq: read?.seq });
    await expect(view.row('read_file, succeeded')).toBeFocused();
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Search in this run' }).fill('beds.md');
    await page.getByRole('textbox', { name: 'Search in this run' }).press('Enter');
    await expect(view.row('write_file, succeeded')).toBeVisible();
    await page.getByRole('button', { name: 'Close the search' }).click();
  });

  await test.step('the timeline is remembered', async () => {
    await view.showTimeline();
    await expect(view.row('Turn 2')).toBeVisible();
    await page.reload();
    await expect(page.getByRole('feed', { name: 'Timeline' })).toBeVisible();
    await page.getByRole('button', { name: 'Chat', exact: true }).click();
    await expect(page.getByRole('feed', { name: 'Chat' })).toBeVisible();
  });

  await test.step('ended while it waits, it is over', async () => {
    await page.getByRole('button', { name: 'End session' }).click();
    await view.expectEnd('The run was stopped', 'stopped');
  });
  const log = await logOf(loupe, id);
  expect(eventsOf(log, 'message.awaited')).toHaveLength(2);
  expect(eventsOf(log, 'harness.prompted')).toHaveLength(0);
});

test('autopilot is switched on and off while the session runs', async ({ page, loupe, ollama }) => {
  ollama.add({
    name: 'pilot',
    pace: { prompt_ms: 150 },
    steps: [{ repeat: 50, steps: [{ reply: { content: 'Turn {{n}}.' } }] }],
  });
  const { id } = await startRun(loupe, { mode: 'session', model: 'pilot', task: 'Go.', autopilot_turns: 3 });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.row('Answer').last()).toContainText('Turn 1.');
  const autopilot = page.getByRole('switch', { name: 'Autopilot' });
  await expect(autopilot).not.toBeChecked();
  await autopilot.click();
  await expect(autopilot).toBeChecked();
  await expect(page.locator('[data-phase="awaiting-message"]')).toContainText(
    'autopilot reached its turn limit',
  );
  await expect(view.timeline).toContainText('Continue.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Continue on autopilot' }).click();
  await expect(view.row('Answer').last()).toContainText('Turn 7.');
  await autopilot.click();
  await expect(autopilot).not.toBeChecked();
  await page.getByRole('textbox', { name: box }).fill('One more.');
  await page.getByRole('textbox', { name: box }).press('Enter');
  await expect(view.row('Answer').last()).toContainText('Turn 8.');
});

test('autopilot and the stop of a session cannot be used again before their events have reached the page', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'hangs', steps: [{ fault: { kind: 'hang' } }] });
  const { id } = await startRun(loupe, { mode: 'session', model: 'hangs', task: 'Go.' });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="calling"]')).toBeVisible();
  const run = await summaryOf(loupe, id);
  // The reply names an event that is still on its way.
  const answersEarly = async (action: string, button: Locator) => {
    await page.route(`**/api/runs/${id}/${action}`, (route) =>
      route.fulfill({ json: { run: { ...run, last_seq: run.last_seq + 1 } } }),
    );
    const answered = page.waitForResponse(new RegExp(`/${action}$`));
    await button.click();
    await (await answered).finished();
    await twoFrames(page);
    await expect(button).toBeDisabled();
  };

  const autopilot = page.getByRole('switch', { name: 'Autopilot' });
  await answersEarly('autopilot', autopilot);
  await loupe.request(`/api/runs/${id}/autopilot`, { json: { on: true } });
  await expect(autopilot).toBeChecked();
  await expect(autopilot).toBeEnabled();

  run.last_seq += 1;
  const stop = page.getByRole('button', { name: 'End the session after this turn' });
  await page.getByRole('textbox', { name: box }).fill('One more.');
  await answersEarly('stop', stop);
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await expect(send).toBeDisabled();
  await loupe.request(`/api/runs/${id}/stop`, { json: { force: false } });
  await expect(stop).toBeHidden();
  await expect(send).toBeDisabled();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Stop now', exact: true }).click();
  await view.expectEnd('The run was stopped', 'stopped');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });
  test('the input stays at the bottom, and text appears as it is written', async ({
    page,
    loupe,
    ollama,
  }) => {
    const long = Array.from({ length: 60 }, (_, n) => `Line ${n + 1} of the answer.`).join('\n');
    ollama.add({ name: 'writer', pace: { ms_per_token: 5 }, steps: [{ reply: { content: long } }] });
    const { id } = await startRun(loupe, { mode: 'session', model: 'writer', task: 'Write.' });
    const view = new RunView(page);
    await view.open(id);
    await expect(view.timeline).toContainText('Line 3 of');
    await expect(page.getByRole('textbox', { name: box })).toBeInViewport();
    await expect(page.locator('[data-phase="awaiting-message"]')).toBeVisible();
    await expect(view.row('Answer')).toContainText('Line 60 of the answer.');
    await expect(page.getByRole('textbox', { name: box })).toBeInViewport();
    await expectAccessible(page);
  });
});

test('the message box grows with its text, also in a browser without field-sizing', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'short-answers', steps: [{ reply: { content: 'Hello.' } }] });
  const { id } = await startRun(loupe, { mode: 'session', task: 'Hi', model: 'short-answers' });
  const heights = async () => {
    const field = page.getByLabel(box);
    const height = () => field.evaluate(({ offsetHeight }: HTMLTextAreaElement) => offsetHeight);
    await field.fill('One line');
    const one = await height();
    await field.fill('Four\nlines\nof\ntext');
    const four = await height();
    await field.fill('');
    return { one, four, empty: await height() };
  };
  await page.goto(`/runs/${id}`);
  const native = await heights();
  expect(native.four).toBeGreaterThan(2 * native.one);
  expect(native.empty).toBe(native.one);

  await page.addInitScript(() => {
    CSS.supports = () => false;
  });
  await page.reload();
  await page.addStyleTag({ content: 'textarea { field-sizing: fixed !important }' });
  expect(await heights()).toEqual(native);
});

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { SampleLog } from '../../lib/testing/sample-logs.ts';
import { holdReply } from '../delay-reply.ts';
import { openExperimentForm } from '../experiment-form.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { endOf, logOf, startRun } from '../runs.ts';
import { storeRuns } from '../stored-run.ts';

test('a session continues turn by turn, receives a message and is stopped [D13, S9, S16]', async ({
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
    autopilot: true,
    model: 'talker',
    workspace: workspace({ 'beds.md': 'ferns' }),
    turn_delay: 700,
  });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.getByRole('heading', { level: 1, name: 'Session' })).toBeVisible();
  await view.showTimeline();
  await expect(view.timeline).toContainText('Loupe: Continue.');
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
  await test.step('the first stop waits for the turn [S14]', async () => {
    await page.getByRole('button', { name: 'Stop after this step' }).click();
    await view.expectEnd('The run was stopped', 'stopped');
    const files = await view.openMenu('Export');
    await expect(files.getByRole('link', { name: 'Session log' })).toBeVisible();
  });
  const log = await logOf(loupe, id);
  expect(eventsOf(log, 'operator.delivered')).toHaveLength(1);
});

test('a session that handed over has the same number of turns in the header, the rows and the end card', async ({
  ownServer,
  ollama,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-turns-'));
  const id = '20261121-0930-handover';
  await storeRuns(dataDir, { [id]: handedOverSession().events });
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="ended"]')).toContainText('3 turns');
  await expect(view.end.getByText('Turns', { exact: true }).locator('xpath=..')).toContainText('3');
  await view.showTimeline();
  await page.keyboard.press('Home');
  for (const heading of ['Turn 1', 'Turn 2', 'Summary', 'Turn 3']) {
    await expect(view.timeline.getByRole('heading', { name: heading, exact: true })).toBeVisible();
  }
  await expect(view.timeline.getByRole('heading', { name: 'Turn 4', exact: true })).toHaveCount(0);
  await expectAccessible(page);
});

/** Two turns, a handover, and a third turn. */
function handedOverSession(): SampleLog {
  const log = new SampleLog({ config: { mode: 'session', task: 'Water the garden.' } }).prepare();
  const turn = (iteration: number, text: string) =>
    log.round({ text }).push({ type: 'turn.ended', iteration, outcome: 'text' });
  turn(1, 'I water the ferns.');
  turn(2, 'I water the herbs.');
  log.push({
    ...{ type: 'handover.started', iteration: 2, tokens: 900, limit_tokens: 1000, measured: true },
    text: 'Write a summary.',
  });
  log.round({ text: 'The ferns and herbs are wet.' });
  log.push({ type: 'handover.ended', iteration: 3, outcome: 'done', text: 'You wrote: they are wet.' });
  turn(4, 'I put the can away.');
  return log.end('stopped', { message: 'Stopped on request after turn 3.', output: 'I put the can away.' });
}

test('text typed while a message is being sent is kept, and unsent text can be copied at the end [D13]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'slow-talker', steps: [{ fault: { kind: 'hang' } }] });
  const { id } = await startRun(loupe, { mode: 'session', autopilot: true, model: 'slow-talker' });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="calling"]')).toBeVisible();
  const messages = page.getByRole('region', { name: 'Messages to the agent' });
  const box = messages.getByRole('textbox', { name: 'Message to the agent' });
  let send = () => {};
  const typed = new Promise<void>((resolve) => {
    send = resolve;
  });
  await page.route('**/messages', async (route) => {
    await typed;
    await route.continue();
  });
  await box.fill('Look at the ferns.');
  await box.press('Enter');
  await expect(messages.getByRole('button', { name: 'Sending' })).toBeVisible();
  await box.pressSequentially(' And at the');
  send();
  await expect(view.row('You said')).toContainText('Look at the ferns.');
  await expect(view.row('You said')).toContainText('queued');
  await expect(box).toHaveValue('And at the');
  await page.getByRole('button', { name: 'Stop after this step' }).click();
  await page.getByRole('button', { name: 'Stop now', exact: true }).click();
  await view.expectEnd('The run was stopped', 'stopped');
  await expect(messages.getByRole('listitem')).toContainText('returned');
  await expect(messages).toContainText('not sent');
  await expect(messages).toContainText('And at the');
  await expect(messages.getByRole('button', { name: 'Copy unsent text' })).toBeVisible();
  await expectAccessible(page);
});

test('the answer to a message does not take the focus from where the reader has moved it', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'slow-to-hear', steps: [{ reply: { content: 'Hello.' } }] });
  const { id } = await startRun(loupe, { mode: 'session', task: 'Hi', model: 'slow-to-hear' });
  await page.goto(`/runs/${id}`);
  await expect(page.getByText('The session waits for you. Enter to send')).toBeVisible();
  const answer = await holdReply(page, `/api/runs/${id}/messages`);
  await page.getByLabel('Message to the agent').fill('Mind the ferns.');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Models' });
  await link.focus();
  const answered = page.waitForResponse(/\/messages$/);
  answer();
  await (await answered).finished();
  await expect(page.getByLabel('Message to the agent')).toHaveValue('');
  await twoFrames(page);
  await expect(link).toBeFocused();
});

test('a message whose answer is lost is sent once, and the box is emptied when the log has it', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'listener', steps: [{ reply: { content: 'Heard {{turn}}.' } }] });
  const { id } = await startRun(loupe, { mode: 'session', model: 'listener' });
  const view = new RunView(page);
  await view.open(id);
  const messages = page.getByRole('region', { name: 'Messages to the agent' });
  const box = messages.getByRole('textbox', { name: 'Message to the agent' });
  await page.route('**/messages', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await box.fill('Mind the ferns.');
  await box.press('Enter');
  await expect(box).toHaveValue('');
  await expect(messages.getByText('The Loupe server does not answer.')).toBeHidden();

  // The next message never arrives, not even after a reload, so it is sent again with its key.
  const keys: (string | undefined)[] = [];
  await page.unroute('**/messages');
  await page.route('**/messages', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    await (keys.length < 3 ? route.abort() : route.continue());
  });
  await box.fill('Mind the moss.');
  await box.press('Enter');
  await expect(messages.getByText('The Loupe server does not answer.')).toBeVisible();
  await page.reload();
  await expect(box).toHaveValue('Mind the moss.');
  await box.press('Enter');
  await expect(messages.getByText('The Loupe server does not answer.')).toBeVisible();
  await box.press('Enter');
  await expect(box).toHaveValue('');
  expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
  const said = eventsOf(await logOf(loupe, id), 'operator.messaged').map(({ text }) => text);
  expect(said).toEqual(['Mind the ferns.', 'Mind the moss.']);
});

test('an exploration shows its cycles, its memory and its reflections [D13, X11, X22, O12]', async ({
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
  await view.expectEnd('The run is complete', 'final_answer');
  const strip = page.getByRole('slider', { name: 'Cycle' }).first();
  await expect(strip).toHaveAttribute('aria-valuetext', /Cycle 3: 1 call: 1 write ·/);
  await view.guardrails.getByRole('tab', { name: 'Memory', exact: true }).click();
  await expect(view.guardrails).toContainText('Note 3 on tides.');
  await strip.focus();
  await page.keyboard.press('Home');
  await expect(view.guardrails).toContainText('At the end of cycle 1');
  await expect(view.guardrails).toContainText('Note 1 on tides.');
  await view.guardrails.getByRole('button', { name: /tides/ }).click();
  await expect(view.guardrails.getByRole('link', { name: 'call c1' })).toBeVisible();
  await view.guardrails.getByRole('tab', { name: 'Reflections', exact: true }).click();
  await expect(view.guardrails).toContainText('In round 2 I thought about tides');
  await expectAccessible(page);
});

test('an exploration that waits for a reply shows the whole message, and the talk in order [D13, O14]', async ({
  page,
  loupe,
  ollama,
}) => {
  const message = `May I ask you something? ${'I wonder about the tides. '.repeat(20)}What do you think?`;
  const asks = { name: 'send_message_to_operator', arguments: { message } };
  ollama.add({
    name: 'asker',
    steps: [{ reply: { tool_calls: [asks] } }, { reply: { content: 'I heard from the operator.' } }],
  });
  const settings = { mode: 'explore', model: 'asker', max_cycles: 1, operator_policy: 'wait' };
  const { id } = await startRun(loupe, settings);
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="awaiting-message"]')).toBeVisible();
  await expect(view.row(/^send_message_to_operator/)).toContainText('What do you think?');
  await view.guardrails.getByRole('tab', { name: /^Messages/ }).click();
  const talk = view.guardrails.getByRole('listitem');
  await expect(talk).toHaveCount(1);
  await expect(talk).toContainText('What do you think?');
  await expect(talk).toContainText('waits for a reply');
  await expectAccessible(page);
  const box = page.getByRole('textbox', { name: 'Message to the agent' });
  await box.fill('They follow the moon.');
  await box.press('Enter');
  await view.expectEnd('The run is complete', 'final_answer');
  await expect(talk).toHaveCount(2);
  await expect(talk.first()).toContainText('What do you think?');
  await expect(talk.first()).not.toContainText('waits for a reply');
  await expect(talk.last()).toContainText('They follow the moon.');
});

test('an experiment is planned and run, and its results are shown as a table', async ({ page, ollama }) => {
  ollama.add({
    name: 'subject',
    steps: [{ repeat: 4, steps: [{ reply: { content: 'Thought {{n}}.' } }] }],
  });
  await openExperimentForm(page);
  await page.getByLabel('Name', { exact: true }).fill('Two seeds');
  await page
    .getByRole('radiogroup', { name: 'Mode', exact: true })
    .getByText('Explore', { exact: true })
    .click();
  await page.getByLabel('Cycles each').fill('2');
  await page.getByRole('checkbox', { name: /^subject/ }).check();
  await page.getByRole('textbox', { name: 'Seeds' }).fill('1-2');
  await expect(page.getByRole('form', { name: 'New experiment' }).getByText('2 runs')).toBeVisible();
  await page.getByRole('button', { name: 'Start experiment', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Two seeds' })).toBeVisible();
  await expect(page.getByText('Finished')).toBeVisible({ timeout: 90_000 });
  const results = page.getByRole('region', { name: 'Results', exact: true });
  await expect(results.getByRole('row')).toHaveCount(3);
  await expect(results.getByRole('row').nth(1)).toContainText('seed 1');
  await expect(results.getByRole('row').nth(1)).toContainText('Complete');
  await page.getByRole('button', { name: 'Export' }).click();
  await expect(page.getByRole('link', { name: 'Results (CSV)' })).toHaveAttribute(
    'href',
    /results\?format=csv$/,
  );
  await expectAccessible(page);
});

test('an experiment stopping after its current run can still be stopped immediately', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'never-ready', steps: [{ fault: { kind: 'hang' } }] });
  const answer = await loupe.request('/api/experiments', {
    json: { name: 'Long runs', mode: 'prompt', task: 'Wait', models: ['never-ready'], repeats: 2 },
  });
  const { experiment } = await answer.json();
  await page.goto(`/experiments/${experiment.id}`);
  const results = page.getByRole('region', { name: 'Results', exact: true });
  await expect(results.getByRole('row').nth(1)).toContainText('Running');
  await page.getByRole('button', { name: 'Stop after this run' }).click();
  await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible();
  await expect(results.getByRole('row').nth(1)).toContainText('Running');
  await page.getByRole('button', { name: 'Stop now' }).click();
  await expect(results.getByRole('row').nth(1)).toContainText('Stopped');
  await expect(page.getByRole('button', { name: 'Stop now' })).toBeHidden();
  await expect(results.getByRole('row').nth(2)).toContainText('Waiting');
});

test('the experiment form keeps its input while another page starts one', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'elsewhere', steps: [{ fault: { kind: 'hang' } }] });
  await openExperimentForm(page);
  await page.getByLabel('Name', { exact: true }).fill('Typed with care');
  const answer = await loupe.request('/api/experiments', {
    json: { name: 'Started elsewhere', mode: 'prompt', task: 'Wait', models: ['elsewhere'] },
  });
  expect(answer.status).toBe(201);
  await expect(page.getByRole('link', { name: /Started elsewhere/ })).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Typed with care');
});

test('repeated prompts show how often they give the same answer [T10]', async ({ page, ollama }) => {
  ollama.add({ name: 'steady', steps: [{ reply: { content: 'Forty-two.' } }] });
  await openExperimentForm(page);
  await page.getByLabel('Name', { exact: true }).fill('Steady answers');
  await page
    .getByRole('radiogroup', { name: 'Mode', exact: true })
    .getByText('Quick prompt', { exact: true })
    .click();
  await page.getByLabel('Prompt', { exact: true }).fill('What is six times seven?');
  await page.getByRole('checkbox', { name: /^steady/ }).check();
  await page.getByRole('textbox', { name: 'Repeats' }).fill('2');
  await page.getByLabel('Other factors').fill('top_k: 20, 40\ntop_p = 0.9');
  await expect(page.getByRole('form', { name: 'New experiment' }).getByText('4 runs')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Start experiment', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Steady answers' })).toBeVisible();
  await expect(page.getByText('Finished')).toBeVisible({ timeout: 90_000 });
  const agreement = page.getByRole('region', { name: 'Results by cell' });
  await expect(agreement.getByRole('row')).toHaveCount(3);
  await expect(agreement.getByRole('row').nth(2)).toContainText('top_k 40, top_p 0.9');
  await expect(agreement.getByRole('cell', { name: '2 of 2' })).toHaveCount(4);
  // Identical steps take one line each, and can be opened.
  const groups = page.getByRole('region', { name: 'Agreement by iteration' });
  await expect(groups.getByText('Both runs are identical (1 iteration)')).toHaveCount(2);
  await expect(groups.getByRole('table')).toHaveCount(0);
  await groups.getByText('Both runs are identical').first().click();
  await expect(groups.getByRole('table')).toHaveCount(1);
  await expectAccessible(page);
});

test('a quick prompt is started from the form and streams its answer [T9, T10]', async ({ page, ollama }) => {
  ollama.add({ name: 'answerer', steps: [{ reply: { content: 'Forty-two.' } }] });
  await page.goto('/runs/new?mode=prompt');
  await page.getByLabel('What do you want to know?').fill('What is six times seven?');
  await page.getByRole('radio', { name: /^answerer/ }).check();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.end).toContainText('Forty-two.');
});

test('Ctrl-K opens any page, and / finds a row', async ({ page, loupe, ollama }) => {
  ollama.add({
    name: 'findable',
    steps: [{ reply: { content: 'The needle is in this answer. Completed.' } }],
  });
  const { id } = await startRun(loupe, { task: 'Hide a needle', model: 'findable' });
  await endOf(loupe, id);
  await page.goto('/');
  await page.keyboard.press('Control+k');
  const commands = page.getByRole('listbox', { name: 'Commands', exact: true }).getByRole('option');
  await expect(commands.first()).toContainText('New task');
  await page.getByRole('combobox', { name: 'Command', exact: true }).fill('hide a needle');
  // Matches in the logs are marked, and arrive later.
  await expect(commands.filter({ hasNot: page.locator('mark') })).toHaveCount(1);
  await page.keyboard.press('Enter');
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  await expect(page).toHaveTitle(/^Answered: Hide a needle/);
  await page.keyboard.press('/');
  await page.getByRole('textbox', { name: 'Search in this run' }).fill('needle is in this');
  await expect(page.getByRole('search')).toContainText('2');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('search')).toContainText('1/2');
});

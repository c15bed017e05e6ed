import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { endOf, logOf, startRun, summaryOf } from '../runs.ts';

const reading = { reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } };

test('the first stop lets the current step finish, with its calls [D12, S13]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'steps', steps: [reading] });
  const release = ollama.hold('steps', { turn: 0 });
  const { id } = await startRun(loupe, { task: 'Go on', model: 'steps' });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="calling"]')).toBeVisible();
  await page.getByRole('button', { name: 'Stop after this step' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Stopping after this step' })).toBeVisible();
  release();
  await view.expectEnd('The run was stopped', 'stopped');
  await expect(view.row('Stop requested')).toContainText('requested by you');
  await expect(view.end).toContainText('Stopped on request after iteration 1.');
  await expect(page.getByRole('button', { name: 'Stop now', exact: true })).toBeHidden();
  const log = await logOf(loupe, id);
  expect(eventsOf(log, 'tool-call.ended')).toHaveLength(1);
  expect(eventsOf(log, 'stop.requested')).toMatchObject([{ force: false, by: 'operator' }]);
});

test('the second stop ends the run immediately and releases Ollama [D12, S14]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'never', steps: [{ fault: { kind: 'hang' } }] });
  const { id } = await startRun(loupe, { task: 'Wait', model: 'never' });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="calling"]')).toBeVisible();
  const before = ollama.closeEvents.length;
  const stopNow = page.getByRole('button', { name: 'Stop now', exact: true });
  await page.getByRole('button', { name: 'Stop after this step' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Stopping after this step' })).toBeVisible();
  await stopNow.click();
  await view.expectEnd('The run was stopped', 'stopped');
  await expect(view.end).toContainText('Stopped immediately, in iteration 1.');
  const log = await logOf(loupe, id);
  const requests = eventsOf(log, 'stop.requested');
  expect(requests.map(({ force }) => force)).toEqual([false, true]);
  const closed = () => ollama.closeEvents.slice(before).find(({ path }) => path === '/api/chat');
  await expect.poll(closed).toBeDefined();
  // The run ends only once the connection is closed.
  expect(closed()?.at).toBeLessThanOrEqual(eventsOf(log, 'run.ended')[0]?.at ?? 0);
  expect((closed()?.at ?? Number.POSITIVE_INFINITY) - (requests[1]?.at ?? 0)).toBeLessThan(10_000);
});

test('a stop stays requested until its event has reached the page, however late it is', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'never', steps: [{ fault: { kind: 'hang' } }] });
  const { id } = await startRun(loupe, { task: 'Wait', model: 'never' });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="calling"]')).toBeVisible();
  const run = await summaryOf(loupe, id);
  // The reply names an event that is still on its way.
  await page.route(`**/api/runs/${id}/stop`, (route) =>
    route.fulfill({ json: { run: { ...run, last_seq: run.last_seq + 1 } } }),
  );
  const answered = page.waitForResponse(/\/stop$/);
  await page.getByRole('button', { name: 'Stop after this step' }).click();
  await (await answered).finished();
  await twoFrames(page);
  await expect(page.getByRole('status').filter({ hasText: 'Stop requested' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop after this step' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Stop now', exact: true })).toBeEnabled();
  await loupe.request(`/api/runs/${id}/stop`, { json: { force: false } });
  await expect(page.getByRole('status').filter({ hasText: 'Stopping after this step' })).toBeVisible();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Stop now', exact: true }).click();
  await view.expectEnd('The run was stopped', 'stopped');
});

test('a running command is killed when the run is stopped [D12]', async ({ page, loupe, ollama }) => {
  ollama.add({
    name: 'commander',
    steps: [
      { reply: { tool_calls: [{ name: 'run_command', arguments: { command: 'echo begun; sleep 300' } }] } },
    ],
  });
  const { id } = await startRun(loupe, { task: 'Run it', model: 'commander', shell_timeout_secs: 600 });
  const view = new RunView(page);
  await view.open(id);
  const running = view.row('run_command, running');
  await expect(running).toContainText('begun');
  await expect(page.locator('[data-phase="executing"]')).toContainText('Running run_command');
  await page.getByRole('button', { name: 'Stop now', exact: true }).click();
  await view.expectEnd('The run was stopped', 'stopped');
  await expect(view.row(/^run_command, (failed|interrupted|succeeded)/)).toBeVisible();
});

test('a queued run can be stopped [D12]', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'first-in', steps: [{ fault: { kind: 'hang' } }] });
  const first = await startRun(loupe, { task: 'Take the place', model: 'first-in' });
  const second = await startRun(loupe, { task: 'Wait in line', model: 'first-in' });
  const view = new RunView(page);
  await view.open(second.id);
  await expect(page.locator('[data-phase="queued"]')).toContainText('Waiting in queue');
  await expect(page.locator('[data-phase="queued"]')).toContainText('Next in line');
  await page.getByRole('button', { name: 'Stop after this step' }).click();
  await view.expectEnd('The run was stopped', 'stopped');
  await expect(view.end).toContainText('before the first iteration');
  await loupe.request(`/api/runs/${first.id}/stop`, { json: { force: true } });
  await endOf(loupe, first.id);
});

test('the streamed text of a stopped call is kept, with estimated tokens [T17]', async ({
  page,
  loupe,
  ollama,
}) => {
  const reply = { thinking: 'Where do I begin? ', content: 'I have read the first report and go on.' };
  ollama.add({ name: 'half-said', steps: [{ reply, fault: { kind: 'hang', after_tokens: 9 } }] });
  const { id } = await startRun(loupe, {
    task: 'Read',
    model: 'half-said',
    live_tokens: true,
    think: true,
  });
  const view = new RunView(page);
  await view.open(id);
  const call = view.row(/^Model call 1/);
  await expect(call).toContainText('I have read');
  await page.getByRole('button', { name: 'Stop now', exact: true }).click();
  await expect(view.end).toContainText('I have read');
  await expect(view.end).toContainText(/≈[\d,]+ \/ ≈\d+/);
  await expect(call).toContainText('Thought');
  await expect(call).toContainText('Where do I begin?');
  await expect(call).toContainText(/≈[\d,]+ → ≈\d+ tok/);
  await expect(view.guardrails).toContainText(/≈[\d,]+ in, ≈\d+ out/);
  await expectAccessible(page);
  await page.goto('/');
  await expect(
    page
      .getByText(/≈[\d.,k]+/)
      .locator('visible=true')
      .first(),
  ).toBeVisible();
});

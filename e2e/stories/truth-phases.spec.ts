import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { endOf, finishRun, logOf, startRun } from '../runs.ts';

const look = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };

test('loading, reading, thinking and writing are shown as separate phases, each with its clock', async ({
  page,
  loupe,
  ollama,
}) => {
  const pace = { prompt_ms: 20, ms_per_token: 2 };
  ollama.add({
    name: 'phased',
    steps: [
      { reply: { ...look, thinking: 'I look around first.' }, pace },
      { reply: { ...look, thinking: 'I look around a second time, with care.' }, pace },
      {
        reply: { thinking: 'Now I know.', content: 'There is nothing in this folder, and all is done.' },
        pace,
      },
    ],
  });
  const loads = ollama.hold('phased', 'load');
  const reads = ollama.hold('phased', { turn: 0 });
  const thinks = ollama.hold('phased', { turn: 1, afterTokens: 3 });
  const writes = ollama.hold('phased', { turn: 2, afterTokens: 6 });
  const { id } = await startRun(loupe, { task: 'Look', model: 'phased', think: true, live_tokens: true });
  const view = new RunView(page);
  await view.open(id);
  const phase = page.locator('[data-phase]');

  await expect(phase).toContainText('Loading the model');
  // Ollama's own report on the load, never an invented percentage.
  await expect(phase).toContainText('3.1 MB of 3.1 MB to the GPU');
  loads();
  await expect(phase).toContainText('Reading the prompt');
  await expect(view.row('Model call 1')).toContainText('reading the prompt');
  reads();
  await expect(phase).toContainText('Thinking');
  await expect(view.row('Model call 2')).toContainText(/read the prompt in .* · thinking/);
  thinks();
  await expect(phase).toContainText('Writing');
  await expect(view.row('Model call 3')).toContainText(/thought .* · writing/);
  await page.reload();
  await expect(view.row('Model call 3')).toContainText(/read the prompt in .* · thought .* · writing/);
  writes();
  await view.expectEnd('The model answered', 'final_answer');

  const row = await view.reveal(view.row('Model call 3'));
  await row.getByRole('button', { name: /Model/ }).first().click();
  const strip = row.getByRole('img', { name: /reading the prompt .*thinking .*writing/ });
  await expect(strip.first()).toBeVisible();
  await expect(row).toContainText(/writing .* tok\/s/);
  await expect(view.guardrails).toContainText('Window in effect');
  await expect(view.guardrails).toContainText(/Model time.* s/);
  await expect(view.guardrails).toContainText(/Writing speed.* tok\/s/);
  await expectAccessible(page);
  await view.guardrails.getByRole('link', { name: /in model call \d/ }).click();
  await expect(view.timeline.locator('article:focus')).toHaveAccessibleName(/^Model call/);
});

test('a silently truncated prompt raises a warning in the same iteration that names the lost messages [OL2]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.publish({ model: { name: 'forgetful:7b', cuts_silently_at: 4096 } });
  await loupe.request('/api/models/pull', { json: { model: 'forgetful:7b' } });
  ollama.add({
    name: 'forgetting',
    model: 'forgetful:7b',
    steps: [
      { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'tale.txt' } }] } },
      { reply: { content: 'What was I to do?' } },
    ],
  });
  await expect
    .poll(async () =>
      (await loupe.request('/api/models').then((answer) => answer.text())).includes('forgetful:7b'),
    )
    .toBe(true);
  const run = await finishRun(loupe, {
    task: 'Find the one number in this tale',
    model: 'forgetful:7b',
    window_tokens: 32_768,
    workspace: workspace({ 'tale.txt': 'and so the tale goes on and on. '.repeat(1200) }),
  });
  const log = await logOf(loupe, run.id);
  expect(eventsOf(log, 'model-call.ended')[1]?.prompt_tokens).toBe(4096);

  const view = new RunView(page);
  await view.open(run.id);
  const alarm = await view.reveal(view.row(/Note/).filter({ hasText: 'Prompt cut' }));
  await expect(alarm).toContainText(/sent ≈ \d+(,\d{3})? tokens, evaluated 4,096/);
  await expect(alarm).toContainText('user');
  await expect(alarm).toContainText('Find the one number in this tale');
  await expect(view.row('Model call 2')).toContainText('prompt cut');
  await expectAccessible(page);
});

test('a reload by another client between two calls is detected [OL15]', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'shared-model', steps: [{ reply: look }, { reply: { content: 'Done.' } }] });
  const release = ollama.hold('shared-model', { turn: 0 });
  const { id } = await startRun(loupe, { task: 'Look', model: 'shared-model' });
  await expect.poll(() => ollama.chats.some(({ model }) => model === 'shared-model')).toBe(true);
  const other = { model: 'shared-model', messages: [], options: { num_ctx: 8192 }, stream: false };
  await fetch(`${ollama.url}/api/chat`, { method: 'POST', body: JSON.stringify(other) });
  release();
  await endOf(loupe, id);
  const view = new RunView(page);
  await view.open(id);
  const again = await view.reveal(view.row('Preparation').filter({ hasText: 'Model loaded again' }));
  await expect(again).toContainText('Another client had loaded it with a window of 8,192 tokens');
  await expect(again).toContainText('this run needs 32,768');
  await view.expectEnd('The model answered', 'final_answer');
});

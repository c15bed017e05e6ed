import { eventsOf } from '../../lib/testing/events-of.ts';
import { holdReply } from '../delay-reply.ts';
import { expect, test } from '../fixtures.ts';
import { loseFirstAnswer } from '../lose-answer.ts';
import { RunView } from '../run-view.ts';
import { finishRun, logOf } from '../runs.ts';

test('the form starts a run with all of its options [D10]', async ({ page, loupe, ollama, workspace }) => {
  ollama.add({
    name: 'form-model',
    steps: [
      {
        reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'out.md', content: 'All good.' } }] },
      },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  const folder = workspace({ 'alpha.md': 'Alpha.' });
  const number = async (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value);
  const choose = async (group: string, option: string) =>
    page.getByRole('radiogroup', { name: group }).getByText(option, { exact: true }).click();

  const price = { kind: 'api', input_usd_per_million: 1, output_usd_per_million: 2 };
  await loupe.request('/api/models/price', { json: { model: 'form-model', price } });
  await page.goto('/');
  await page.getByRole('link', { name: 'New run', exact: true }).click();
  await page.getByLabel('What should the agent do?').fill('Write out.md');
  await test.step('what was typed survives a look at another page, and a reload', async () => {
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Models', exact: true })).toBeVisible();
    await page.goBack();
    await expect(page.getByLabel('What should the agent do?')).toHaveValue('Write out.md');
    await page.reload();
    await expect(page.getByLabel('What should the agent do?')).toHaveValue('Write out.md');
  });
  await test.step('even where the address has a task', async () => {
    const address = page.url();
    await page.goto(`${address}?mode=task&task=From%20a%20link`);
    const task = page.getByLabel('What should the agent do?');
    await expect(task).toHaveValue('From a link');
    await task.fill('Write out.md');
    await page.reload();
    await expect(task).toHaveValue('Write out.md');
    expect(new URL(page.url()).search).toBe('?mode=task');
  });
  await test.step('so do settings that were changed, until they are reset', async () => {
    const reset = page.getByRole('button', { name: 'Reset settings' });
    const iterations = page.getByLabel('Iterations', { exact: true });
    await expect(reset).toBeHidden();
    await choose('Model', 'form-model:latest');
    await number('Iterations', '9');
    await choose('Mode', 'Session');
    await page.reload();
    await expect(page.getByRole('radio', { name: 'Session' })).toBeChecked();
    await expect(page.getByRole('radio', { name: /form-model/ })).toBeChecked();
    await choose('Mode', 'Task');
    await expect(iterations).toHaveValue('9');
    await reset.click();
    await expect(iterations).toHaveValue('');
    await expect(reset).toBeHidden();
    await expect(page.getByRole('radio', { name: 'Task', exact: true })).toBeFocused();
    await page.reload();
    await expect(page.getByLabel('What should the agent do?')).toHaveValue('Write out.md');
    await expect(iterations).toHaveValue('');
  });
  await choose('Model', 'form-model:latest');
  await choose('Where it works', 'An existing folder');
  await page.getByLabel('Folder', { exact: true }).fill(folder);
  await page.getByLabel('Work on a copy').uncheck();
  await choose('Tier', 'Complex');
  await number('Iterations', '7');
  await page.getByLabel('Stall guard').uncheck();
  await page.getByLabel('Nudge when it only plans').uncheck();
  await number('Token budget', '50000');
  await number('Time budget (minutes)', '5');
  await number('Cost budget (USD)', '1.5');
  const addCheck = page.getByRole('button', { name: 'Add a check' });
  await addCheck.click();
  await page.getByLabel('Kind of check 1').selectOption('File exists');
  await page.getByLabel('Path of check 1').fill('out.md');
  await addCheck.click();
  await page.getByLabel('Kind of check 2').selectOption('File contains');
  await page.getByLabel('Path of check 2').fill('out.md');
  await page.getByLabel('Text of check 2').fill('good');
  await addCheck.click();
  await page.getByLabel('Command of check 3').fill('test -s out.md');
  await addCheck.click();
  await page.getByRole('button', { name: 'Remove check 4' }).click();
  await number('Max attempts', '2');
  await page.getByLabel('Live tokens').check();
  await choose('Thinking', 'On');
  await number('Temperature', '0.2');
  await number('Seed', '7');
  await number('Window (tokens)', '8192');
  await page.getByText('Advanced').click();
  await page.getByLabel('System prompt (added first)').fill('You are terse.');
  await number('Call timeout (seconds)', '60');
  await number('Load timeout (seconds)', '90');
  await page.getByLabel('Keep loaded for').fill('10m');
  await number('Reply limit (tokens)', '512');
  await number('Second reply limit (tokens)', '1024');
  await number('Shorten results at (share of the window)', '0.5');
  await number('Max result length (characters)', '4000');
  await number('Top p', '0.9');
  await number('Top k', '40');
  await expect(page.getByText('at most 7 iterations')).toBeVisible();
  await page.getByRole('button', { name: 'Start run', exact: true }).click();
  await expect(page).toHaveURL(/\/runs\/(?!new)/);

  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const [created] = eventsOf(await logOf(loupe, id), 'run.created');
  expect(created?.config).toMatchObject({
    mode: 'task',
    agentic: true,
    task: 'Write out.md',
    model: 'form-model:latest',
    workspace: folder,
    system: 'You are terse.',
    tier: 'complex',
    max_iterations: 7,
    stall_guard: false,
    nudge_plans: false,
    budget: { max_tokens_total: 50_000, max_seconds: 300, max_cost_usd: 1.5 },
    checks: [
      { type: 'file_exists', path: 'out.md' },
      { type: 'file_contains', path: 'out.md', text: 'good' },
      { type: 'command', command: 'test -s out.md' },
    ],
    max_attempts: 2,
    live_tokens: true,
    think: true,
    window_tokens: 8192,
    call_timeout_ms: 60_000,
    load_timeout_ms: 90_000,
    keep_alive: '10m',
    num_predict: [512, 1024],
    compact_at: 0.5,
    result_chars: 4000,
    model_options: { temperature: 0.2, seed: 7, top_p: 0.9, top_k: 40 },
  });
  // Ollama gets a request for the chosen model.
  expect(ollama.chats.at(-1)).toMatchObject({
    stream: true,
    think: true,
    keep_alive: '10m',
    options: { num_ctx: 8192, num_predict: 512, temperature: 0.2, seed: 7, top_p: 0.9, top_k: 40 },
  });

  await test.step('the search unfolds the row that holds the text, and marks it', async () => {
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Search in this run' }).fill('"All good"');
    await page.getByRole('textbox', { name: 'Search in this run' }).press('Enter');
    await expect(view.row(/^write_file/).first()).toContainText('All good.');
    await expect.poll(() => page.evaluate(() => CSS.highlights.get('found')?.size)).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => CSS.highlights.has('found'))).toBe(false);
  });

  await test.step('"Run again with changes" brings the same settings back', async () => {
    const more = await view.openMenu('More');
    await more.getByRole('link', { name: 'Run again with changes' }).click();
    await expect(page.getByLabel('What should the agent do?')).toHaveValue('Write out.md');
    await expect(page.getByLabel('Folder', { exact: true })).toHaveValue(folder);
    await expect(page.getByLabel('Iterations', { exact: true })).toHaveValue('7');
    await expect(page.getByLabel('Stall guard')).not.toBeChecked();
    await expect(page.getByLabel('Text of check 2')).toHaveValue('good');
    await expect(page.getByLabel('Top k', { exact: true })).toHaveValue('40');
  });

  await test.step('the next new run begins empty', async () => {
    await page.goto('/runs/new');
    await expect(page.getByRole('button', { name: 'Start run', exact: true })).toBeEnabled();
    await expect(page.getByLabel('What should the agent do?')).toHaveValue('');
  });
});

test('the quick form needs a task and nothing else [D10]', async ({ page, ollama }) => {
  ollama.add({ name: 'a-quick-model', steps: [{ reply: { content: 'The task is completed.' } }] });
  await page.goto('/');
  await page.getByLabel('Model', { exact: true }).selectOption({ label: 'a-quick-model:latest' });
  await page.getByLabel('Task', { exact: true }).fill('Say hello');
  await page.getByLabel('Task', { exact: true }).press('Control+Enter');
  await new RunView(page).expectEnd('The model answered', 'final_answer');
  await expect(page.getByRole('heading', { name: 'Say hello' })).toBeVisible();

  // Started from the large form, a task that was typed here is not typed again.
  await page.goto('/');
  await expect(page.getByLabel('Model', { exact: true })).toHaveValue('a-quick-model:latest');
  const story = 'A longer story. '.repeat(200);
  await page.getByLabel('Task', { exact: true }).fill(story);
  await page.getByRole('link', { name: 'All options' }).click();
  await expect(page.getByLabel('What should the agent do?')).toHaveValue(story);
});

for (const [path, label] of [
  ['/', 'Task'],
  ['/runs/new', 'What should the agent do?'],
] as const) {
  test(`Ctrl+Enter starts one run from ${path}, however often it is pressed [D10]`, async ({
    page,
    ollama,
  }) => {
    ollama.add({ name: 'once-model', steps: [{ reply: { content: 'The task is completed.' } }] });
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let started = 0;
    await page.route('**/api/runs', async (route) => {
      started += 1;
      await answered;
      await route.continue();
    });
    await page.goto(path);
    if (path === '/') {
      await page.getByLabel('Model', { exact: true }).selectOption({ label: 'once-model:latest' });
    } else {
      await page.getByRole('radio', { name: /^once-model/ }).check();
    }
    const task = page.getByLabel(label, { exact: true });
    await task.fill('Say hello');
    await task.press('Control+Enter');
    await expect(page.getByRole('button', { name: 'Starting' })).toBeDisabled();
    await task.press('Control+Enter');
    answer();
    await new RunView(page).expectEnd('The model answered', 'final_answer');
    expect(started).toBe(1);
  });
}

test('starting again after the answer was lost opens the run that was started', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'lost-model', steps: [{ reply: { content: 'The task is completed.' } }] });
  await loseFirstAnswer(page, '**/api/runs');
  await page.goto('/');
  await page.getByLabel('Model', { exact: true }).selectOption({ label: 'lost-model:latest' });
  await page.getByLabel('Task', { exact: true }).fill('Start only once');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByText('The Loupe server does not answer.')).toBeVisible();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await new RunView(page).expectEnd('The model answered', 'final_answer');
  const { runs } = await (await loupe.request('/api/runs?text=Start+only+once')).json();
  expect(runs).toHaveLength(1);
});

test('a task of nothing but spaces is reported on the first page', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Start', exact: true })).toBeEnabled();
  await page.getByLabel('Task', { exact: true }).fill('   ');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Say what the agent should do.' })).toBeVisible();
});

test('input typed before hydration is not lost [D10]', async ({ page }) => {
  for (const [path, label] of [
    ['/', 'Task'],
    ['/runs/new', 'What should the agent do?'],
  ] as const) {
    const { promise: scripts, resolve: come } = Promise.withResolvers<void>();
    await page.route('**/*.js', async (route) => {
      await scripts;
      await route.continue();
    });
    await page.goto('about:blank');
    const [opened] = await Promise.all([
      page.goto(path),
      page
        .getByLabel(label, { exact: true })
        .fill('Typed early')
        .then(() => come()),
    ]);
    expect(opened?.status()).toBe(200);
    // The models appear with the next rendering of the form.
    await expect(page.locator('option, label').filter({ hasText: 'loupe-demo' }).first()).toBeAttached();
    await page.getByLabel(label, { exact: true }).press('End');
    await page.keyboard.type(', and late.');
    await expect(page.getByLabel(label, { exact: true })).toHaveValue('Typed early, and late.');
    await page.unrouteAll({ behavior: 'wait' });
  }
});

test('invalid input is reported at the field before anything starts [D10, G3]', async ({ page, loupe }) => {
  await page.goto('/runs/new');
  const start = page.getByRole('button', { name: 'Start run', exact: true });
  await start.click();
  await expect(page.getByLabel('What should the agent do?')).toBeFocused();
  await expect(page.getByText('Say what the agent should do.')).toBeVisible();

  await page.getByLabel('What should the agent do?').fill('Do it');
  await page.getByLabel('Iterations', { exact: true }).fill('0');
  await start.click();
  await expect(page.getByLabel('Iterations', { exact: true })).toBeFocused();
  await expect(page.getByText('A whole number from 1 to 100.')).toBeVisible();

  // Problems that only the server can know are shown in its own words: what happened, and what to do.
  await page.getByLabel('Iterations', { exact: true }).fill('');
  await page.getByText('An existing folder').click();
  await page.getByLabel('Folder', { exact: true }).fill('/no/such/folder');
  await start.click();
  await expect(page.getByRole('alert').filter({ hasText: '/no/such/folder' })).toBeVisible();
  await page.getByLabel('Folder', { exact: true }).fill(loupe.dataDir);
  await start.click();
  await expect(page.getByRole('alert').filter({ hasText: 'own data' })).toBeVisible();
  await expect(page).toHaveURL(/\/runs\/new$/);
});

test('a single answer streams text, offers no tools and runs no loop [T10]', async ({ page, ollama }) => {
  ollama.add({ name: 'single-model', steps: [{ reply: { content: 'Forty-two.' } }] });
  await page.goto('/runs/new');
  await page.getByLabel('What should the agent do?').fill('What is the answer?');
  await page.getByText('Quick prompt', { exact: true }).click();
  await page.getByRole('radio', { name: /^single-model/ }).check();
  await expect(page.getByText('Where it works')).toBeHidden();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.end).toContainText('Forty-two.');
  expect(ollama.chats.at(-1)).toMatchObject({ stream: true, messages: [{ role: 'user' }] });
  expect(ollama.chats.at(-1)?.tools).toBeUndefined();
});

test('what is typed before an earlier run has been read stays', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'a-former-model', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, {
    task: 'The former task',
    model: 'a-former-model',
    max_iterations: 7,
  });
  const release = await holdReply(page, `/api/runs/${id}`);
  await page.goto(`/runs/new?from=${id}`);
  const task = page.getByLabel('What should the agent do?');
  await task.fill('Another task');
  release();
  await expect(page.getByRole('textbox', { name: 'Iterations', exact: true })).toHaveValue('7');
  await expect(task).toHaveValue('Another task');
});

test('the model picker shows the capabilities of models [D10]', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'seen-model', steps: [{ reply: { content: 'The task is completed.' } }] });
  await finishRun(loupe, { task: 'Load it', model: 'seen-model' });
  await page.goto('/models');
  const line = page.getByRole('listitem').filter({ hasText: 'seen-model:latest' });
  await expect(line).toContainText('tools');
  await expect(line).toContainText('in memory');
  await expect(line).not.toContainText('loaded');
  await expect(page.getByRole('listitem').filter({ hasText: 'loupe-demo-loop' })).toContainText(
    'again and again',
  );
  await line.getByRole('link', { name: 'New run with seen-model:latest' }).click();
  const chosen = page.getByRole('radiogroup', { name: 'Model' }).getByRole('radio', { checked: true });
  await expect(chosen).toHaveAccessibleName(/^seen-model:latest.* in memory/);

  await test.step('a model at the end of the list is in sight when it is the one', async () => {
    for (const name of ['one', 'two', 'three', 'four']) ollama.add({ name, steps: [{ reply: {} }] });
    await page.setViewportSize({ width: 1280, height: 1000 });
    await page.goto('/models');
    await page.getByRole('link', { name: 'New run with loupe-demo-trouble' }).click();
    await expect(chosen).toHaveAccessibleName(/^loupe-demo-trouble/);
    await expect(chosen).toBeInViewport({ ratio: 1 });
  });
});

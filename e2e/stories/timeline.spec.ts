import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun, logOf, startRun } from '../runs.ts';

const call = (name: string, args: Record<string, string>) => ({ name, arguments: args });
const article = Array.from(
  { length: 60 },
  (_, index) => `Paragraph ${index + 1}: ${'words '.repeat(30)}`,
).join('\n');

test('a run with every kind of row can be read from start to end [D6, D7, D9]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'colors',
    steps: [
      {
        reply: {
          thinking: 'First I look around.',
          content: 'I look at the folder.',
          tool_calls: [call('list_directory', { path: '.' })],
        },
      },
      { reply: { content: JSON.stringify(call('write_file', { path: 'draft.md', content: 'A draft.' })) } },
      {
        reply: {
          content: `<tool_call>${JSON.stringify(call('read_file', { path: 'gone.md' }))}</tool_call>`,
        },
      },
      { attempts: [{ fault: { kind: 'busy' } }, { reply: { content: 'Next I will read the article.' } }] },
      {
        reply: {
          tool_calls: [
            call('read_file', { path: 'article.md', start_line: '1', end_line: '40' }),
            call('search_files', { pattern: 'Paragraph 7' }),
          ],
        },
      },
      {
        attempts: [
          { reply: { content: 'This answer is cut', done_reason: 'length', eval_count: 2048 } },
          { reply: { content: 'The task is completed: the draft is written.' } },
        ],
      },
    ],
  });
  const { id } = await startRun(loupe, {
    task: 'Write a draft',
    model: 'colors',
    workspace: workspace({ 'article.md': article, 'draft-old.md': 'Old.' }),
    window_tokens: 4096,
    budget: { max_tokens_total: 90_000 },
    think: true,
    live_tokens: true,
  });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const rows = [...(await view.allRows()).values()];
  const text = rows.join('\n');
  for (const iteration of [1, 2, 3, 4, 5, 6]) expect(text).toContain(`ITERATION ${iteration}`);

  await test.step('each call has its name, layer, arguments, result, success and duration [D7]', async () => {
    await page.keyboard.press('g');
    const listed = view.row('list_directory, succeeded');
    await listed.getByRole('button', { name: /^list_directory/ }).click();
    await expect(listed.getByRole('group', { name: 'Arguments', exact: true })).toContainText('path');
    await expect(listed.getByRole('group', { name: 'Result', exact: true })).toContainText('article.md');
    await expect(listed).toContainText(/\d+(\.\d+)? m?s/);
    await expect(view.row('Model call 1, ended')).toContainText('native');
    await expect(view.row('Model call 1, ended')).toContainText('First I look around.');

    await expect(view.row('write_file, succeeded')).toContainText('JSON in text');
    const failed = view.row('read_file, failed');
    await view.reveal(failed);
    await expect(failed).toContainText('XML in text');
    await expect(failed.getByRole('group', { name: 'Result', exact: true })).toContainText('gone.md');
  });

  await test.step('nudge, retries, shortening and budget have their own rows and gauges [D9]', async () => {
    expect(text).toMatch(/Retry\n+Ollama HTTP 503.*busy/);
    expect(text).toMatch(/Nudge/);
    expect(text).toMatch(/failed temporarily, retried/);
    expect(text).toMatch(/cut off, retried with a higher limit/);
    expect(text).toMatch(/Older results shortened/);
    await expect(view.guardrails).toContainText('Nudges');
    await expect(view.guardrails).toContainText('Token budget');
    await expect(view.guardrails).toContainText('Window');
    await expect(view.guardrails).toContainText('3 native, 1 JSON in text, 1 XML in text');
    const nudge = view.row('Nudge');
    await view.reveal(nudge);
    await nudge.getByRole('button').first().click();
    await expect(nudge).toContainText('Please use the available tools to complete the task.');
  });

  await test.step('a model call unfolds to what was sent and how the reply was parsed [C11]', async () => {
    await page.keyboard.press('g');
    const first = view.row('Model call 1, ended');
    await first.getByRole('button', { name: /what was sent/ }).click();
    const sent = first.getByRole('group', { name: 'Sent', exact: true });
    await expect(sent).toContainText('num_ctx 4096');
    await expect(sent).toContainText(/estimated, .* measured/);
    await expect(first.getByRole('group', { name: 'How the reply was parsed' })).toContainText('native');
    await expect(first.getByRole('group', { name: 'The reply as Ollama sent it' })).toContainText(
      'list_directory',
    );
  });

  await test.step('what was fitted to the schema is shown [P11]', async () => {
    await page.keyboard.press('G');
    const read = view.row('read_file, succeeded');
    await view.reveal(read);
    await expect(read).toContainText('coerced');
    await read.getByRole('button', { name: /^read_file/ }).click();
    await expect(
      read.getByRole('group', { name: "Values converted to fit the tool's schema" }),
    ).toContainText('"40"');
  });

  const log = await logOf(loupe, id);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
  expect(eventsOf(log, 'policy.retried').map(({ cause }) => cause)).toEqual(['transient', 'length']);
});

test('text and thinking appear while the model writes them [E2, D4]', async ({ page, loupe, ollama }) => {
  const thoughts = Array.from({ length: 40 }, (_, index) => `t${index}`).join(' ');
  const words = Array.from({ length: 40 }, (_, index) => `w${index}`).join(' ');
  ollama.add({ name: 'writer', steps: [{ reply: { thinking: thoughts, content: `${words} completed` } }] });
  const thinking = ollama.hold('writer', { turn: 0, afterTokens: 20 });
  const { id } = await startRun(loupe, { task: 'Write', model: 'writer', live_tokens: true, think: true });
  const view = new RunView(page);
  await view.open(id);
  const open = view.row('Model call 1, open');
  await expect(open).toContainText('t19');
  await expect(open).not.toContainText('t20');
  await expect(page.locator('[data-writing="thinking"]')).toContainText('Thinking');
  thinking();
  await view.expectEnd('The model answered', 'final_answer');

  const writing = ollama.hold('writer', { turn: 0, afterTokens: 60 });
  const next = await startRun(loupe, { task: 'Write', model: 'writer', live_tokens: true, think: true });
  await view.open(next.id);
  await expect(open).toContainText('t39');
  await expect(open).toContainText('w19');
  await expect(open).not.toContainText('w20');
  await expect(page.locator('[data-writing="text"]')).toContainText('Writing');
  writing();
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.end).toContainText('w39 completed');
});

test('rows can be clicked while the list scrolls to follow the run', async ({ page, loupe, ollama }) => {
  const looks = {
    reply: { tool_calls: [call('list_directory', { path: '.' })], content: 'I look. '.repeat(40) },
  };
  const says = { reply: { content: 'The task is completed.' } };
  ollama.add({
    name: 'scrolls',
    steps: [looks, { ...looks, reply: { content: 'Next I will look again.' } }, says],
  });
  const { id } = await finishRun(loupe, { task: 'Look twice', model: 'scrolls' });
  await page.setViewportSize({ width: 800, height: 400 });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const hits = await view.timeline.locator('xpath=..').evaluate(async (scroller) => {
    const { left, top, width, height } = scroller.getBoundingClientRect();
    const found: string[] = [];
    for (let step = 0; step < 20; step += 1) {
      scroller.scrollTop += step < 10 ? -10 : 10;
      // The list gets the scroll event before the next frame, and has rendered the result after it.
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      // The box of a row, since the point may lie between two of them.
      const box = hit?.closest('[role="feed"] > * > *');
      found.push(box?.querySelector('article') ? 'a row' : (hit?.outerHTML.slice(0, 80) ?? 'nothing'));
    }
    return found;
  });
  expect(new Set(hits)).toEqual(new Set(['a row']));
});

test('loading the model is a separate phase, and a slow call has a running clock [K-25]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'sleeper',
    pace: { load_ms: 1200 },
    steps: [{ reply: { content: 'The task is completed.' } }],
  });
  const loading = ollama.hold('sleeper', 'load');
  const calling = ollama.hold('sleeper', { turn: 0 });
  const { id } = await startRun(loupe, { task: 'Wake up', model: 'sleeper' });
  const view = new RunView(page);
  await view.open(id);
  const phase = page.locator('[data-phase="loading"]');
  await expect(phase).toContainText('Loading the model');
  await expect(phase).toContainText(/0:0[2-9]|0:[1-5]\d|[1-9]:\d\d/);
  loading();
  await expect(page.locator('[data-phase="calling"]')).toContainText('Reading the prompt');
  await expect(page).toHaveTitle(/^Running: Wake up/);
  calling();
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.row('Preparation')).toContainText(/loaded in \d+\.\d s/);
  await expect(page).toHaveTitle(/^Answered: Wake up/);
});

test('the guardrails count up before they end a run [D9]', async ({ page, loupe, ollama, workspace }) => {
  ollama.add({ name: 'loop', steps: [{ reply: { tool_calls: [call('read_file', { path: 'a.md' })] } }] });
  const releases = [1, 2].map((turn) => ollama.hold('loop', { turn }));
  const { id } = await startRun(loupe, {
    task: 'Read',
    model: 'loop',
    workspace: workspace({ 'a.md': 'A' }),
  });
  const view = new RunView(page);
  await view.open(id);
  const gauge = view.guardrails
    .locator('div')
    .filter({ hasText: /^Identical calls in a row/ })
    .first();
  await expect(gauge).toContainText('1/3');
  releases[0]?.();
  await expect(gauge).toContainText('2/3');
  releases[1]?.();
  await expect(gauge).toContainText('3/3');
  await view.expectEnd('The model kept making the same call', 'repetition');
});

test('two runs that share a model each show only their own calls [D7]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'twins',
    steps: [
      { reply: { tool_calls: [call('read_file', { path: 'mine.md' })] } },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  const one = await finishRun(loupe, {
    task: 'One',
    model: 'twins',
    workspace: workspace({ 'mine.md': 'first' }),
  });
  const two = await finishRun(loupe, {
    task: 'Two',
    model: 'twins',
    workspace: workspace({ 'mine.md': 'second' }),
  });
  const view = new RunView(page);
  await view.open(one.id);
  await expect(view.row('read_file, succeeded')).toContainText('first');
  await view.open(two.id);
  await expect(view.row('read_file, succeeded')).toContainText('second');
  await expect(view.row('read_file, succeeded')).not.toContainText('first');
});

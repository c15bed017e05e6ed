import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';

const done = { reply: { content: 'The task is completed.' } };
const folder = { 'q1.md': 'Revenue rose.\n', 'q2.md': 'Costs fell.\n' };

test('every reply shows the layers tried, the one that matched and the position of its calls [P2, P17]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'ladder',
    steps: [
      { reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } },
      {
        reply: {
          content:
            'I read the first.\n\n```json\n{"name": "read_file", "arguments": {"path": "q1.md", "start_line": "1"}}\n```',
        },
      },
      {
        reply: {
          content: `<tool_call>{'name': 'read_file', 'arguments': {'path': 'q2.md',}}</tool_call>\n<tool_call>{"name": "open_file", "arguments": {"path": "q2.md"}}</tool_call>`,
        },
      },
      done,
    ],
  });
  const { id } = await startRun(loupe, {
    task: 'Read both reports',
    model: 'ladder',
    workspace: workspace(folder),
    stall_guard: false,
  });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');

  await test.step('the run says how its calls were read [P17]', async () => {
    await expect(
      page.getByText(/^4 calls: 1 native, 1 JSON in text, 2 XML in text · 1 repaired/).first(),
    ).toBeVisible();
    await expect(view.guardrails).toContainText(
      /Call formats\s*1 native, 1 JSON in text, 2 XML in text · 1 repaired/,
    );
  });
  await page.keyboard.press('g');

  await test.step('native calls end the reading [P2]', async () => {
    const first = view.row(/^Model call 1/);
    await first.getByRole('button', { name: /^Model/ }).click();
    const ladder = first.getByLabel('How the reply was parsed');
    await expect(ladder.locator('[data-rung=won]')).toContainText('native');
    await expect(ladder.locator('[data-rung=skipped]')).toHaveCount(2);
    await first.getByRole('button', { name: /^Model/ }).click();
  });

  await test.step('a fenced call is marked in the text, and its argument was fitted [P9, P17]', async () => {
    const second = view.row(/^Model call 2/);
    await view.reveal(second);
    await second.getByRole('button', { name: /^Model/ }).click();
    const ladder = second.getByLabel('How the reply was parsed');
    await expect(ladder.locator('[data-rung=nothing]').first()).toContainText('native');
    await expect(ladder.locator('[data-rung=won]')).toContainText('JSON');
    const raw = second.getByLabel('The reply as Ollama sent it');
    await expect(raw).toContainText('I read the first.');
    await expect(raw.locator('mark[data-mark=call]')).toContainText('"start_line": "1"');
    await expect(raw.locator('mark[data-mark=call]')).not.toContainText('I read the first.');
    await expect(second.getByLabel('What was changed to read it')).toContainText('start_line: "1" → 1');
    await second.getByRole('button', { name: /^Model/ }).click();
  });

  await test.step('repairs are shown as before and after, and each call by itself [P16, P17]', async () => {
    const third = view.row(/^Model call 3/);
    await view.reveal(third);
    await third.getByRole('button', { name: /^Model/ }).click();
    const changed = third.getByLabel('What was changed to read it');
    await expect(changed).toContainText('trailing comma');
    await expect(changed.locator('del').first()).toBeVisible();
    await expect(third.getByLabel('The reply as Ollama sent it').locator('mark[data-mark=call]')).toHaveCount(
      2,
    );
    await expectAccessible(page);
  });
});

test('a call that Ollama could not parse does not count as an outage [T22]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'swallowed',
    steps: [
      {
        attempts: [
          { fault: { kind: 'malformed-call' } },
          { reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } },
        ],
      },
      done,
    ],
  });
  const { id } = await startRun(loupe, {
    task: 'Look around',
    model: 'swallowed',
    workspace: workspace(folder),
  });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  await page.keyboard.press('g');
  const first = view.row(/^Model call 1/);
  await expect(first).toContainText("Ollama could not read the model's call.");
  await expect(first.getByLabel('What the model wrote')).toContainText('notes.md');
  await expect(view.row('Retry').first()).toBeVisible();
});

test('a reply that Ollama dropped is not shown as an empty answer [T22, P17]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({ name: 'dropped', steps: [{ reply: { content: '', eval_count: 27 } }] });
  const { id } = await startRun(loupe, {
    task: 'Look around',
    model: 'dropped',
    workspace: workspace(folder),
  });
  const words = 'The model wrote 27 tokens, but none arrived: Ollama drops tool calls that it cannot read.';
  const view = new RunView(page);
  await view.open(id);
  await expect(view.end).toContainText('In its last reply the model wrote 27 tokens, but none arrived');
  await expect(view.guardrails).toContainText('6 unreadable');
  await page.keyboard.press('g');
  const first = view.row(/^Model call 1/);
  await expect(first).toContainText(words);
  await first.getByRole('button', { name: /^Model/ }).click();
  await expect(first.getByLabel('How the reply was parsed')).toContainText(words);
  await expect(first.getByLabel('The reply as Ollama sent it')).toContainText(words);
  await expectAccessible(page);
  const answer = await loupe.request('/api/models');
  const { models } = (await answer.json()) as { models: { name: string; reading?: { malformed: number } }[] };
  expect(models.find(({ name }) => name.startsWith('dropped'))?.reading).toMatchObject({ malformed: 6 });
});

test('a refused call shows the reason and the intended call [P4, P16]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const thought = '{"name": "read_file", "arguments": {"path": "q1.md"}}';
  ollama.add({
    name: 'refused',
    steps: [
      {
        reply: {
          content: `<think>I could do <tool_call>${thought}</tool_call> now.</think>The task is completed, nothing was to be read.`,
        },
      },
    ],
  });
  const { id } = await startRun(loupe, { task: 'Look', model: 'refused', workspace: workspace(folder) });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const row = view.row(/^Model call 1/);
  await view.reveal(row);
  await expect(row.getByLabel('Not taken as calls')).toContainText('only in thinking');
  await row.getByRole('button', { name: /^Model/ }).click();
  await expect(row.locator('mark[data-mark=refusal]').first()).toContainText('read_file');
});

test('while a reply arrives, its thinking and its call are not shown as text, and stay readable as written [P4, P7]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const call = '{"name": "read_file", "arguments": {"path": "q1.md"}}';
  ollama.add({
    name: 'tags',
    steps: [
      {
        reply: {
          content: `<think>\nWhich report?\n</think>\n\nThe first.\n\n<tool_call>\n${call}\n</tool_call>`,
        },
      },
      done,
    ],
  });
  // All but the closing tag of the call.
  const writing = ollama.hold('tags', { turn: 0, afterTokens: 25 });
  const { id } = await startRun(loupe, {
    ...{ task: 'Read a report', model: 'tags', live_tokens: true },
    workspace: workspace(folder),
  });
  const view = new RunView(page);
  await view.open(id);
  const row = view.row('Model call 1, open');
  const possible = row.getByRole('button', { name: /^Possible tool call, \d+ characters$/ });
  await expect(possible).toBeVisible();
  await expect(row.locator('p.italic')).toHaveText('Which report?');
  await expect(row).toContainText('The first.');
  await expect(row).not.toContainText('think>');
  await expect(row).not.toContainText('read_file');
  await possible.click();
  await expect(row.getByRole('group', { name: 'As written so far' })).toContainText(`<tool_call> ${call}`);
  await expectAccessible(page);
  writing();
  await view.expectEnd('The model answered', 'final_answer');
});

test('the Models page counts how the replies of each model were parsed [P17]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  ollama.add({
    name: 'counted-by-layer',
    steps: [
      { reply: { content: '{"name": "list_directory", "arguments": {"path": "."}}' } },
      { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'q1.md', start_line: '1' } }] } },
      done,
    ],
  });
  await finishRun(loupe, { task: 'Read', model: 'counted-by-layer', workspace: workspace(folder) });
  await page.goto('/models');
  const row = page.getByRole('row', { name: /^counted-by-layer/ });
  await expect(row).toContainText('2 calls');
  await expect(row).toContainText('1 native, 1 JSON in text, 0 XML in text');
  await expect(row.getByText('1 JSON in text', { exact: true })).toBeVisible();
  await expect(row.getByRole('cell').nth(1)).toHaveText('3');
  await expectAccessible(page);
});

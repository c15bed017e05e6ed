import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { finishRun, startRun } from '../runs.ts';

/** Presses Tab until the target has the focus, as a person without a mouse does. */
async function tabTo(page: Page, name: string | RegExp, limit = 60): Promise<void> {
  for (let presses = 0; presses < limit; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement)) return '';
      const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
      return (
        element.getAttribute('aria-label') ??
        ([...labels.map((label) => label.textContent), element.textContent].join(' ').trim() || '')
      );
    });
    if (typeof name === 'string' ? focused.includes(name) : name.test(focused)) return;
  }
  throw new Error(`Tab did not lead to ${name}`);
}

/** Keyboard users must see where the focus is. */
async function expectFocusSeen(page: Page): Promise<void> {
  const seen = await page.evaluate(() => {
    const outlined = (element: Element | null): boolean => {
      if (!element) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
    };
    const element = document.activeElement;
    return (
      outlined(element) ||
      outlined(element?.closest('label') ?? null) ||
      (element?.matches('textarea') ?? false)
    );
  });
  expect(seen).toBe(true);
}

test('from the first page to a finished run without a mouse [D22]', async ({ page, ollama, workspace }) => {
  ollama.add({
    name: 'a-keyboard-model',
    steps: [
      { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'a.md' } }] } },
      { reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  const release = ollama.hold('a-keyboard-model', { turn: 2 });
  const folder = workspace({ 'a.md': 'Alpha.' });
  await page.goto('/');
  await expect(page.getByRole('form', { name: 'Quick run' })).toBeVisible();

  await test.step('the first stop of the Tab key skips the header', async () => {
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
    await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeInViewport();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Task', { exact: true })).toBeFocused();
  });

  await test.step('the form is filled in', async () => {
    await tabTo(page, 'All options');
    await expectFocusSeen(page);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'New run', exact: true })).toBeVisible();
    const model = page.getByRole('radio', { name: /a-keyboard-model/ });
    await expect(model).toBeAttached();
    await tabTo(page, 'What should the agent do?');
    await page.keyboard.type('Read it');
    await tabTo(page, /:latest|loupe-demo/);
    for (let presses = 0; presses < 300 && !(await model.isChecked()); presses += 1)
      await page.keyboard.press('ArrowDown');
    await expect(model).toBeChecked();
    await expectFocusSeen(page);
    await tabTo(page, 'A fresh folder');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.type(folder);
    await tabTo(page, 'Stall guard');
    await page.keyboard.press('Space');
    await expect(page.getByLabel('Stall guard')).not.toBeChecked();
    await page.getByLabel('What should the agent do?').press('Control+Enter');
  });

  const view = new RunView(page);
  await expect(view.connection('Live')).toBeVisible();
  release();
  await view.expectEnd('The model answered', 'final_answer');

  await test.step('rows are walked with j and k, iterations with Shift, and Enter unfolds', async () => {
    await page.keyboard.press('g');
    await expect(view.row('Task')).toBeFocused();
    await page.keyboard.press('j');
    await expect(view.row('Preparation')).toBeFocused();
    await page.keyboard.press('k');
    await expect(view.row('Task')).toBeFocused();
    await page.keyboard.press('Shift+J');
    await expect(view.row('Iteration 1')).toBeFocused();
    await page.keyboard.press('Shift+J');
    await expect(view.row('Iteration 2')).toBeFocused();
    await page.keyboard.press('Shift+K');
    await expect(view.row('Iteration 1')).toBeFocused();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const call = view.row('read_file, succeeded');
    await expect(call).toBeFocused();
    await expectFocusSeen(page);
    await page.keyboard.press('Enter');
    await expect(call.getByRole('group', { name: 'Result', exact: true })).toContainText('Alpha.');
    await page.keyboard.press('Enter');
    await expect(call.getByRole('group', { name: 'Result', exact: true })).toBeHidden();
    await page.keyboard.press('Shift+G');
    await expect(view.end).toBeInViewport();
  });

  await test.step('? shows the keys, Escape closes them', async () => {
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(sheet).toContainText('next and previous row');
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
  });
});

test('a run is stopped by keyboard and announced to screen readers [D22, D12]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'stopped-by-key', steps: [{ fault: { kind: 'hang' } }] });
  await page.goto('/');
  const answer = await loupe.request('/api/runs', { json: { task: 'Wait', model: 'stopped-by-key' } });
  const { run } = (await answer.json()) as { run: { id: string } };
  const view = new RunView(page);
  await view.open(run.id);
  await expect(view.connection('Live')).toBeVisible();
  await tabTo(page, 'Stop after this step');
  await expectFocusSeen(page);
  await page.keyboard.press('Enter');
  await expect(page.locator('[aria-live="polite"]', { hasText: 'Stop requested.' })).toBeAttached();
  // Nothing in it changes every second.
  await expect(page.getByRole('status').filter({ hasText: 'Stopping' })).toHaveText(
    'Stopping after this step',
  );
  // The button is gone. Not “Stop now”, which a second press of the key would press.
  await expect(page.locator(':focus')).toContainText('Stopping after this step');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Stop now', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await view.expectEnd('The run was stopped', 'stopped');
  await expect(
    page.locator('[aria-live="polite"]', { hasText: 'Run ended: The run was stopped.' }),
  ).toBeAttached();
  await expect(page.locator('[data-phase="ended"]').getByRole('button')).toBeFocused();
});

test('the same words twice in a row are announced twice', async ({ page, loupe, ollama, workspace }) => {
  const fails = (name: string) => ({
    name: 'run_command',
    arguments: { command: `until [ -e ${name} ]; do sleep 0.05; done; exit 1` },
  });
  ollama.add({
    name: 'fails-twice',
    steps: [{ reply: { tool_calls: ['one', 'two', 'three'].map(fails) } }],
  });
  const folder = workspace();
  const { id } = await startRun(loupe, { task: 'Fail', model: 'fails-twice', workspace: folder });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.connection('Live')).toBeVisible();
  /** Screen readers speak added elements, so the text must be in a new element. */
  const expectNew = async (said: Locator, again: () => unknown) => {
    await expect(said).toBeAttached();
    const first = await said.elementHandle();
    await again();
    await expect.poll(() => first?.evaluate((element) => element.isConnected)).toBe(false);
    await expect(said).toBeAttached();
  };
  await expect(view.row('run_command, running')).toBeVisible();
  writeFileSync(join(folder, 'one'), '');
  await expectNew(page.locator('[aria-live="polite"]').getByText('run_command failed.'), () =>
    writeFileSync(join(folder, 'two'), ''),
  );
  await page.keyboard.press('y');
  await expectNew(page.getByRole('status').getByText('Select a row first with j or k.'), () =>
    page.keyboard.press('y'),
  );
});

test('a dialog keeps the focus and returns it when it closes [D22]', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'dialogs', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Say hello', model: 'dialogs' });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const dialog = page.getByRole('dialog');
  for (const [opener, name] of [
    ['Share', 'Share this run'],
    ['Delete this run', 'Delete this run?'],
    ['Commands', 'Commands'],
  ] as const) {
    const button = page.getByRole('button', { name: opener, exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveAccessibleName(name);
    await expect(button).not.toBeFocused();
    await page.keyboard.press('Tab');
    await expect(button).not.toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(button).toBeFocused();
  }
});

test('a modal dialog announces what the page behind it cannot', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'behind', steps: [{ reply: { content: 'The task is completed.' } }] });
  const release = ollama.hold('behind', { turn: 0 });
  const { id } = await startRun(loupe, { task: 'Wait', model: 'behind' });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.connection('Live')).toBeVisible();
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
  });
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Share this run' });
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await dialog.getByRole('button', { name: 'Copy the link', exact: true }).click();
  await expect(dialog.getByRole('status').getByText('The browser blocked copying.')).toBeVisible();
  const announced = dialog.locator('[aria-live="polite"]');
  await expect(announced).toHaveText('');
  release();
  await expect(announced).toHaveText('Run ended: The model answered.');
});

test('the focus returns from the search, a replay and the plots to what opened them', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'returns', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Say hello', model: 'returns' });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const press = async (name: string | RegExp) => {
    await page.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  const expectFocused = (name: string | RegExp) =>
    expect(page.getByRole('button', { name, exact: true })).toBeFocused();
  await press('Search in this run (/)');
  await expect(page.getByLabel('Search in this run', { exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expectFocused('Search in this run (/)');
  await press('Replay');
  await expectFocused(/^(Play|Pause)$/);
  await press('Exit replay');
  await expectFocused('Replay');
  await page.goto(`/runs/${id}?view=plots`);
  await press('Back to the timeline');
  await expectFocused('Plots');
});

test('a dialog that was opened from a menu returns the focus to the menu’s button [D22]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'menus', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Say hello', model: 'menus' });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const button = view.end.getByRole('button', { name: 'More', exact: true });
  await button.focus();
  await page.keyboard.press('Enter');
  const item = view.end.getByRole('button', { name: 'Fork before the answer' });
  await item.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveAccessibleName('Fork before iteration 1');
  await expect(item).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
});

test('no field of a new run takes the focus below the bar that starts it [D22]', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/runs/new');
  await page.getByText('Advanced').click();
  await page.getByLabel('What should the agent do?').focus();
  const start = page.getByRole('button', { name: 'Start run' });
  const cancel = page.getByRole('link', { name: 'Cancel' });
  const isReached = () => cancel.evaluate((link) => link === document.activeElement);
  let fields = 0;
  const covered: string[] = [];
  for (; !(await isReached()); fields += 1) {
    const edge = (await start.boundingBox())?.y ?? 0;
    const focused = page.locator(':focus');
    const box = await focused.boundingBox();
    if (box && box.y + box.height > edge)
      covered.push(await focused.evaluate((field) => field.outerHTML.slice(0, 120)));
    await page.keyboard.press('Tab');
  }
  expect(fields).toBeGreaterThan(30);
  expect(covered).toEqual([]);
});

test('typing into a field triggers no shortcuts [D22]', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'typed', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Say hello', model: 'typed' });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const more = await view.openMenu('More');
  await more.getByRole('link', { name: 'Run again with changes' }).click();
  await expect(page.getByLabel('What should the agent do?')).toHaveValue('Say hello');
  await page.getByLabel('What should the agent do?').fill('');
  await page.getByLabel('What should the agent do?').pressSequentially('jkgGf? and Enter');
  await expect(page.getByLabel('What should the agent do?')).toHaveValue('jkgGf? and Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('a tall guardrails panel scrolls by keyboard [D22]', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'short-page', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { id } = await finishRun(loupe, { task: 'Answer', model: 'short-page' });
  await page.setViewportSize({ width: 1280, height: 420 });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  const scrolled = () => view.guardrails.evaluate((element) => element.scrollTop);
  expect(await scrolled()).toBe(0);
  await expectAccessible(page);
  await view.guardrails.focus();
  await page.keyboard.press('End');
  await expect.poll(scrolled).toBeGreaterThan(0);

  // On a narrow screen the same panel is collapsible.
  await page.setViewportSize({ width: 800, height: 420 });
  await page.getByText('Guardrails and totals').first().click();
  await expectAccessible(page);
});

import type { Page } from '@playwright/test';
import { leakingModel, passingModel } from '../../lib/demo/check-scenarios.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { endOf, startRun, summaryOf } from '../runs.ts';

/** The line of a model on the Models page. */
function lineOf(page: Page, model: string) {
  return page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: new RegExp(`^Check(ing| again)?: ${model}$`) }) });
}

test('a model check queues with runs, shows its progress across a reload, and its evidence', async ({
  page,
  loupe,
  ollama,
}) => {
  for (const scenario of passingModel('able:8b')) ollama.add(scenario);
  ollama.add({ name: 'behind', steps: [{ reply: { content: 'Yes.' } }] });
  const release = ollama.hold('able-8b-probe-3', { turn: 0 });
  await page.goto('/models');
  await lineOf(page, 'able:8b').getByRole('button', { name: 'Check: able:8b' }).click();
  const progress = lineOf(page, 'able:8b').getByRole('progressbar', { name: 'Checking able:8b' });
  await expect(progress).toHaveAttribute('aria-valuenow', '2');
  await expect(lineOf(page, 'able:8b')).toContainText('3 of 10: The right one of several tools');
  await expect(lineOf(page, 'behind:latest').getByRole('button', { name: /^Check/ })).toBeDisabled();
  const run = await startRun(loupe, { task: 'Say yes', model: 'behind' });
  await expect.poll(async () => (await summaryOf(loupe, run.id)).queue_position).toBe(1);

  await page.reload();
  await expect(progress).toHaveAttribute('aria-valuenow', '2');
  await expectAccessible(page);
  release();
  const badge = lineOf(page, 'able:8b').getByRole('button', { name: /^Model Check of able:8b/ });
  await expect(badge).toContainText('10 of 10 · 12 native');
  await endOf(loupe, run.id);

  await badge.click();
  const line = lineOf(page, 'able:8b');
  await expect(line.getByText('All 12 calls came natively.')).toBeVisible();
  await expect(line.locator('dt', { hasText: 'Uses results' }).locator('..')).toContainText('3 of 3');
  await expect(line).toContainText('Long tasks and full windows were not tested.');
  await line.getByRole('button', { name: /Recovering from a failed call/ }).click();
  const probe = line.locator('[data-probe="error"]');
  await expect(probe.getByRole('list', { name: 'Rules', exact: true })).toContainText(
    'reads that file and answers 7341',
  );
  const last = probe.getByRole('region', { name: 'Reply 3' });
  await last.getByRole('tab', { name: 'Sent' }).click();
  await expect(last.getByRole('tabpanel')).toContainText('"seed": 1');
  await expect(last.getByRole('tabpanel')).toContainText('The number is 7341.');
  await last.getByRole('tab', { name: 'Raw reply' }).click();
  await expect(last.getByRole('tabpanel')).toContainText('7,341');
  await expectAccessible(page);

  await page.reload();
  await expect(line.getByText('All 12 calls came natively.')).toBeVisible();
  await page.goto('/runs/new');
  await expect(page.getByRole('radiogroup', { name: 'Model', exact: true })).toContainText(
    '10 of 10 · 12 native',
  );
});

test('a model check can be stopped, says what to do if it fails, and stores no partial result', async ({
  page,
  ollama,
}) => {
  for (const scenario of passingModel('held:8b')) ollama.add(scenario);
  ollama.add({
    name: 'broken',
    model: 'broken:1b',
    load_fault: { kind: 'http', status: 500, body: { error: 'llama runner process has terminated' } },
    steps: [{ reply: { content: 'x' } }],
  });
  ollama.hold('held-8b-probe-2', { turn: 0 });
  await page.goto('/models');
  const held = lineOf(page, 'held:8b');
  await held.getByRole('button', { name: 'Check: held:8b' }).click();
  await expect(held.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '1');
  const before = ollama.closeEvents.length;
  await held.getByRole('button', { name: 'Stop' }).click();
  await expect(held).toContainText('Stopped after 1 of 10 probes, without a result');
  await expect.poll(() => ollama.closeEvents.slice(before).map(({ path }) => path)).toContain('/api/chat');
  await expect(held.getByRole('button', { name: /^Model Check of/ })).toBeHidden();

  const broken = lineOf(page, 'broken:1b');
  await broken.getByRole('button', { name: 'Check: broken:1b' }).click();
  await expect(broken.getByRole('alert')).toContainText('llama runner process has terminated');
  await expect(broken).toContainText('without a result');
});

test('a model check reports calls written as text, shows hostile text as text, and marks outdated results', async ({
  page,
  ollama,
}) => {
  const rude = '<img src=x onerror="alert(1)"> \u202e<script>alert(2)</script>';
  for (const scenario of leakingModel('leaky:7b')) ollama.add(scenario);
  ollama.add({ name: 'rude', model: 'rude:1b', steps: [{ reply: { content: rude } }] });
  await page.goto('/models');
  const leaky = lineOf(page, 'leaky:7b');
  await leaky.getByRole('button', { name: 'Check: leaky:7b' }).click();
  const badge = leaky.getByRole('button', { name: /^Model Check of leaky:7b/ });
  await expect(badge).toContainText('10 of 10 · 12 as text');
  await badge.click();
  await expect(leaky).toContainText('All 12 calls came as text (hermes)');

  const rough = lineOf(page, 'rude:1b');
  await rough.getByRole('button', { name: 'Check: rude:1b' }).click();
  await rough.getByRole('button', { name: /^Model Check of rude:1b/ }).click();
  await expect(rough.locator('dt', { hasText: 'Well formed' }).locator('..')).toContainText(
    'not enough data',
  );
  await rough.locator('[data-probe="one-call"] > button').click();
  await expect(rough.locator('[data-probe="one-call"]')).toContainText('<img src=x onerror');

  ollama.publish({ model: { name: 'leaky:7b', size_bytes: 2_000_000 } });
  await page.getByRole('textbox', { name: 'Name in the library' }).fill('leaky:7b');
  await page.getByRole('button', { name: 'Pull', exact: true }).click();
  await expect(badge).toContainText('older version');
  await badge.click();
  await expect(leaky).toContainText('for an older version of the model');
});

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { misfits } from '../page-fit.ts';
import { partingLogs } from '../parting-logs.ts';
import { storeRuns } from '../stored-run.ts';

const A = '20261121-0900-left';
const B = '20261121-0901-right';
/** The most steps near a view of 860 pixels: each is about a hundred pixels high. */
const MOST_DRAWN = 20;

test('two runs of ten thousand events can be compared, rendering only visible rows', async ({
  ownServer,
  ollama,
}) => {
  test.setTimeout(600_000);
  const dataDir = mkdtempSync(join(tmpdir(), 'loupe-compare-'));
  const { a, b } = partingLogs({ events: 10_000, apartAt: 300, textChars: 9000 });
  await storeRuns(dataDir, { [A]: a, [B]: b });
  const { page } = await ownServer({ ollamaUrl: ollama.url, dataDir });
  await page.goto(`/compare?a=${A}&b=${B}`);
  const steps = page.locator('[data-step]');
  const step = (position: number) => page.locator(`#step-${position}`);
  const expectFew = async () => expect(await steps.count()).toBeLessThan(MOST_DRAWN);

  await test.step('the verdict leads to the first difference', async () => {
    const verdict = page.getByRole('region', { name: 'Where the runs diverge' });
    await expect(verdict).toContainText('Identical up to iteration 299');
    await verdict.getByRole('link', { name: /text differs in iteration 300/ }).click();
    await expect(step(300)).toBeFocused();
    await expect(step(300)).toBeInViewport();
    await expect(step(300).getByRole('group', { name: 'Changes to text' })).toContainText('The left way');
    await expectFew();
    await expectAccessible(page);
  });

  await test.step('equal iterations are listed a hundred at a time', async () => {
    const same = page.getByText('Iterations 1 to 299 are the same');
    await same.click();
    await expect(page.getByRole('link', { name: /^Iteration \d+ in run A$/ })).toHaveCount(100);
    await page.getByRole('button', { name: 'Later' }).click();
    await expect(page.getByRole('link', { name: 'Iteration 101 in run A' })).toBeVisible();
    await page.getByRole('button', { name: 'Later' }).press('Enter');
    await expect(page.getByRole('link', { name: 'Iteration 299 in run A' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Earlier' })).toBeFocused();
    await same.click();
  });

  await test.step('the keyboard walks through all of them', async () => {
    for (let position = 300; position < 315; position += 1) {
      await page.keyboard.press('j');
      await expect(step(position)).toBeFocused();
      await expect(step(position)).toBeInViewport();
    }
    await page.keyboard.press('k');
    await expect(step(313)).toBeFocused();
    await page.keyboard.press('n');
    await expect(step(313).locator('[data-difference]').first()).toBeFocused();
    await expectFew();
  });

  await test.step('to the end, whose texts come when they are asked for', async () => {
    await page.goto(`/compare?a=${A}&b=${B}#step-600`);
    await expect(step(600)).toBeFocused();
    await expect(step(600)).toContainText('its texts are loaded in parts');
    await step(600).getByRole('button', { name: 'Show them from iteration 600 on' }).click();
    await expect(step(600).getByRole('group', { name: 'Changes to text' })).toContainText('The other way');
    await expect(step(600)).toBeInViewport();
    // The page grows while rows come into the view for the first time.
    await expect(async () => {
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await expect(step(625)).toBeInViewport({ timeout: 1000 });
    }).toPass();
    await expectFew();
  });

  await test.step('on a phone nothing is wider than the screen', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    expect((await misfits(page)).overflow).toBe(0);
    await expectFew();
  });
});

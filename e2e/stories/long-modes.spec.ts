import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, test } from '../fixtures.ts';
import { growthOf, type WorkSample, workOf } from '../page-work.ts';
import { RunView } from '../run-view.ts';
import { logOf, startRun, summaryOf } from '../runs.ts';

/** The work of a page per cycle or turn must not grow with their number. A factor of two can still be noise. */
const MOST_GROWTH = 3;

test('200 cycles can be followed live, with the strip, the memory and the reflections still usable [X12, D20]', async ({
  page,
  loupe,
  ollama,
}) => {
  test.setTimeout(600_000);
  const write = { name: 'write', arguments: { key: 'k{{n}}', value: 'Idea number {{n}}.' } };
  ollama.add({
    name: 'two-hundred',
    model: 'wide-window',
    needs_tools: ['pattern_search'],
    pace: { prompt_ms: 25 }, // slow enough that the page's work is sampled many times
    steps: [
      {
        repeat: 200,
        steps: [
          { reply: { tool_calls: [write, { name: 'list', arguments: {} }] } },
          { reply: { content: 'In cycle {{n}} I thought about the number {{n}} and its neighbors.' } },
        ],
      },
    ],
  });
  const release = ollama.hold('two-hundred', { turn: 0 });
  const { id } = await startRun(loupe, {
    ...{ mode: 'explore', model: 'wide-window', max_cycles: 200, window_tokens: 1_000_000, diversity: {} },
  });
  const view = new RunView(page);
  await view.open(id);
  const strip = page.getByRole('slider', { name: 'Cycle' }).first();
  await expect(strip).toBeVisible();
  await view.guardrails.getByRole('tab', { name: 'Reflections', exact: true }).click();
  const work = await workOf(page);
  const cycles: WorkSample[] = [];
  release();
  await expect
    .poll(
      async () => {
        const { phase, iterations_used } = await summaryOf(loupe, id);
        cycles.push({ at: iterations_used, workMs: await work() });
        return phase;
      },
      { timeout: 240_000, intervals: [100] },
    )
    .toBe('ended');
  await view.expectEnd('The run is complete', 'final_answer');

  expect(await view.timeline.locator('article').count()).toBeLessThan(120);
  await strip.focus();
  await page.keyboard.press('Home');
  const keys: WorkSample[] = [];
  for (let step = 1; step < 60; step += 1) {
    await page.keyboard.press('ArrowRight');
    keys.push({ at: step, workMs: await work() });
  }
  await expect(strip).toHaveAttribute('aria-valuetext', /^Cycle 60: 2 calls/);
  await view.guardrails.getByRole('tab', { name: 'Memory', exact: true }).click();
  await expect(view.guardrails).toContainText('At the end of cycle 60: 60 keys');
  await page.keyboard.press('Escape');
  await strip.focus();
  await page.keyboard.press('Enter');
  await expect(view.timeline.getByRole('heading', { name: 'Cycle 60' })).toBeInViewport();
  const [growth, growthByKey] = [growthOf(cycles), growthOf(keys)];
  console.info(
    `200 cycles: the last third takes the page ${growth.toFixed(2)} times the work of the first, by key ${growthByKey.toFixed(2)} times`,
  );
  expect(growth).toBeLessThan(MOST_GROWTH);
  expect(growthByKey).toBeLessThan(MOST_GROWTH);
});

test('a session of 500 turns stays fluid while it runs [S17, D20]', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  test.setTimeout(600_000);
  ollama.add({
    name: 'five-hundred',
    model: 'wide-window',
    match: 'Begin with the garden.',
    steps: [
      {
        repeat: 250,
        steps: [
          { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'beds.md' } }] } },
          { reply: { content: 'Turn {{turn}}: I think about the ferns, and about what grows beside them.' } },
        ],
      },
      { fault: { kind: 'hang' } },
    ],
  });
  const release = ollama.hold('five-hundred', { turn: 2 });
  const { id } = await startRun(loupe, {
    ...{
      mode: 'session',
      autopilot: true,
      autopilot_turns: 1000,
      model: 'wide-window',
      task: 'Begin with the garden.',
      window_tokens: 1_000_000,
    },
    workspace: workspace({ 'beds.md': 'ferns' }),
  });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.timeline).toContainText('I think about the ferns');
  const work = await workOf(page);
  const turns: WorkSample[] = [];
  release();
  await expect
    .poll(
      async () => {
        const { iterations_used } = await summaryOf(loupe, id);
        turns.push({ at: iterations_used, workMs: await work() });
        return iterations_used;
      },
      { timeout: 240_000, intervals: [100] },
    )
    .toBeGreaterThan(500);
  await expect(view.timeline).toContainText('Turn 500: I think');
  expect(await view.timeline.locator('article').count()).toBeLessThan(120);
  const box = page.getByRole('textbox', { name: 'Message to the agent' });
  await box.fill('Thank you for all of this.');
  await box.press('Enter');
  await expect(box).toHaveValue('');
  await page.getByRole('button', { name: 'Stop now', exact: true }).click();
  await view.expectEnd('The run was stopped', 'stopped');
  expect(eventsOf(await logOf(loupe, id), 'turn.ended')).toHaveLength(500);
  const growth = growthOf(turns);
  console.info(`500 turns: the last third takes the page ${growth.toFixed(2)} times the work of the first`);
  expect(growth).toBeLessThan(MOST_GROWTH);
});

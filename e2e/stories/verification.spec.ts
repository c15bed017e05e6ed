import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { logOf, startRun } from '../runs.ts';

const write = (content: string) => ({
  reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'summary.md', content } }] },
});
const answer = { reply: { content: 'The summary is completed.' } };

test('failed checks start a second attempt that lists the failures [V5-V8, V10]', async ({
  page,
  loupe,
  ollama,
}) => {
  // The corrective prompt starts a new conversation and selects its scenario by its text.
  ollama.add({
    name: 'corrected',
    model: 'checked',
    match: 'An earlier attempt at this task did not pass its checks',
    steps: [write('A summary of the rivers.\n'), answer],
  });
  ollama.add({ name: 'first-try', model: 'checked', steps: [write('A summary.\n'), answer] });
  const { id } = await startRun(loupe, {
    task: 'Summarise the rivers',
    model: 'checked',
    checks: [
      { type: 'file_exists', path: 'summary.md' },
      { type: 'file_contains', path: 'summary.md', text: 'rivers' },
      { type: 'command', command: 'grep -c summary summary.md' },
    ],
  });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.end).toContainText('3 of 3 checks passed');
  await expect(view.end).not.toContainText('checks failed');
  await expect(view.end).toContainText('summary.md');

  const text = [...(await view.allRows()).values()].join('\n');
  expect(text).toMatch(/Checking the work\s+attempt 1\s+2 of 3 checks passed/);
  expect(text).toMatch(/failed\s+summary\.md contains "rivers"/);
  expect(text).toMatch(/passed\s+grep -c summary summary\.md/);
  expect(text).toMatch(/Checking the work\s+attempt 2\s+3 of 3 checks passed/);
  expect(text).toMatch(/ITERATION 1\s+OF ATTEMPT 2/);

  await test.step('the corrective prompt can be read [V6]', async () => {
    const attempt = view.row('Attempt 2 begins');
    await view.reveal(attempt);
    await attempt.getByRole('button', { name: /Attempt 2/ }).click();
    const prompt = attempt.getByRole('group', { name: 'user' });
    await expect(prompt).toContainText('Summarise the rivers');
    await expect(prompt).toContainText('The file summary.md should contain: rivers');
    await expect(prompt).toContainText('These files were written earlier and still exist: summary.md.');
  });

  const log = await logOf(loupe, id);
  expect(eventsOf(log, 'verification.checked').map(({ outcome }) => outcome)).toEqual([
    'partial_pass',
    'pass',
  ]);
  expect(eventsOf(log, 'run.ended')).toMatchObject([{ verification: 'pass', tool_calls: 2 }]);
  await expect(view.guardrails).toContainText('2/3'); // attempts
});

test('attempts are limited, and the outcome says that checks fail [V7]', async ({ page, loupe, ollama }) => {
  ollama.add({ name: 'never-right', steps: [answer] });
  const { id } = await startRun(loupe, {
    task: 'Do nothing',
    model: 'never-right',
    checks: [
      { type: 'file_exists', path: 'nothing.md' },
      { type: 'file_contains', path: 'nothing.md', text: 'nothing' },
    ],
    max_attempts: 2,
  });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('Answered, 2 of 2 checks failed', 'final_answer');
  await expect(view.end).toContainText('The model answered immediately, but 2 of 2 checks failed.');
  await expect(page).toHaveTitle(/^Answered, 2 of 2 checks failed: Do nothing/);
  await expect(view.end).toContainText('nothing.md contains "nothing"');
  await view.end.getByRole('link', { name: 'What the checks found' }).click();
  await expect(view.timeline.locator('article:focus')).toHaveAttribute('aria-label', 'Checks of attempt 2');
  expect(eventsOf(await logOf(loupe, id), 'attempt.started')).toHaveLength(2);
});

test('the work of a run ended by a guard is checked, and passes at most partially [V9]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'half-way',
    steps: [
      write('Half.'),
      { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'summary.md' } }] } },
    ],
  });
  const { id } = await startRun(loupe, {
    task: 'Write',
    model: 'half-way',
    checks: [{ type: 'file_exists', path: 'summary.md' }],
  });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The model kept making the same call', 'repetition');
  await expect(view.end).toContainText('1 of 1 check passed');
});

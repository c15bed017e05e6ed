import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { endOf, finishRun, startRun } from '../runs.ts';

const look = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };

test('a stop shows its stages until the run has ended, and the memory can be freed', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'stop-ladder', steps: [{ fault: { kind: 'hang' } }] });
  const before = ollama.closeEvents.length;
  const { id } = await startRun(loupe, { task: 'Wait', model: 'stop-ladder' });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="calling"]')).toBeVisible();
  await page.getByRole('button', { name: 'Stop after this step' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Stopping after this step' })).toBeVisible();
  await page.getByRole('button', { name: 'Stop now', exact: true }).click();
  await view.expectEnd('The run was stopped', 'stopped');
  const ladder = view.end.getByRole('region', { name: 'How it was stopped' });
  await expect(ladder.getByRole('listitem')).toHaveText([
    'Stop requested',
    /Immediate stop requested$/,
    /\d ms.*Connection to Ollama closed$/,
    /\d ms.*Ollama idle \(\/api\/ps\)$/,
    /Run ended$/,
  ]);
  await expect.poll(() => ollama.closeEvents.slice(before).map(({ path }) => path)).toContain('/api/chat');
  const loaded = async () => JSON.stringify(await (await fetch(`${ollama.url}/api/ps`)).json());
  expect(await loaded()).toContain('stop-ladder');
  await view.end.getByRole('button', { name: 'Unload the model' }).click();
  await expect(view.end).toContainText('stop-ladder is no longer in memory');
  expect(await loaded()).not.toContain('stop-ladder');
  await expectAccessible(page);
});

test('a message to a task is queued, delivered at the next boundary, or returned at the end', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'steered',
    steps: [{ reply: look }, { reply: { content: 'Le dossier est vide. The task is completed.' } }],
  });
  const first = ollama.hold('steered', { turn: 0 });
  const second = ollama.hold('steered', { turn: 1 });
  const { id } = await startRun(loupe, { task: 'Look', model: 'steered' });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="calling"]')).toBeVisible();
  const box = page.getByRole('region', { name: 'Messages to the agent' });
  const say = async (text: string) => {
    await box.getByRole('textbox').fill(text);
    await box.getByRole('button', { name: 'Send' }).click();
  };
  await say('Answer in French, please.');
  await expect(box.getByRole('listitem')).toContainText('queued');
  first();
  await expect(box.getByRole('listitem')).toBeHidden();
  await expect(view.row(/of the operator reached the model/)).toBeVisible();
  await say('And be quick.');
  await expect(box.getByRole('listitem')).toContainText('queued');
  second();
  await view.expectEnd('The model answered', 'final_answer');
  await expect(box.getByRole('listitem')).toContainText('returned');
  await expect(box.getByRole('listitem')).toContainText('And be quick.');
  const received = ollama.chats.filter(({ model }) => model === 'steered');
  expect(JSON.stringify(received[1])).toContain('Answer in French, please.');
});

test('a gauge shows its effect and its events, and appears on the end card if it ended the run', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'again-and-again', steps: [{ repeat: 5, steps: [{ reply: look }] }] });
  const third = ollama.hold('again-and-again', { turn: 2 });
  const { id } = await startRun(loupe, { task: 'Look', model: 'again-and-again' });
  const view = new RunView(page);
  await view.open(id);
  const gauge = view.guardrails.locator('[data-gauge="repetition"]');
  await expect(gauge).toContainText('2/3');
  await expect(gauge).toContainText('the run ends at 3');
  await expect(gauge.getByRole('link')).toHaveCount(2);
  third();
  await view.expectEnd('The model kept making the same call', 'repetition');
  const fired = view.end.locator('[data-gauge="repetition"]');
  await expect(fired).toContainText('ended the run');
  await expect(fired).toContainText('3/3');
  await expect(fired.getByRole('link')).toHaveCount(3);
  const link = fired.getByRole('link').first();
  const target = await link.getAttribute('href');
  await link.click();
  await expect(page).toHaveURL(new RegExp(`${target}$`));
});

test('a reply that was all thinking is reported, and one click retries without thinking [OL18]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'brooder',
    steps: [
      {
        reply: {
          thinking: 'I wonder about this for a long time and then I wonder about it some more. '.repeat(3),
          content: 'The answer is 4.',
        },
      },
    ],
  });
  const run = await finishRun(loupe, {
    task: 'What is 2 and 2?',
    model: 'brooder',
    think: true,
    num_predict: [20, 20],
  });
  const view = new RunView(page);
  await view.open(run.id);
  await expect(view.end).toContainText('used all its 20 tokens for thinking');
  // Two tries in each of three iterations; the page shows the end, and the last call is right above it.
  await expect(view.row('Model call 6')).toContainText(
    '20 thinking tokens, 0 answer tokens, cut off by the reply limit (20)',
  );
  await view.end.getByRole('button', { name: 'Retry without thinking' }).click();
  await expect(page).not.toHaveURL(new RegExp(run.id));
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.end).toContainText('The answer is 4.');
  const forked = page.url().split('/').at(-1)?.split('#')[0] ?? '';
  expect((await endOf(loupe, forked)).termination_reason).toBe('final_answer');
});

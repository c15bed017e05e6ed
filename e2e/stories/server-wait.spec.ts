import { type FakeOllama, startFakeOllama } from '../../lib/demo/fake-ollama.ts';
import { expect, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';
import { logOf, startRun } from '../runs.ts';

test('a run waits for an Ollama that is down, says so, and goes on when it is back', async ({
  ownServer,
}) => {
  const scenarios = [{ name: 'steady', steps: [{ reply: { content: 'The task is completed.' } }] }];
  let ollama: FakeOllama = await startFakeOllama({ scenarios });
  const { port, url } = ollama;
  await ollama.close();
  const { loupe, page } = await ownServer({ ollamaUrl: url });
  const { id } = await startRun(loupe, { task: 'Wait for it', model: 'steady' });
  const stopped = await startRun(loupe, { task: 'Stop me', model: 'steady' });
  const view = new RunView(page);
  await view.open(id);
  const phase = page.locator('[data-phase]');
  await expect(phase).toContainText('Waiting for Ollama');
  const row = view.row('Waiting for Ollama');
  await expect(row).toContainText('Cannot connect to Ollama');
  await expect(row).toContainText(/Next check (in \d s|now)/);
  await expect(row).toContainText('fails after 10:00');
  await expect(page).toHaveTitle(/^Waiting for Ollama: Wait for it/);
  // The run's clock is paused, because the run does no work.
  await expect(phase).toContainText(/^.*0:00$/);

  await view.open(stopped.id);
  await expect(phase).toContainText('Waiting for Ollama');
  await page.getByRole('button', { name: /Stop/ }).first().click();
  await view.expectEnd('The run was stopped', 'stopped');

  await view.open(id);
  ollama = await startFakeOllama({ scenarios, port });
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.row('Wait for Ollama')).toContainText('Ollama is back');
  await ollama.close();
});

test('a failed call is tried again in its conversation, by one click', async ({
  page,
  loupe,
  ollama,
  workspace,
}) => {
  const list = { name: 'list_directory', arguments: { path: '.' } };
  ollama.add({
    name: 'recovers',
    steps: [
      { reply: { content: 'I look around.', tool_calls: [list] } },
      {
        attempts: [
          { fault: { kind: 'http', status: 400, body: { error: 'something is wrong' } } },
          { reply: { content: 'The task is completed.' } },
        ],
      },
    ],
  });
  const folder = workspace({ 'a.md': 'A' });
  const { id } = await startRun(loupe, { task: 'Look', model: 'recovers', workspace: folder });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('The run failed', 'error');
  await view.end.getByRole('button', { name: 'Try again from here' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await view.expectEnd('The model answered', 'final_answer');
  const fork = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const log = await logOf(loupe, fork);
  expect(log.filter(({ type }) => type === 'model-call.failed')).toEqual([]);
  expect(log.find((event) => event.type === 'run.created')).toMatchObject({ config: { workspace: folder } });
});

import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, test } from '../fixtures.ts';
import { startLoupe } from '../loupe-server.ts';
import { RunView } from '../run-view.ts';
import { endOf, logOf, startRun } from '../runs.ts';

test('after a server crash during a call, the open page reconnects and continues [D19, D5]', async ({
  ollama,
  ownServer,
}) => {
  ollama.add({
    name: 'survivor',
    steps: [
      {
        reply: { tool_calls: [{ name: 'write_file', arguments: { path: 'before.md', content: 'Before.' } }] },
      },
      { reply: { tool_calls: [{ name: 'run_command', arguments: { command: 'echo begun; sleep 300' } }] } },
      { reply: { content: 'The task is completed, although I was interrupted.' } },
    ],
  });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url });
  const { id } = await startRun(loupe, { task: 'Survive', model: 'survivor', shell_timeout_secs: 600 });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.row('run_command, running')).toContainText('begun');
  await expect(view.connection('Live')).toBeVisible();

  await loupe.stop('SIGKILL');
  await expect(page.locator('[data-connection="reconnecting"], [data-connection="offline"]')).toBeVisible();
  const second = await startLoupe({ ollamaUrl: ollama.url, dataDir: loupe.dataDir, port: loupe.port });
  try {
    await view.expectEnd('The model answered', 'final_answer');
    await expect(view.row('Interrupted and resumed')).toContainText('The server was down for');
    const call = view.row('run_command, interrupted');
    await call.getByRole('button', { name: /^run_command/ }).click();
    await expect(call).toContainText('Its outcome is unknown; it was not run again.');
    await expect(view.end).toContainText('although I was interrupted');

    const reloaded = await (async () => {
      const before = await view.allRows();
      await page.reload();
      await view.expectEnd('The model answered', 'final_answer');
      return { before, after: await view.allRows() };
    })();
    expect([...reloaded.after.keys()]).toEqual([...reloaded.before.keys()]);

    const log = await logOf(second, id);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    expect(eventsOf(log, 'tool-call.started').map(({ tool }) => tool)).toEqual(['write_file', 'run_command']);
    expect(eventsOf(log, 'run.resumed')).toHaveLength(1);
    expect(eventsOf(log, 'tool-call.interrupted')).toHaveLength(1);
    // The model was told what happened to its call.
    expect(JSON.stringify(ollama.chats.at(-1)?.messages)).toContain('interrupted');
  } finally {
    await second.stop('SIGKILL');
  }
});

test('Ctrl-C shuts the server down cleanly; the next start resumes the run [D19]', async ({
  ollama,
  ownServer,
}) => {
  ollama.add({
    name: 'patient',
    steps: [
      { reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } },
      { reply: { content: 'The task is completed.' } },
    ],
  });
  const release = ollama.hold('patient', { turn: 1 });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url });
  const { id } = await startRun(loupe, { task: 'Wait', model: 'patient' });
  const view = new RunView(page);
  await view.open(id);
  await expect(page.locator('[data-phase="calling"]')).toBeVisible();
  expect(await loupe.stop('SIGINT')).toEqual({ code: 0, signal: null });
  release();
  await expect(page.locator('[data-connection="reconnecting"], [data-connection="offline"]')).toBeVisible();
  const second = await startLoupe({ ollamaUrl: ollama.url, dataDir: loupe.dataDir, port: loupe.port });
  try {
    await view.expectEnd('The model answered', 'final_answer');
    await expect(view.row('Interrupted and resumed')).toBeVisible();
  } finally {
    await second.stop('SIGKILL');
  }
});

test('the end of a run that came while the page was cut off is announced [D22]', async ({
  ollama,
  ownServer,
}) => {
  ollama.add({ name: 'ends-unseen', steps: [{ reply: { content: 'The task is completed.' } }] });
  const release = ollama.hold('ends-unseen', { turn: 0 });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url });
  const { dataDir, port } = loupe;
  const { id } = await startRun(loupe, { task: 'End', model: 'ends-unseen' });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.connection('Live')).toBeVisible();
  const announced = page.locator('p[aria-live="polite"]');
  await loupe.stop();
  await expect(announced).toHaveText(/^Connection lost|^The server does not answer/);
  release();
  // On an address that the page does not know.
  const elsewhere = await startLoupe({ ollamaUrl: ollama.url, dataDir });
  await endOf(elsewhere, id);
  await elsewhere.stop();
  const second = await startLoupe({ ollamaUrl: ollama.url, dataDir, port });
  try {
    await view.expectEnd('The model answered', 'final_answer');
    await expect(announced).toHaveText('Run ended: The model answered.');
    await page.reload();
    await view.expectEnd('The model answered', 'final_answer');
    await expect(announced).toBeEmpty();
  } finally {
    await second.stop('SIGKILL');
  }
});

test('every page says that a killed server is away, and that a frozen one does not answer, until it is back [D5]', async ({
  ollama,
  ownServer,
}) => {
  ollama.add({ name: 'works-on', steps: [{ fault: { kind: 'hang' } }] });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url });
  const { id } = await startRun(loupe, { task: 'Work on', model: 'works-on' });
  const view = new RunView(page);
  await view.open(id);
  await expect(view.connection('Live')).toBeVisible();
  await test.step('a frozen server, whose connections stay open', async () => {
    loupe.process.kill('SIGSTOP');
    await expect(page.locator('[data-connection="reconnecting"], [data-connection="offline"]')).toBeVisible();
    loupe.process.kill('SIGCONT');
    await expect(view.connection('Live')).toBeVisible();
    await expect(page.locator('p[aria-live="polite"]')).toHaveText('Connected again.');
  });
  await page.clock.install();
  await page.goto('/models');
  const light = page.getByRole('banner').getByRole('link', { name: /^Ollama/ });
  await expect(light).toBeVisible();
  // Advances the page's clock, which is otherwise frozen: its next poll is 10 seconds away, however slow this
  // machine is.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
  await loupe.stop('SIGKILL');
  let passedMs = 0;
  const runClock = async () => {
    passedMs += 10;
    await page.clock.runFor(10);
    return page.getByRole('link', { name: 'Server offline' }).isVisible();
  };
  await expect.poll(runClock, { intervals: [200], timeout: 60_000 }).toBe(true);
  expect(passedMs).toBeLessThan(3000);
  await page.clock.resume();
  const second = await startLoupe({ ollamaUrl: ollama.url, dataDir: loupe.dataDir, port: loupe.port });
  try {
    await expect(light).toBeVisible();
  } finally {
    await second.stop('SIGKILL');
  }
});

test('an open page reports when the server is away, and starts nothing [D4]', async ({
  ollama,
  ownServer,
}) => {
  ollama.add({ name: 'away-model', steps: [{ reply: { content: 'The task is completed.' } }] });
  const { loupe, page } = await ownServer({ ollamaUrl: ollama.url });
  await page.goto('/');
  await page.getByLabel('Model', { exact: true }).selectOption({ label: 'away-model:latest' });
  await loupe.stop();
  await page.getByLabel('Task', { exact: true }).fill('Say hello');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByRole('form', { name: 'Quick run' }).getByRole('alert')).toBeVisible();
  await expect(page.getByLabel('Task', { exact: true })).toHaveValue('Say hello');
  await expect(page.getByRole('link', { name: 'Server offline' })).toBeVisible();
});

import { npmServer } from '../../lib/mcp/under-test.ts';
import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { addMcpServer } from '../furnish.ts';
import { RunView } from '../run-view.ts';
import { logOf } from '../runs.ts';

const done = { reply: { content: 'The task is completed.' } };
const calls = (name: string, args: Record<string, string | number> = {}, content = '') => ({
  reply: { content, tool_calls: [{ name, arguments: args }] },
});
const INPUT = 'everything__trigger_elicitation_request';
const SAMPLE = 'everything__trigger_sampling_request';

test.beforeEach(({ loupe }) => addMcpServer(loupe, 'everything', npmServer('everything', ['stdio'])));
test.afterEach(({ loupe }) => loupe.request('/api/mcp/servers/everything', { method: 'DELETE', json: {} }));

test('a person answers the form of a server, and what it says is checked [O24]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'fills-in', steps: [calls(INPUT), done] });
  const id = await started(loupe, { model: 'fills-in', tool: INPUT });
  const view = new RunView(page);
  await view.open(id);
  const row = view.row(`${INPUT}, awaiting answer`);
  const form = row.getByRole('form', { name: 'Request of the server everything' });
  await expect(form).toContainText('The server everything asks for input. It waits for you.');
  await expect(page.locator('[data-phase="awaiting-approval"]')).toContainText('Waiting for you');
  await expectAccessible(page);
  await form.getByLabel('Email', { exact: false }).first().fill('nobody');
  await form.getByRole('button', { name: 'Send' }).click();
  await expect(form.getByText('Enter an e-mail address.')).toBeVisible();
  await form.getByLabel('Email', { exact: false }).first().fill('ada@example.org');
  await form.getByLabel('String', { exact: true }).fill('Ada');
  await form.getByRole('button', { name: 'Send' }).click();
  await view.expectEnd('The model answered', 'final_answer');
  const [answered] = eventsOf(await logOf(loupe, id), 'mcp-request.answered');
  expect(answered?.content).toMatchObject({ name: 'Ada', email: 'ada@example.org' });
  const ended = view.row(`${INPUT}, succeeded`);
  await ended.getByRole('button', { name: INPUT, exact: true }).click();
  await expect(ended.getByRole('list', { name: 'What the server asked' })).toContainText('ada@example.org');
  await expectAccessible(page);
});

test('a request is declined with the keyboard, and a sample allowed on a phone [O24]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'samples-too',
    steps: [calls(INPUT), calls(SAMPLE, { prompt: 'Say hi', maxTokens: 9 }, 'A sample.'), done],
  });
  const id = await started(loupe, { model: 'samples-too', tool: INPUT }, [SAMPLE]);
  const view = new RunView(page);
  await view.open(id);
  await expect(view.row(`${INPUT}, awaiting answer`)).toBeVisible();
  await view
    .row(`${INPUT}, awaiting answer`)
    .getByRole('button', { name: 'Decline' })
    .scrollIntoViewIfNeeded();
  await page.keyboard.press('x');
  await page.setViewportSize({ width: 360, height: 740 });
  const row = view.row(`${SAMPLE}, awaiting answer`);
  await expect(row).toContainText("asks the run's model for a text");
  await expect(row).toContainText('You are a helpful test server.');
  await expectAccessible(page);
  await row.getByRole('button', { name: 'Ask the model' }).click();
  await view.expectEnd('The model answered', 'final_answer');
  const events = await logOf(loupe, id);
  expect(eventsOf(events, 'mcp-request.answered').map(({ action }) => action)).toEqual(['decline', 'accept']);
  expect(eventsOf(events, 'mcp-sampling.ended')).toHaveLength(1);
});

test('the progress of a call is shown while it runs, and kept with it [O19]', async ({
  page,
  loupe,
  ollama,
}) => {
  const tool = 'everything__trigger_long_running_operation';
  ollama.add({ name: 'takes-long', steps: [calls(tool, { duration: 4, steps: 8 }), done] });
  const view = new RunView(page);
  await view.open(await started(loupe, { model: 'takes-long', tool }));
  await expect(view.row(`${tool}, running`)).toContainText(/Progress \d of 8/);
  await view.expectEnd('The model answered', 'final_answer');
  const row = view.row(`${tool}, succeeded`);
  await row.getByRole('button', { expanded: false }).first().click();
  await expect(row.getByRole('group', { name: 'Messages from the server, for you only' })).toContainText(
    'of 8',
  );
});

test('prompts and resources of a server are listed and read on the Tools page [O19]', async ({ page }) => {
  await page.goto('/tools');
  const server = page.getByRole('region', { name: 'everything', exact: true });
  await server.getByText('Prompts and resources').click();
  const form = server.getByRole('form', { name: 'Read args-prompt' });
  await form.getByLabel('city', { exact: true }).fill('Ulm');
  await form.getByRole('button', { name: 'Read' }).click();
  await expect(server.getByRole('group', { name: 'User' })).toContainText('Ulm');
  const template = server.getByRole('form', { name: 'Read demo://resource/dynamic/text/{resourceId}' });
  await template.getByLabel('Completed address').fill('demo://resource/dynamic/text/7');
  await template.getByRole('button', { name: 'Read' }).click();
  await expect(server.getByRole('group', { name: 'Content' })).toContainText('Resource 7');
  await expectAccessible(page);
});

/** Starts a run that may call the tools unasked, and returns its ID. */
async function started(
  loupe: Parameters<typeof addMcpServer>[0],
  { model, tool }: { model: string; tool: string },
  more: readonly string[] = [],
): Promise<string> {
  const tools = [tool, ...more];
  const approval = { tools: Object.fromEntries(tools.map((name) => [name, 'auto'])) };
  const answer = await loupe.request('/api/runs', { json: { task: 'Call it', model, tools, approval } });
  const { run } = (await answer.json()) as { run: { id: string } };
  return run.id;
}

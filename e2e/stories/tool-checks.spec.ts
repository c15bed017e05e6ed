import { expect, expectAccessible, test } from '../fixtures.ts';

const call = (name: string, args: Record<string, string>) => ({
  reply: { tool_calls: [{ name, arguments: args }] },
});
const tool = (name: string, description: string, parameter: string) => ({
  ...{ name, description, command: ['printf', '--', '%s', `{${parameter}}`] },
  parameters: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
});

test('a model is asked for calls of tools, and the result is shown with its evidence and kept [O26]', async ({
  page,
  loupe,
  ollama,
}) => {
  for (const each of [
    tool('find_text', 'Find a text in the notes.', 'query'),
    tool('send_mail', 'Send a mail.', 'email'),
  ]) {
    await loupe.request('/api/command-tools', { json: { tool: each } });
  }
  // Each request is a separate conversation, identified by its prompt.
  const answers = {
    'Find a text in the notes.': call('custom__find_text', { query: 'harbor' }),
    'find text': call('custom__find_text', { query: 'harbour' }),
    'Send a mail.': call('custom__find_text', { query: 'ada@example.com' }),
    'send mail': { reply: { content: 'I cannot send mails.' } },
  };
  for (const [index, [match, step]] of Object.entries(answers).entries()) {
    ollama.add({ name: `asked-${index}`, model: 'asked-for-calls', match: `\n${match}\n`, steps: [step] });
  }
  await page.goto('/tools');
  const link = page.getByRole('link', { name: 'Try custom tools on local models' });
  const isOffered = await link.or(page.getByText('Commands cannot run here')).first();
  await expect(isOffered).toBeVisible();
  test.skip((await link.count()) === 0, 'Commands cannot be confined on this machine.');
  await link.click();
  await expect(page.getByRole('heading', { name: 'Tools on local models' })).toBeVisible();
  await expect(page.getByLabel('Tools of')).toHaveValue('custom');
  await page.getByLabel('Model', { exact: true }).selectOption('asked-for-calls:latest');
  await expectAccessible(page);
  await page.route(/\/api\/tool-checks\/[^/]+$/, (route) => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByRole('button', { name: 'Try again' }).click();

  const scores = page.getByRole('region', { name: 'Right calls by tool and model' });
  await expect(scores.getByRole('row', { name: /^find_text/ })).toContainText('1 of 2');
  await expect(scores.getByRole('row', { name: /^send_mail/ })).toContainText('0 of 2');
  const called = page.getByRole('region', { name: 'Asked for and called' });
  await expect(called.getByRole('row', { name: /^send_mail/ })).toContainText('find_text × 1');
  await expect(called.getByRole('row', { name: /^send_mail/ })).toContainText('no call × 1');
  await expect(called.getByRole('row', { name: /^find_text/ })).toContainText('query wrong value × 1');
  const probe = page.getByRole('list', { name: 'Probes' }).getByRole('button', { name: /wrong tool/ });
  await probe.click();
  await expect(page.getByText(/^Asked: Do this with one call of the right tool/)).toBeVisible();
  await page.getByRole('tab', { name: 'Sent' }).click();
  await expect(page.getByText(/all 2 tools/)).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Save as a suite' }).click();
  await page.getByRole('link', { name: 'Tools of custom' }).click();
  await expect(page.getByRole('heading', { name: 'Tools of custom' })).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect(scores).toHaveCount(0);
  for (const name of ['find_text', 'send_mail']) {
    await loupe.request(`/api/command-tools/${name}`, { method: 'DELETE', json: {} });
  }
});

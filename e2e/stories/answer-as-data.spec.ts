import { expect, expectAccessible, test } from '../fixtures.ts';
import { RunView } from '../run-view.ts';

test('a task whose answer must fit a JSON schema gives its answer as data', async ({
  page,
  loupe: _,
  ollama,
}) => {
  ollama.add({
    name: 'counts',
    steps: [
      { reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } },
      { reply: { content: 'There are three files, and they are all short.' } },
      { reply: { content: '{"files": "three"}' } },
      { reply: { content: '{"files": 3, "largest": "notes.md"}' } },
    ],
  });
  await page.goto('/runs/new');
  await page.getByLabel('What should the agent do?').fill('How many files are there?');
  await page.getByRole('radiogroup', { name: 'Model' }).getByText('counts:latest', { exact: true }).click();
  await page.getByLabel('Answer as JSON').check();
  const schema = page.getByLabel('JSON schema', { exact: true });
  await expect(schema).toHaveValue(/"type": "object"/);

  await test.step('a mistake in the schema is named before the run starts', async () => {
    await schema.fill('{"type": "table"}');
    await page.getByRole('button', { name: 'Start run' }).click();
    await expect(page.getByText('schema/type: "table" is not a type of JSON schema.')).toBeVisible();
  });

  await schema.fill(
    '{"type": "object", "properties": {"files": {"type": "integer"}}, "required": ["files"]}',
  );
  await page.getByRole('button', { name: 'Start run' }).click();
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.end.getByText('notes.md')).toBeVisible();
  const text = [...(await view.allRows()).values()].join('\n');
  expect(text).toContain('Schema retry 1 of 2');
  expect(text).toContain('The answer is not JSON');
  expect(text).toContain('Schema retry 2 of 2');
  expect(text).toContain('files: Instance type "string" is invalid');
  expect(text).toContain('The answer fits the schema');
  await expectAccessible(page);
});

test('an answer that never fits says so at the end', async ({ page, loupe: _, ollama }) => {
  ollama.add({ name: 'stubborn', steps: [{ reply: { content: '{"files": "many"}' } }] });
  await page.goto('/runs/new');
  await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Quick prompt', { exact: true }).click();
  await page.getByLabel('What do you want to know?').fill('How many files are there?');
  await page.getByRole('radiogroup', { name: 'Model' }).getByText('stubborn:latest', { exact: true }).click();
  await page.getByLabel('Answer as JSON').check();
  await page
    .getByLabel('JSON schema', { exact: true })
    .fill('{"type": "object", "properties": {"files": {"type": "integer"}}}');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  const view = new RunView(page);
  await view.expectEnd('The answer does not fit the schema', 'final_answer');
  await expect(view.end).toContainText('Answer, not as asked');
  await expect(view.end).toContainText('3 times in a row');
});

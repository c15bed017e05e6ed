import { eventsOf } from '../../lib/testing/events-of.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { misfits } from '../page-fit.ts';
import { RunView } from '../run-view.ts';
import { logOf, startRun } from '../runs.ts';

test('a wrong answer to a quick prompt is corrected thanks to its checks [V5, V6, V11, T10]', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({
    name: 'sums-corrected',
    model: 'sums',
    match: 'did not pass its checks',
    steps: [{ reply: { content: 'The sum is 42.' } }],
  });
  ollama.add({ name: 'sums', model: 'sums', steps: [{ reply: { content: 'The sum is 41.' } }] });
  await page.goto('/runs/new');
  await page.getByRole('radiogroup', { name: 'Mode' }).getByText('Quick prompt', { exact: true }).click();
  await page.getByLabel('What do you want to know?').fill('5 + 37?');
  await page.getByRole('radiogroup', { name: 'Model' }).getByText('sums:latest', { exact: true }).click();
  const add = page.getByRole('button', { name: 'Add a check' });
  await add.click();
  await expect(page.getByLabel('Kind of check 1').getByRole('option')).toHaveText([
    ...[
      'Answer contains',
      'Answer contains one of',
      'Answer equals text',
      'Answer is number',
      'Answer matches',
      'Answer fits JSON schema',
      'Opinion of a model',
    ],
  ]);
  await page.getByLabel('Kind of check 1').selectOption('Answer is number');
  await page.getByLabel('Value of check 1').fill('42');
  await page.getByLabel('Tolerance of check 1').fill('0.5');
  await add.click();
  await page.getByLabel('Kind of check 2').selectOption('Answer matches');
  await page.getByLabel('Regular expression of check 2').fill('^the sum (');

  await test.step('a mistake is named before the run starts', async () => {
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await expect(
      page.getByText(
        'Check 2: "^the sum (" is not a valid regular expression (JavaScript, with the flag u).',
      ),
    ).toBeVisible();
  });

  await page.getByLabel('Regular expression of check 2').fill('^the sum is \\d+');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  const view = new RunView(page);
  await view.expectEnd('The model answered', 'final_answer');
  await expect(view.end).toContainText('2 of 2 checks passed');
  const text = [...(await view.allRows()).values()].join('\n');
  expect(text).toMatch(/attempt 1\s+1 of 2 checks passed/);
  expect(text).toMatch(/failed\s+Answer is the number 42 ± 0\.5/);
  expect(text).toContain('The last number in the answer is 41, not 42 ± 0.5.');
  expect(text).toMatch(/passed\s+Answer matches \/\^the sum is/);

  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const log = await logOf(loupe, id);
  expect(eventsOf(log, 'verification.checked').map(({ outcome }) => outcome)).toEqual([
    'partial_pass',
    'pass',
  ]);

  await test.step('"Run again with changes" brings the checks back', async () => {
    const more = await view.openMenu('More');
    await more.getByRole('link', { name: 'Run again with changes' }).click();
    await expect(page.getByLabel('Kind of check 1')).toHaveValue('answer_number');
    await expect(page.getByLabel('Tolerance of check 1')).toHaveValue('0.5');
    await expect(page.getByLabel('Match case')).not.toBeChecked();
  });
});

test('checks of calls and schemas are filled in, judged and read at 360 pixels [V11, D22]', async ({
  page,
  loupe,
  ollama,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const write = { name: 'write_file', arguments: { path: 'a.md', content: 'Paris' } };
  ollama.add({
    name: 'reporter',
    steps: [
      { reply: { tool_calls: [write] } },
      { reply: { content: '{"city": "Paris", "people": "many"}' } },
    ],
  });
  const { id } = await startRun(loupe, {
    task: 'Report',
    model: 'reporter',
    max_attempts: 1,
    checks: [
      { type: 'tool_called', tool: 'write_file', arguments: { path: 'a.md' }, at_most: 2 },
      { type: 'tool_not_called', tool: 'run_command' },
      { type: 'iterations_at_most', iterations: 1 },
      {
        type: 'answer_schema',
        schema: { title: 'Report', properties: { city: { type: 'string' }, people: { type: 'integer' } } },
      },
    ],
  });
  const view = new RunView(page);
  await view.open(id);
  await view.expectEnd('Answered, 2 of 4 checks failed', 'final_answer');
  const row = view.row('Checks of attempt 1');
  await view.reveal(row);
  await expect(row).toContainText('2 of 4 checks passed');
  await expect(row).toContainText('write_file is called 1 to 2 times with {"path":"a.md"}');
  await expect(row).toContainText('Answer fits the JSON schema "Report"');
  await expect(row).toContainText('people: Instance type "string" is invalid. Expected "integer".');
  await expectAccessible(page);

  await page.goto(`/runs/new?from=${id}`);
  await expect(page.getByLabel('Tool of check 1')).toHaveValue('write_file');
  await expect(page.getByLabel('With arguments of check 1')).toHaveValue('{\n  "path": "a.md"\n}');
  await expect(page.getByLabel('At most of check 1')).toHaveValue('2');
  await expect(page.getByLabel('JSON schema of check 4')).toHaveValue(/"title": "Report"/);
  expect((await misfits(page)).overflow).toBe(0);
  await expectAccessible(page);
});

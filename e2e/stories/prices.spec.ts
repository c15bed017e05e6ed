import { holdReply } from '../delay-reply.ts';
import { expect, expectAccessible, test } from '../fixtures.ts';
import { twoFrames } from '../page-fit.ts';
import { RunView } from '../run-view.ts';

test('a price set on the Models page enables cost budgets, and costs are shown everywhere', async ({
  page,
  ollama,
}) => {
  ollama.add({
    name: 'priced',
    model: 'priced:1b',
    steps: [
      {
        reply: {
          tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }],
          prompt_eval_count: 1000,
          eval_count: 100,
        },
      },
      { reply: { content: 'There are no files.' } },
    ],
  });
  await page.goto('/runs/new?model=priced:1b');
  const budget = page.getByLabel('Cost budget (USD)');
  await expect(budget).toBeDisabled();
  await page.getByRole('link', { name: 'Set it on the Models page' }).click();
  await page.getByRole('button', { name: 'Set price: priced:1b' }).click();
  const form = page.getByRole('form', { name: 'Price of priced:1b' });
  await expect(form.getByRole('radio', { name: 'Per token' })).toBeFocused();
  await form.getByRole('button', { name: 'Save price' }).click();
  await expect(form.getByText('A number from 0 to 1,000,000.')).toHaveCount(2);
  await form.getByText('Electricity', { exact: true }).click();
  await expect(form.getByLabel('Power while answering (watts)')).toBeVisible();
  await form.getByText('Per token', { exact: true }).click();
  await form.getByLabel('Input (USD per million tokens)').fill('2000');
  await form.getByLabel('Output (USD per million tokens)').fill('10000');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Save price' }).click();
  await expect(page.getByText('$2,000.00 in, $10,000.00 out per million tokens')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Change price: priced:1b' })).toBeFocused();

  await page.getByRole('link', { name: 'New run with priced:1b' }).click();
  await page.getByLabel('What should the agent do?').fill('Look around');
  await expect(budget).toBeEnabled();
  await budget.fill('2.5');
  await page.getByRole('button', { name: 'Start run', exact: true }).click();
  await expect(page).toHaveURL(/\/runs\/(?!new)/);
  const view = new RunView(page);
  await view.expectEnd('The budget is spent', 'budget_exceeded');
  await expect(page.getByText('The cost budget of $2.50 is spent: $3.00 used.')).toBeVisible();
  await expect(page.getByRole('definition').filter({ hasText: '$3.00' }).first()).toBeVisible();
  await page.goto('/');
  await expect(page.getByRole('listitem').filter({ hasText: 'Look around' })).toContainText('$3.00');
});

test('a price that is saved late does not take the focus from another form', async ({ page, ollama }) => {
  for (const name of ['first', 'second'])
    ollama.add({ name, model: `${name}:1b`, steps: [{ reply: { content: 'Done.' } }] });
  await page.goto('/models');
  const formOf = (model: string) => page.getByRole('form', { name: `Price of ${model}` });
  await page.getByRole('button', { name: 'Set price: first:1b' }).click();
  const former = formOf('first:1b');
  await former.getByLabel('Input (USD per million tokens)').fill('1');
  await former.getByLabel('Output (USD per million tokens)').fill('2');
  const answer = await holdReply(page, '/api/models/price', 1);
  await former.getByRole('button', { name: 'Save price' }).click();
  await page.getByRole('button', { name: 'Set price: second:1b' }).click();
  const field = formOf('second:1b').getByLabel('Input (USD per million tokens)');
  await field.click();
  await page.keyboard.type('4');
  answer();
  await expect(page.getByRole('button', { name: 'Change price: first:1b' })).toBeVisible();
  await twoFrames(page);
  await page.keyboard.type('2');
  await expect(field).toHaveValue('42');
});

test('a price that another tab has changed or removed is not overwritten silently', async ({
  page,
  loupe,
  ollama,
}) => {
  ollama.add({ name: 'both', model: 'both:1b', steps: [{ reply: { content: 'Done.' } }] });
  const elsewhere = (price: object | null) =>
    loupe.request('/api/models/price', { json: { model: 'both:1b', price } });
  await page.goto('/models');
  await page.getByRole('button', { name: 'Set price: both:1b' }).click();
  const form = page.getByRole('form', { name: 'Price of both:1b' });
  const input = form.getByLabel('Input (USD per million tokens)');
  const output = form.getByLabel('Output (USD per million tokens)');
  const save = form.getByRole('button', { name: 'Save price' });
  await elsewhere({ kind: 'electricity', watts: 350, usd_per_kwh: 0.3 });
  await input.fill('1');
  await output.fill('2');
  await save.click();
  await expect(form).toContainText('The price of "both:1b" was changed in the meantime.');
  await expect(form).toContainText('It is now 350 W at $0.30 per kWh. Save again to replace it with yours.');
  await expect(input).toHaveValue('1');
  await expectAccessible(page);
  await save.click();
  await expect(page.getByText('$1.00 in, $2.00 out per million tokens')).toBeVisible();

  await page.getByRole('button', { name: 'Change price: both:1b' }).click();
  await elsewhere(null);
  await output.fill('3');
  await save.click();
  await expect(form).toContainText('It was removed. Save again to set yours.');
  await save.click();
  await expect(page.getByText('$1.00 in, $3.00 out per million tokens')).toBeVisible();
});

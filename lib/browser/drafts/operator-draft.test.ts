import { expect, it } from 'vitest';
import { emptyOperator, operatorDraft, operatorFields } from './operator-draft.ts';

it.each([
  [{ operator_policy: 'none' }],
  [{ operator_policy: 'wait' }],
  [{ operator_policy: 'fixed', operator_replies: ['Go on.\nOr not.'] }],
  [{ operator_policy: 'list', operator_replies: ['One.', 'Two.'] }],
  [{ operator_policy: 'model', operator_model: 'm', operator_prompt: 'Be kind.' }],
] as const)('the form keeps a policy as it was: %j', (settings) => {
  const draft = operatorDraft(structuredClone(settings) as Parameters<typeof operatorDraft>[0]);
  expect(operatorFields(draft)).toEqual({ request: settings, problems: {} });
});

it('reports missing fields of a policy, and omits fields of other policies', () => {
  const draft = { ...emptyOperator, operator_replies: ' \n ', operator_model: '' };
  expect(operatorFields({ ...draft, operator_policy: 'list' }).problems).toHaveProperty('operator_replies');
  expect(operatorFields({ ...draft, operator_policy: 'model' }).problems).toHaveProperty('operator_model');
  const other = { ...draft, operator_policy: 'wait' as const, operator_replies: 'Go on.' };
  expect(operatorFields(other).request).toEqual({ operator_policy: 'wait' });
});

import { describe, expect, it } from 'vitest';
import { missingResult, sentInstead } from './missing-result.ts';
import { SecretMask } from './secrets.ts';

const mask = new SecretMask([{ name: 'KEY', value: 'planted-secret' }]);
const text = (words: string) => ({ type: 'text', text: words });

const ONLY_LATER =
  'It asks in a way that only protocol version 2026-07-28 has, which Loupe does not support.';

describe('missingResult', () => {
  it.each([
    [
      { task: { taskId: 't1', status: 'working', statusMessage: 'Reading\u001b[31m' } },
      'It started a task (working: Reading) instead of sending the result. Loupe does not support tasks.',
    ],
    [
      { taskId: 't1', content: [] },
      'It started a task instead of sending the result. Loupe does not support tasks.',
    ],
    [
      { inputRequests: { name: { method: 'elicitation/create', params: {} } } },
      `It first wants a person to fill in a form. ${ONLY_LATER}`,
    ],
    [{ requestState: 'abc' }, `It first wants to be asked again. ${ONLY_LATER}`],
    [{ toolResult: 1, _meta: {} }, 'It sent a result without content, but with toolResult.'],
  ])('says what came instead of a result: %j', (raw, words) => {
    expect(missingResult(raw, mask)).toBe(words);
  });

  it.each([
    {},
    { _meta: { a: 1 } },
    { content: [], task: 'clean' },
    { content: [text('One')], task: { taskId: 't1' } },
    { structuredContent: { found: 1 }, requestState: 'abc' },
    { isError: true, taskId: 't1' },
  ])('finds nothing wrong with a result: %j', (raw) => {
    expect(missingResult(raw, mask)).toBeUndefined();
  });
});

it('says what a server asks for instead of sending a result, cleaned and masked', () => {
  const asks = (...requests: unknown[]) => sentInstead({ inputRequests: { ...requests } }, mask);
  const form = {
    method: 'elicitation/create',
    params: { message: 'Which\u001b[31m project? planted-secret' },
  };
  const url = {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Pay', url: 'https://example.org/pay' },
  };
  expect(asks(form, { method: 'roots/list' })).toBe(
    `It first wants a person to fill in a form ("Which project? [secret KEY]"), and to know the folders it may use. ${ONLY_LATER}`,
  );
  expect(asks(url)).toContain('wants a person to open https://example.org/pay ("Pay").');
  expect(asks({ method: 'sampling/createMessage' })).toContain('wants a reply from a model.');
  expect(asks(7, { method: 'no/such' }, form, form)).toMatch(
    /an answer to "", and an answer to "no\/such", and .*, and more\. /,
  );
  expect(sentInstead({ messages: [] }, mask)).toBeUndefined();
});

import { expect, onTestFinished, test, vi } from 'vitest';
import { ApiError, toApiError } from './api-error.ts';

test('keeps an API error unchanged', () => {
  const refused = new ApiError({ code: 'conflict', message: 'No.', hint: 'Wait.', status: 409 });
  expect(toApiError(refused)).toBe(refused);
});

test('any other error can be shown, and goes to the console', () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => log.mockRestore());
  const bug = new TypeError('run is undefined');
  expect(toApiError(bug)).toMatchObject({
    code: 'unexpected',
    message: 'TypeError: run is undefined',
    status: 0,
    cause: bug,
  });
  expect(log).toHaveBeenCalledExactlyOnceWith(bug);
});

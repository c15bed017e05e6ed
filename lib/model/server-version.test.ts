import { expect, it } from 'vitest';
import { isAtLeast, REFUSES_LONG_CHATS } from './server-version.ts';

it.each([
  ['0.12.6', true],
  ['0.12.6-rc0', true],
  ['0.12.10', true],
  ['0.17.4', true],
  ['1.0', true],
  ['v0.13.0', true],
  ['0.12.5', false],
  ['0.9.9', false],
  ['0.12', false],
  ['unknown', false],
  [undefined, false],
])('version %s refuses a chat that is too long: %s (OL3)', (version, refuses) => {
  expect(isAtLeast(version, REFUSES_LONG_CHATS)).toBe(refuses);
});

import { expect, it } from 'vitest';
import { keepAliveForLoad, keepAliveMs, keepAliveToSend } from './keep-alive.ts';

/** 2^63 - 1 nanoseconds. */
const FOR_EVER_MS = (2 ** 63 - 1) / 1e6;

it.each([
  [5, 5000],
  ['30m', 1_800_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['20', 20_000],
  [-1, FOR_EVER_MS],
  ['-1m', FOR_EVER_MS],
  ['1h30m', 5_400_000],
  ['1m0.5s', 60_500],
  ['+2m', 120_000],
  ['-1h30m', FOR_EVER_MS],
  ['0', 0],
  ['soon', undefined],
  ['5m soon', undefined],
  ['', undefined],
])('reads %j as %j ms', (keepAlive, ms) => {
  expect(keepAliveMs(keepAlive)).toBe(ms);
});

it.each([
  ['-1', -1],
  ['20', 20],
  ['+1.5', 1.5],
  ['0', 0],
  [-1, -1],
  ['30m', '30m'],
  ['-1m', '-1m'],
])('sends %j as %j', (keepAlive, sent) => {
  expect(keepAliveToSend(keepAlive)).toBe(sent);
});

it.each([0, '0', '0s', '0.0h', '0m0s', '-0'])('does not unload a model that it loads: %j', (keepAlive) => {
  expect(keepAliveForLoad(keepAlive)).toBe('5m');
});

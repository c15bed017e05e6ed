import { expect, it } from 'vitest';
import { createPacedClock, createSteadyClock } from './steady-clock.ts';

const DAY = 86_400_000;

it('keeps running when the clock is set back a day, and follows it forward', () => {
  let wall = 10 * DAY;
  let pace = 5;
  const pass = (ms: number) => {
    wall += ms;
    pace += ms;
  };
  const now = createSteadyClock(
    () => wall,
    () => pace,
  );
  pass(100);
  expect(now()).toBe(10 * DAY + 100);
  wall -= DAY;
  expect(now()).toBe(10 * DAY + 100);
  pass(250);
  expect(now()).toBe(10 * DAY + 350);
  wall += 2 * DAY;
  expect(now()).toBe(11 * DAY + 350);
  pass(1);
  expect(now()).toBe(11 * DAY + 351);
});

it('a clock for limits starts at the given time and ignores changes of the wall clock', () => {
  let pace = 1234.5;
  const now = createPacedClock(10 * DAY, () => pace);
  expect(now()).toBe(10 * DAY);
  pace += 250;
  expect(now()).toBe(10 * DAY + 250);
});

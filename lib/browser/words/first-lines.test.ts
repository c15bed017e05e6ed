import { expect, it } from 'vitest';
import { firstLines } from './first-lines.ts';

it('keeps a message that fits unchanged', () => {
  for (const text of ['', 'one', 'one\ntwo\nthree']) {
    expect(firstLines(text, { lines: 3, chars: 20 })).toBe(text);
  }
});

it('cuts a message after a number of lines or characters, never within a character', () => {
  expect(firstLines('1\n2\n3\n4\n5', { lines: 3, chars: 20 })).toBe('1\n2\n3');
  expect(firstLines('\n\n\n\nx', { lines: 2, chars: 20 })).toBe('\n');
  expect(firstLines('x'.repeat(30), { lines: 3, chars: 20 })).toHaveLength(20);
  expect(firstLines(`${'x'.repeat(19)}🙂`, { lines: 3, chars: 20 })).toBe('x'.repeat(19));
});

it('keeps a text whose rest is blank or short', () => {
  expect(firstLines('1\n2\n \n\n', { lines: 2, chars: 20 })).toBe('1\n2\n \n\n');
  expect(firstLines('x'.repeat(25), { lines: 3, chars: 20, slack: 5 })).toHaveLength(25);
  expect(firstLines('x'.repeat(26), { lines: 3, chars: 20, slack: 5 })).toHaveLength(20);
  expect(firstLines(`1\n2\n${'x'.repeat(20)}`, { lines: 2, chars: 20, slack: 5 })).toBe('1\n2');
});

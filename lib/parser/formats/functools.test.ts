import { expect, it } from 'vitest';
import { readCalls, weather } from '../testing/read.ts';

it('reads a list after the word, and nothing else', () => {
  expect(readCalls('functools[{"name": "get_weather", "arguments": {"city": "Oslo"}}]')).toEqual([weather()]);
  expect(readCalls('functools[{"name": "get_weather", "arguments": {"city": "Os')).toBe('cut');
  expect(readCalls('The module functools offers a cache.')).toBe('final_answer');
});

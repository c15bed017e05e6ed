import { expect, it } from 'vitest';
import { readCalls, weather } from '../testing/read.ts';

it.each([
  ['Kimi K2', 'functions.get_weather:0{"city": "Oslo"}'],
  ['Kimi K2 in prose', 'I will look.functions.get_weather:1{"city": "Oslo"} Done.'],
  ['gpt-oss', 'assistantcommentary to=functions.get_weather json{"city": "Oslo"}'],
])('reads %s without its tokens', (_, content) => {
  expect(readCalls(content)).toEqual([weather()]);
});

it('ignores other names, mentions and cut-off calls', () => {
  expect(readCalls('functions.fly:0{"to": "Oslo"}')).toBe('final_answer');
  expect(readCalls('See functions.get_weather for more.')).toBe('final_answer');
  expect(readCalls('functions.get_weather:0')).toBe('cut');
  expect(readCalls('functions.get_weather:0{"city": "Os')).toBe('cut');
});

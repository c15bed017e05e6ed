import { expect, it } from 'vitest';
import { readCalls, readReply, weather } from '../testing/read.ts';

it.each([
  ['Functionary 3.2', '>>>get_weather\n{"city": "Oslo"}'],
  ['Functionary 3.2 after text', '>>>all\nLet me see.>>>get_weather\n{"city": "Oslo"}'],
  ['GLM-4', 'get_weather\n{"city": "Oslo"}'],
  ['DeepSeek without its tokens', 'functionget_weather\n```json\n{"city": "Oslo"}\n```'],
  ['elements below the name', 'get_weather\n  <city>Oslo</city>'],
])('reads %s', (_, content) => {
  expect(readCalls(content)).toEqual([weather()]);
});

it('leaves no marker in the text', () => {
  expect(readReply('>>>all\nHello.')).toMatchObject({ type: 'final_answer', content: 'Hello.' });
});

it('passes a marked unknown name on, and treats an unmarked one as a heading [P16]', () => {
  expect(readCalls('>>>fly\n{"to": "Oslo"}')).toEqual([{ name: 'fly', arguments: { to: 'Oslo' } }]);
  expect(readCalls('fly\n{"to": "Oslo"}')).toBe('final_answer');
  expect(readCalls('get_weather\n{"returns": "a forecast"}')).toBe('final_answer');
});

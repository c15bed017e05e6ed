import { expect, it } from 'vitest';
import { readCalls, weather } from '../testing/read.ts';

it("reads Gemma's map without its tokens", () => {
  expect(readCalls('call:get_weather{city:<escape>Oslo<escape>,days:3}')).toEqual([
    weather({ city: 'Oslo', days: 3 }),
  ]);
  expect(readCalls('I look it up.\ncall:get_weather{city:<|"|>Oslo<|"|>}')).toEqual([weather()]);
  expect(readCalls('call:get_weather{city:Oslo}\ncall:list_directory{}')).toEqual([
    weather(),
    { name: 'list_directory', arguments: {} },
  ]);
});

it('reads the map after the remains of a broken token', () => {
  expect(readCalls('<call>get_weather{city:<|"|>Oslo<|"|>}')).toEqual([weather()]);
  expect(readCalls('Press the <call>button{now}</call>.')).toBe('final_answer');
});

it('ignores unknown tools, words in a sentence and cut-off calls', () => {
  expect(readCalls('call:fly{to:<escape>Oslo<escape>}')).toBe('final_answer');
  expect(readCalls('Write call:get_weather{city:Oslo} for it.')).toBe('final_answer');
  expect(readCalls('call:get_weather{city:<escape>Os')).toBe('cut');
});

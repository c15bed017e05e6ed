import { expect, it } from 'vitest';
import { readCalls, weather } from '../testing/read.ts';

it('reads calls that are the whole message', () => {
  expect(readCalls("get_weather(city='Oslo')")).toEqual([weather()]);
  expect(readCalls('  get_weather({"city": "Oslo"})\n')).toEqual([weather()]);
  expect(readCalls("get_weather(city='Oslo')\nget_weather(city='Bergen')")).toEqual([
    weather(),
    weather({ city: 'Bergen' }),
  ]);
  expect(readCalls("<think>Oslo it is.</think>get_weather(city='Oslo')")).toEqual([weather()]);
});

it('treats a call inside prose as a mention', () => {
  expect(readCalls("get_weather(city='Oslo') tells the weather.")).toBe('final_answer');
  expect(readCalls("Call get_weather(city='Oslo')")).toBe('final_answer');
});

it('reads nothing from a cut-off call [P15]', () => {
  expect(readCalls('get_weather(city=\'{"name": "list_directory", "arguments": {}}')).toBe('cut');
});

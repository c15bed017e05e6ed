import { expect, it } from 'vitest';
import { readCalls, weather } from '../testing/read.ts';

it('reads a list of calls in Python notation', () => {
  expect(
    readCalls(`[get_weather(city='Oslo', days=3, hourly=True, fields=["a", 'b']), list_directory()]`),
  ).toEqual([
    weather({ city: 'Oslo', days: 3, hourly: true, fields: ['a', 'b'] }),
    { name: 'list_directory', arguments: {} },
  ]);
});

it('reads it in prose, over several lines and without its last bracket', () => {
  expect(readCalls("Let me see: [\n  get_weather(\n    city='Oslo',\n  ),\n] and then we go on.")).toEqual([
    weather(),
  ]);
  expect(readCalls("[get_weather(city='Oslo')")).toEqual([weather()]);
});

it('keeps brackets and escapes inside strings', () => {
  expect(readCalls(`[get_weather(city="a [b] (c), d='e'")]`)).toEqual([
    weather({ city: "a [b] (c), d='e'" }),
  ]);
  expect(readCalls("[get_weather(city='it\\'s\\n\"x\"')]")).toEqual([weather({ city: 'it\'s\n"x"' })]);
});

it('ignores links, unknown tools, unnamed arguments and cut-off calls', () => {
  expect(readCalls("[get_weather(city='Oslo')](https://example.org)")).toBe('final_answer');
  expect(readCalls("[fly(to='Oslo')]")).toBe('final_answer');
  expect(readCalls("[get_weather('Oslo')]")).toBe('malformed');
  expect(readCalls("[get_weather(city='Os")).toBe('cut');
  expect(readCalls('[get_weather(city=Oslo)]')).toBe('final_answer');
});

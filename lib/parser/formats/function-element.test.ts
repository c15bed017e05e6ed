import { expect, it } from 'vitest';
import { readCalls, weather } from '../testing/read.ts';

it.each([
  ['JSON inside', '<function=get_weather>{"city": "Oslo"}</function>'],
  ['parameters inside', '<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>'],
  ['a name attribute', '<function name="get_weather"><param name="city">Oslo</param></function>'],
  ['invoke', '<invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke>'],
  [
    'a closing tag before it',
    '</tool_call>\n<function=get_weather><parameter=city>Oslo</parameter></function>',
  ],
  ['no closing tag', '<function=get_weather><parameter=city>Oslo</parameter>'],
])('P7: reads a function element with %s', (_, content) => {
  expect(readCalls(`Sure. ${content}`)).toEqual([weather()]);
});

it('P15: takes none that is cut or has no name', () => {
  expect(readCalls('<function=get_weather><parameter=city>Os')).toBe('cut');
  expect(readCalls('<function=get_weather>')).toBe('cut');
  expect(readCalls('<function>x</function>')).toBe('final_answer');
});

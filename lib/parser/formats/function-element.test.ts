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
  [
    'the space before its attribute lost',
    '<functionname="get_weather"><paramname="city">Oslo</param></function>',
  ],
  [
    'the mark that a tokenizer writes for the space',
    '<functionĠname="get_weather"><paramĠname="city">Oslo</param></function>',
  ],
  ['CDATA', '<function name="get_weather"><param name="city"><![CDATA[Oslo]]></param></function>'],
  [
    'one parameter that holds them all',
    '<function name="get_weather"><param name="arguments">{"city": "Oslo"}</param></function>',
  ],
  ['no closing tag', '<function=get_weather><parameter=city>Oslo</parameter>'],
])('reads a function element with %s [P7]', (_, content) => {
  expect(readCalls(`Sure. ${content}`)).toEqual([weather()]);
});

it('collects a repeated parameter where the tool takes a list, and uses the last one elsewhere', () => {
  const param = (name: string, value: string) => `<parameter=${name}>${value}</parameter>`;
  const params = `${param('city', 'Bergen')}${param('city', 'Oslo')}${param('fields', 'rain')}${param('fields', 'wind')}`;
  expect(readCalls(`<function=get_weather>${params}</function>`)).toEqual([
    weather({ city: 'Oslo', fields: ['rain', 'wind'] }),
  ]);
});

it('reads CDATA verbatim, including tags and line breaks', () => {
  const param = (name: string, value: string) => `<param name="${name}"><![CDATA[${value}]]></param>`;
  const content = 'if (a < b) {\n</param><param name="x"></function>\n';
  expect(
    readCalls(`<function name="write_file">${param('path', 'a.txt')}${param('content', content)}</function>`),
  ).toEqual([{ name: 'write_file', arguments: { path: 'a.txt', content } }]);
  expect(readCalls('<function name="get_weather"><param name="city"><![CDATA[Os</param></function>')).toBe(
    'cut',
  );
});

it('refuses an element that is cut off or has no name [P15]', () => {
  expect(readCalls('<function=get_weather><parameter=city>Os')).toBe('cut');
  expect(readCalls('<function=get_weather>')).toBe('cut');
  expect(readCalls('<function>x</function>')).toBe('final_answer');
});

import { describe, expect, it } from 'vitest';
import { parseToolCalls } from '../parse-tool-calls.ts';
import { readCalls, readReply, weather } from '../testing/read.ts';
import { tool } from '../testing/tools.ts';

it.each([
  ['elements', '<get_weather>\n<city>Oslo</city>\n<days>3</days>\n</get_weather>', { city: 'Oslo', days: 3 }],
  [
    'a repeated element',
    '<get_weather><city>Oslo</city><fields>a</fields><fields>b</fields></get_weather>',
    { city: 'Oslo', fields: ['a', 'b'] },
  ],
  [
    'a list of items',
    '<get_weather><city>Oslo</city><fields><item>a</item><item>b</item></fields></get_weather>',
    { city: 'Oslo', fields: ['a', 'b'] },
  ],
  ['attributes', '<get_weather city="Oslo" days="3"/>', { city: 'Oslo', days: 3 }],
  ['text for its one required parameter', '<get_weather>Oslo</get_weather>', { city: 'Oslo' }],
  ['text between blanks', 'Now: <get_weather> Oslo </get_weather>', { city: 'Oslo' }],
  ['entities', '<get_weather><city>&lt;Oslo&gt; &amp; more</city></get_weather>', { city: '<Oslo> & more' }],
  [
    'an element that is not a parameter',
    '<get_weather><city>Oslo</city><mood>sunny</mood></get_weather>',
    { city: 'Oslo' },
  ],
  ['no closing tag at the end', '<get_weather><city>Oslo</city>', { city: 'Oslo' }],
])('reads an element named like a tool with %s', (_, content, args) => {
  expect(readReply(content)).toMatchObject({ calls: [weather(args)], format: 'tool-named-xml' });
});

it('keeps markup inside a text', () => {
  const html = '<html><body><h1>Title</h1>\n<p>a < b</p></body></html>';
  expect(readCalls(`<write_file><path>a.html</path><content>${html}</content></write_file>`)).toEqual([
    { name: 'write_file', arguments: { path: 'a.html', content: html } },
  ]);
});

it('reads a tool without parameters', () => {
  expect(readCalls('Looking. <list_directory/>')).toEqual([{ name: 'list_directory', arguments: {} }]);
  expect(readCalls('<list_directory></list_directory>')).toEqual([{ name: 'list_directory', arguments: {} }]);
});

describe('leaves markup alone [P16]', () => {
  it.each([
    ['another element', '<fly><to>Oslo</to></fly>'],
    ['an element without what the tool needs', '<get_weather></get_weather>'],
    ['an opening tag that is mentioned', 'Use <get_weather> <b>now</b>.'],
    ['an element in prose', '<get_weather><city>Oslo</city> is nice</get_weather>'],
  ])('%s', (_, content) => {
    expect(readCalls(content)).toBe('final_answer');
  });

  it('HTML with the name of a tool', () => {
    const tools = [tool('code', { text: { type: 'string' } })];
    expect(parseToolCalls({ content: 'Use <code>x = 1</code>.' }, { tools }).type).toBe('final_answer');
    expect(parseToolCalls({ content: '<code><text>x</text></code>' }, { tools }).type).toBe('tool_calls');
  });
});

it('reads nothing from a cut-off element [P15]', () => {
  expect(readCalls('<write_file><path>a</path><content>half a')).toBe('cut');
});

import { describe, expect, it } from 'vitest';
import { Source } from '../source.ts';
import type { ParameterSchema } from '../types.ts';
import { readElements } from './elements.ts';

const schema: ParameterSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { city: { type: 'string' } } },
  },
};
const read = (text: string, options: { decodeEntities?: boolean; knownOnly?: boolean } = {}) =>
  readElements(0, { source: new Source(text), schema, to: text.length, ...options });

describe('reads elements as values', () => {
  it.each([
    ['text, one line break trimmed at each end', '<text>\n  a\nb\n</text>', { text: '  a\nb' }],
    ['markup within text', '<text><b>a</b></text>', { text: '<b>a</b>' }],
    ['text with elements of the same name', '<text><text>a</text> b</text>', { text: '<text>a</text> b' }],
    ['text that quotes its opening tag', '<text>a <text> b</text><x>c</x>', { text: 'a <text> b', x: 'c' }],
    [
      'text with an element of the same name and attributes',
      '<text>a<text type="b">c</text></text>',
      { text: 'a<text type="b">c</text>' },
    ],
    [
      'text with an empty element of the same name',
      '<text>a<text type="b"/></text>',
      { text: 'a<text type="b"/>' },
    ],
    ['a list of repeated elements', '<tags>a</tags><tags>b</tags>', { tags: ['a', 'b'] }],
    ['a list of elements inside', '<tags><tag>a</tag><tag>b</tag></tags>', { tags: ['a', 'b'] }],
    ['an object', '<place><city>Oslo</city></place>', { place: { city: 'Oslo' } }],
    ['the last of repeated single values', '<text>a</text><text>b</text>', { text: 'b' }],
    ['a list of what no schema knows', '<x>a</x><x>b</x>', { x: ['a', 'b'] }],
    ['numbered items', '<x><0>a</0><1>b</1></x>', { x: ['a', 'b'] }],
    ['an empty element', '<text/>', { text: '' }],
    ['CDATA', '<text>\n<![CDATA[a </text> & &lt;\n]]>\n</text>', { text: 'a </text> & &lt;\n' }],
    ['CDATA in two sections', '<text><![CDATA[a]]]]><![CDATA[>b]]></text>', { text: 'a]]>b' }],
    ['a closing tag too many', '<text>a</text></text><x>b</x>', { text: 'a', x: 'b' }],
  ])('%s', (_, text, values) => {
    expect(read(text)).toMatchObject({ values, end: text.length });
  });
});

it('decodes entities once in XML text', () => {
  expect(read('<text>&lt;a&gt; &amp;lt; &#65;&#x42;</text>', { decodeEntities: true }).values).toEqual({
    text: '<a> &lt; AB',
  });
  expect(read('<text>&lt;</text>').values).toEqual({ text: '&lt;' });
});

it('omits elements that are not parameters on request', () => {
  expect(read('<mood>x</mood><text>a</text>', { knownOnly: true })).toMatchObject({
    values: { text: 'a' },
    count: 2,
  });
});

it('reports text that ends inside an element, and stops at keys that could reach a prototype', () => {
  expect(read('<text>a</text><tags>b')).toMatchObject({ cut: true });
  expect(read('<constructor>a</constructor>')).toMatchObject({ values: {}, unsafeKey: 'constructor' });
});

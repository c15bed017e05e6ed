import { expect, it } from 'vitest';
import { asJson, isBoundedObject, jsonObject, jsonValue } from './json.ts';

it('parses any JSON value, and gives undefined for other text', () => {
  expect(jsonValue('null')).toBeNull();
  expect(jsonValue('[1]')).toEqual([1]);
  expect(jsonValue('{"a":')).toBeUndefined();
});

it('parses objects only', () => {
  expect(jsonObject('{"a":1}')).toEqual({ a: 1 });
  for (const text of ['[1]', 'null', '1', '', 'a']) expect(jsonObject(text)).toBeUndefined();
});

it('leaves out fields that JSON does not have', () => {
  expect(asJson({ a: undefined, b: [undefined], c: { d: 1 } })).toEqual({ b: [null], c: { d: 1 } });
});

it('limits the characters and the nesting of an object', () => {
  const value = { a: { b: 1 } };
  expect(isBoundedObject(value, { maxChars: 13, maxDepth: 2 })).toBe(true);
  expect(isBoundedObject(value, { maxChars: 12, maxDepth: 2 })).toBe(false);
  expect(isBoundedObject(value, { maxChars: 13, maxDepth: 1 })).toBe(false);
  expect(isBoundedObject([value], { maxChars: 100, maxDepth: 9 })).toBe(false);
});

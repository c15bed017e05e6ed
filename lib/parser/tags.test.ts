import { expect, it } from 'vitest';
import { attribute, readBracketToken, readTag } from './tags.ts';

it.each([
  ['<tool_call>', 'tool_call'],
  ['</tool_call>', '/tool_call'],
  ['<TOOLCALL>', 'toolcall'],
  ['<｜tool▁call▁begin｜>', '|tool_call_begin|'],
  ['<|tool call begin|>', '|tool_call_begin|'],
  ['<｜tool\\_calls\\_begin｜>', '|tool_calls_begin|'],
])('normalizes %s', (written, token) => {
  expect(readTag(`x${written}y`, 1)).toMatchObject({ token, end: 1 + written.length });
});

it('reads the names and attributes of elements', () => {
  const tag = (text: string) => readTag(text, 0);
  const nameOf = (text: string) => {
    const found = tag(text);
    return found && [found.element, attribute(found, 'name')];
  };
  expect(nameOf('<function=read_file>')).toEqual(['function', 'read_file']);
  expect(nameOf('<function="get weather">')).toEqual(['function', 'get weather']);
  expect(nameOf('<invoke name="f">')).toEqual(['invoke', 'f']);
  expect(nameOf("<invoke name='f' x=1>")).toEqual(['invoke', 'f']);
  expect(nameOf('<｜DSML｜parameter name="a" string="true">')).toEqual(['parameter', 'a']);
  expect(nameOf('<steptml:invoke name="f">')).toEqual(['invoke', 'f']);
  expect(nameOf('<functionname="f">')).toEqual(['function', 'f']);
  expect(nameOf('<paramĠname="f">')).toEqual(['param', 'f']);
  expect(nameOf('<functionname>')).toEqual(['functionname', undefined]);
  expect(tag('<f/>')).toMatchObject({ element: 'f', selfClosing: true });
  expect(tag('</f>')).toMatchObject({ element: 'f', closing: true });
});

it('reads no tag that does not end within its line and 256 characters', () => {
  for (const text of ['<', '<>', '<a\n>', '< <', `<${'a'.repeat(257)}>`])
    expect(readTag(text, 0)).toBeUndefined();
});

it('reads tokens in brackets', () => {
  expect(readBracketToken('[TOOL_CALLS]x', 0)).toEqual({ token: '[tool_calls]', end: 12 });
  for (const text of ['[tool]', '[1]', '[A', '[TOO LONG]']) expect(readBracketToken(text, 0)).toBeUndefined();
});

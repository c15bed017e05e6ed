import { expect, it } from 'vitest';
import { isAnnouncedAsExample, mayHoldCalls, readCodeSpan } from './code-samples.ts';
import { Source } from './source.ts';

const span = (text: string) => readCodeSpan(new Source(text), 0);

it('reads fences with their language', () => {
  expect(span('```Python title\nx\n```\ny')).toEqual({
    inside: 9,
    language: 'python',
    closed: true,
    end: 21,
  });
  expect(span('````\n```\n````')).toMatchObject({ language: '', closed: true });
  expect(span('```md\n```json\n{}\n```\n')).toMatchObject({ closed: true, end: 20 });
  expect(span('```ts\nx\n```That is all.')).toMatchObject({ closed: true, end: 11 });
  expect(span('~~~ts\n```\n~~~')).toMatchObject({ language: 'ts', closed: true, end: 13 });
  expect(span('```ts\nx')).toMatchObject({ language: 'ts', closed: false, end: 7 });
});

it('reads inline code of one or two backticks within a line', () => {
  expect(span('`a` b')).toEqual({ inside: 1, closed: true, end: 3 });
  expect(span('``a ` b`` c')).toEqual({ inside: 2, closed: true, end: 9 });
  expect(span('`a\nb`')).toEqual({ inside: 1, closed: false, end: 1 });
});

it('distinguishes fences that may hold calls from code for the user [P6]', () => {
  for (const language of ['', 'json', 'xml', 'tool_call'])
    expect(mayHoldCalls(span(`\`\`\`${language}\nx\n\`\`\``))).toBe(true);
  for (const language of ['python', 'ts', 'bash', 'diff', 'yaml'])
    expect(mayHoldCalls(span(`\`\`\`${language}\nx\n\`\`\``))).toBe(false);
  expect(mayHoldCalls(span('`x`'))).toBe(false);
});

it('recognizes the words that announce an example [K-6]', () => {
  const announced = (before: string) => isAnnouncedAsExample(`${before}{`, before.length);
  for (const before of [
    'For example, ',
    'for instance:\n',
    'e.g. ',
    'An example call: ',
    'This is an example of a tool call:\n',
    'The syntax is ',
    'The user typed: ',
  ]) {
    expect(announced(before), before).toBe(true);
  }
  for (const before of [
    '',
    'I will call ',
    'For example. Now I call ',
    'That was an example. ',
    'It looks like this file is missing: ',
    'My call: ',
    'My call looks like this:\n',
  ]) {
    expect(announced(before), before).toBe(false);
  }
});

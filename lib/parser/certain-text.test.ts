import { describe, expect, it } from 'vitest';
import { certainLength } from './certain-text.ts';
import { parseToolCalls } from './parse-tool-calls.ts';
import { readCatalogue } from './testing/catalogue.ts';
import { RENDERERS } from './testing/renderers.ts';
import { TOOLS } from './testing/tools.ts';

/** The shown part of a text that arrives piece by piece, before it is complete. */
function shownOf(text: string, size: number): string {
  let shown = 0;
  for (let end = size; end < text.length + size; end += size) {
    shown = certainLength(text.slice(0, end), shown, TOOLS);
  }
  return text.slice(0, shown);
}

const call = { name: 'read_file', arguments: { path: 'notes.md' } };

const SAMPLES = [
  ...readCatalogue().catalogue.map(({ name, sample }) => [name, sample] as const),
  ...RENDERERS.filter(({ place }) => place !== 'alone').map(
    ({ format, render }) => [format, render(call)] as const,
  ),
];

const THOUGHTS = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<reasoning>', '</reasoning>'],
  ['<thought>', '</thought>'],
  ['<seed:think>', '</seed:think>'],
  ['<mm:think>', '</mm:think>'],
  ['<longcat_think>', '</longcat_think>'],
  ['[THINK]', '[/THINK]'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<|inner_prefix|>', '<|inner_suffix|>'],
];

describe.each([1, 3, 1000])('in pieces of %i characters', (size) => {
  it.each(SAMPLES)('shows nothing that is removed as a call: %s', (_name, sample) => {
    const content = `First I look.\n${sample}\nThen I answer.`;
    const { type, visibleText } = parseToolCalls({ content }, { tools: TOOLS });
    const shown = shownOf(content, size);
    expect(shown.startsWith('First I look.')).toBe(true);
    if (type === 'tool_calls') expect(visibleText.slice(0, shown.length)).toBe(shown);
  });

  it.each(THOUGHTS)('shows no thinking: %s', (open, close) => {
    const content = `Well.\n${open}I think.${close}\nYes.`;
    expect(parseToolCalls({ content }).visibleText).toBe('Well.\n\nYes.');
    expect(shownOf(content, size)).toBe('Well.');
  });

  it('shows ordinary text as it arrives', () => {
    const text =
      'If a < b, f(x) is {1, 2}, see [the list](list.md).\n\n```js\nif (a) {\n  call({ path: 1 });\n}\n```\n<div>Read it.</div>';
    expect(shownOf(text, size)).toBe(text);
  });
});

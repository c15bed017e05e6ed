import { expect, it } from 'vitest';
import { type Piece, visibleText } from './visible-text.ts';

/** Pieces of a text in which `[…]` was taken out, and `{…}` is shown only without calls. */
function show(marked: string, hasCalls = true): string {
  const pieces: Piece[] = [];
  for (const match of marked.matchAll(/\[[^\]]*\]|\{[^}]*\}|[^[\]{}]+/g)) {
    const start = match.index;
    const end = start + match[0].length;
    if (match[0].startsWith('[')) continue;
    pieces.push(match[0].startsWith('{') ? { start, end, onlyWithoutCalls: true } : { start, end });
  }
  return visibleText(marked, pieces, hasCalls);
}

it.each([
  ['Hello.', 'Hello.'],
  ['  Hello. \n', 'Hello.'],
  ['[call]', ''],
  ['I look.\n[call]\n', 'I look.'],
  ['One [call] two', 'One two'],
  ['One[call]two', 'Onetwo'],
  ['One\n\n[call]\n\nTwo', 'One\n\nTwo'],
  ['One\n[call][call]\nTwo', 'One\n\nTwo'],
  ['One\n```json\n[call]\n```\nTwo', 'One\n\nTwo'],
  ['<tool>\n[call]\n</tool>', ''],
  ['```xml\n<tool>[call]</tool>\n```', ''],
  ['<tool>a [call]</tool>', '<tool>a </tool>'],
])('%j without its calls [K-9]', (marked, shown) => {
  expect(show(marked)).toBe(shown);
});

it('shows call tokens only where there are no calls', () => {
  expect(show('Answer {</tool_call>}')).toBe('Answer');
  expect(show('Answer {</tool_call>}', false)).toBe('Answer {</tool_call>}');
});

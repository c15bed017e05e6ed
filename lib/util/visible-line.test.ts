import { expect, it } from 'vitest';
import { VISIBLE_LINE } from './visible-line.ts';

it('accepts names in any script, with emoji of one or more parts', () => {
  for (const text of ['', 'to check', 'größer', '基準', '✅', '❤️', '👨‍👩‍👧‍👦', '👩🏽‍🔬 lab', '🏳️‍🌈', '❤️‍🔥'])
    expect(text).toMatch(VISIBLE_LINE);
});

it('accepts no line break, no control character and no joiner that is not part of an emoji', () => {
  for (const text of [
    'a\nb',
    'a\u2028b',
    'a\u202Eb',
    'a\u200Bb',
    'a\u200Db',
    '👨\u200D',
    '\u200D👨',
    '👨\u200D\u200D👩',
    '\uD83D',
  ])
    expect(text).not.toMatch(VISIBLE_LINE);
});

import { expect, it } from 'vitest';
import { lacksFound } from './mark-found.ts';
import { queryWords } from './search-rows.ts';

const lacks = (shown: string, query: string) =>
  lacksFound(shown, 'Crème brûlée and a quokka', queryWords(query));

it('lacks a word that only the rest of the text has, ignoring case and accents', () => {
  expect(lacks('Crème brûlée', 'QUOKKA')).toBe(true);
  expect(lacks('Crème brûlée', 'creme quokka')).toBe(true);
  expect(lacks('', 'brulee')).toBe(true);
});

it('lacks nothing that is shown, or that the text does not have either', () => {
  expect(lacks('Crème brûlée', 'Creme brulee')).toBe(false);
  expect(lacks('Crème brûlée', 'wombat')).toBe(false);
});

import { expect, it } from 'vitest';
import { requestNotes } from './call-requests.ts';

it.each([
  [1, 'once'],
  [2, '2 times'],
  [1200, '1,200 times'],
])('says how often a server asked for what none may ask for', (refused, words) => {
  expect(requestNotes({ refused, nobody: 0 })).toEqual([
    `The server asked ${words} for something that no server may ask for. It was refused.`,
  ]);
});

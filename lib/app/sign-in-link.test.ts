import { expect, it } from 'vitest';
import { safeLink } from './sign-in-link.ts';

const ticket = 'A'.repeat(43);
const server = 'http://127.0.0.1:4120';

it('returns a link to the given server with nothing but a ticket', () => {
  expect(safeLink(`${server}/?t=${ticket}`, server)).toBe(`${server}/?t=${ticket}`);
  expect(safeLink(`http://evil.example/x?t=${ticket}&u=1`, server)).toBe(`${server}/?t=${ticket}`);
});

it.each([
  ['no address', 'nothing'],
  ['a short ticket', `${server}/?t=abc`],
  ['control characters', `${server}/?t=%1b]0;x%07`],
  ['no ticket', `${server}/`],
])('rejects a link with %s', (_, link) => {
  expect(safeLink(link, server)).toBeUndefined();
});

it('rejects anything but an HTTP server', () => {
  expect(safeLink(`${server}/?t=${ticket}`, 'file:///etc/passwd')).toBeUndefined();
});

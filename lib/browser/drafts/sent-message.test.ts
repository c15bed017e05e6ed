import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepSent, keptSent, messageToSend, withoutSent } from './sent-message.ts';

const chart = { name: 'chart.png', data: 'AAAA' };
let kept: Map<string, string>;

beforeEach(() => {
  kept = new Map();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => kept.set(name, text),
  });
});
afterEach(() => vi.unstubAllGlobals());

it('sends the same message with the same key, and a changed one with a new key', () => {
  const first = messageToSend(undefined, { text: 'Look.', images: [chart] });
  expect(messageToSend(first, { text: 'Look.', images: [chart] })).toBe(first);
  const changed = [
    messageToSend(first, { text: 'Look up.', images: [chart] }),
    messageToSend(first, { text: 'Look.', images: [] }),
    messageToSend(first, { text: 'Look.', images: [{ ...chart }] }),
  ];
  expect(new Set([first, ...changed].map(({ key }) => key)).size).toBe(4);
});

it('keeps the key of a message over a reload, for its run and until it has arrived', () => {
  const message = messageToSend(undefined, { text: 'Look at the ferns.', images: [] });
  keepSent('run-1', message);
  expect(keptSent('run-1')).toEqual(message);
  expect(keptSent('run-2')).toBeUndefined();
  keepSent('run-1', undefined);
  expect(keptSent('run-1')).toBeUndefined();
});

it('leaves in the box what was typed after the message', () => {
  const sent = { key: 'k', text: 'Look.', images: [] };
  expect(withoutSent(' Look. And the moss', sent)).toBe('And the moss');
  expect(withoutSent('Look. ', sent)).toBe('');
  expect(withoutSent('Something else', sent)).toBe('Something else');
});

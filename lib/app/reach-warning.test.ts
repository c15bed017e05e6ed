import { expect, it } from 'vitest';
import { reachWarning } from './reach-warning.ts';

it.each(['0.0.0.0', '::', '192.168.1.10', 'fe80::1'])('warns that other machines reach %s', (address) => {
  expect(reachWarning({ address, host: 'workshop.local', port: 4120 }).join(' ')).toContain(
    'Loupe listens on workshop.local, port 4120: other machines can reach it.',
  );
});

it.each(['127.0.0.1', '127.0.0.2', '::1', '::ffff:127.0.0.1'])('has nothing to say about %s', (address) => {
  expect(reachWarning({ address, host: 'localhost', port: 4120 })).toEqual([]);
});

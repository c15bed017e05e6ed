import { expect, it } from 'vitest';
import { environmentSecrets } from './environment.ts';

it('threat 11: keeps the address of the database, and its password alone, in', () => {
  const url = 'postgres://loupe:se%40cret-word@db.example:5432/loupe';
  expect(
    environmentSecrets({ LOUPE_DATABASE_URL: url, LOUPE_PORT: '4120', LOUPE_DATA_DIR: '/srv/x' }),
  ).toEqual([url, 'se%40cret-word', 'se@cret-word']);
});

it('takes an address without a password as it is', () => {
  expect(environmentSecrets({ SERVICE_URL: 'https://service.example/path' })).toEqual([
    'https://service.example/path',
  ]);
});

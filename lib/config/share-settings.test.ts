import { expect, it } from 'vitest';
import { readShareSettings } from './share-settings.ts';

function read(env: Record<string, string>): [ReturnType<typeof readShareSettings>, string[]] {
  const problems: string[] = [];
  return [readShareSettings(env, { defaultPort: 4121, problems }), problems];
}

it('serves shared runs on loopback only by default [D16]', () => {
  expect(read({})).toEqual([{ host: '127.0.0.1', port: 4121, url: undefined, clientHeader: undefined }, []]);
});

it('accepts an address to listen on and one for links [K-40]', () => {
  expect(
    read({ LOUPE_SHARE_BIND: '0.0.0.0:8080', LOUPE_SHARE_URL: 'https://runs.example.com/loupe/' }),
  ).toEqual([
    { host: '0.0.0.0', port: 8080, url: 'https://runs.example.com/loupe', clientHeader: undefined },
    [],
  ]);
  expect(read({ LOUPE_SHARE_BIND: '[::1]:0' })[0]).toMatchObject({ host: '::1', port: 0 });
});

it('accepts the name of the proxy header with the client address', () => {
  expect(read({ LOUPE_SHARE_CLIENT_HEADER: 'X-Forwarded-For' })[0].clientHeader).toBe('x-forwarded-for');
});

it.each<Record<string, string>>([
  { LOUPE_SHARE_BIND: '0.0.0.0' },
  { LOUPE_SHARE_BIND: 'example.com:80' },
  { LOUPE_SHARE_BIND: '127.0.0.1:70000' },
  { LOUPE_SHARE_URL: 'runs.example.com' },
  { LOUPE_SHARE_URL: 'javascript:alert(1)' },
  { LOUPE_SHARE_URL: 'https://user:word@example.com' },
  { LOUPE_SHARE_URL: 'https://example.com/?a=b' },
  { LOUPE_SHARE_CLIENT_HEADER: 'X Forwarded For' },
])('rejects %o by name', (env) => {
  expect(read(env)[1].join()).toContain(Object.keys(env)[0]);
});

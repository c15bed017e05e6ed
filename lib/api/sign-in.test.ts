import { expect, it } from 'vitest';
import { downloadLinkRequest } from './sign-in.ts';

it.each(['/api/runs/a/log', '/api/runs/a/export?format=run&redact=0'])(
  'makes a download link to %s',
  (path) => {
    expect(downloadLinkRequest.parse({ path })).toEqual({ path });
  },
);

it.each([
  '',
  '/',
  'api/runs',
  '/runs/a',
  '//evil.example/api/runs',
  '/api/..//evil.example',
  '/api/%2e%2e/runs',
  '/api/runs#x',
  '@evil.example/api/runs',
  'http://evil.example/api/runs',
])('makes no download link to %j', (path) => {
  expect(downloadLinkRequest.safeParse({ path }).success).toBe(false);
});

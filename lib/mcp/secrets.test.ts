// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables look like templates
import { expect, it } from 'vitest';
import type { McpServerRequest } from '../api/mcp.ts';
import { mergedConfig, shownConfig } from './hidden-values.ts';
import { resolveReferences } from './references.ts';
import { SecretMask } from './secrets.ts';
import { nodeServer } from './under-test.ts';

const value = 'p4$$ "word"/über+längere';
const mask = new SecretMask([{ name: 'TOKEN', value }]);

it('masks a secret in plain text, in JSON, in addresses, in base64 at any offset, and in hexadecimal digits [O22]', () => {
  const written = [
    value,
    JSON.stringify({ value }),
    encodeURIComponent(value),
    ...[0, 1, 2, 3, 4].map((length) => Buffer.from(`${'x'.repeat(length)}${value}yz`).toString('base64')),
    Buffer.from(`a${value}`).toString('base64url'),
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('hex').toUpperCase(),
  ];
  for (const text of written) expect(mask.text(`before ${text} after`)).toContain('[secret TOKEN]');
  expect(mask.json({ [value]: [value, { deep: `${value}!` }] })).toEqual({
    '[secret TOKEN]': ['[secret TOKEN]', { deep: '[secret TOKEN]!' }],
  });
});

it('leaves short values alone, which are in every text', () => {
  expect(new SecretMask([{ name: 'A', value: 'on' }]).text('nothing on it')).toBe('nothing on it');
});

it('masks the longer of two values first', () => {
  const both = new SecretMask([
    { name: 'A', value: 'abcdefgh' },
    { name: 'B', value: 'abcdefgh-ijkl' },
  ]);
  expect(both.text('abcdefgh-ijkl')).toBe('[secret B]');
});

it('fills in variables where a server starts, and says which one is missing', () => {
  const server = nodeServer('/x.js', ['--key=${KEY}', '${OTHER:-none}'], {
    env: { A: 'v ${KEY}', MODE: 'debug' },
  });
  const { server: filled, secrets } = resolveReferences('one', server, { KEY: 'key-value-1' });
  expect(filled).toMatchObject({
    args: ['/x.js', '--key=key-value-1', 'none'],
    env: { A: 'v key-value-1', MODE: 'debug' },
  });
  const secret = new SecretMask(secrets).text('v key-value-1; key-value-1; debug; none');
  expect(secret).toBe('[secret A]; [secret KEY]; debug; none');
  expect(() => resolveReferences('one', server, {})).toThrow(/needs the variable KEY/);
});

it('shows references and hides values, which stay when a configuration is sent back', () => {
  const server = nodeServer('/x.js', [], { env: { A: '${KEY}', B: 'plain-value' } });
  const shown = shownConfig(server);
  expect(shown).toMatchObject({ env: { A: '${KEY}', B: null } });
  expect(mergedConfig(shown, server)).toEqual(server);
  expect(() => mergedConfig(shown, undefined)).toThrow('B: Enter a value.');
});

it('sends a token that was entered for one host to no other', () => {
  const http = (url: string, token: string | null): McpServerRequest => ({
    type: 'http',
    url,
    headers: { Authorization: token },
    enabled: true,
    timeout_seconds: 60,
    trust_read_only: false,
  });
  const before = mergedConfig(http('https://a.example/mcp', 'Bearer abc'), undefined);
  expect(mergedConfig(http('https://a.example/other', null), before)).toMatchObject({
    headers: { Authorization: 'Bearer abc' },
  });
  expect(() => mergedConfig(http('https://b.example/mcp', null), before)).toThrow(
    'Authorization: Enter a value.',
  );
});

it.each([
  ['Bearer sk-abcdef123456', ['sk-abcdef123456']],
  ['token ghp_abcdef123456', ['ghp_abcdef123456']],
  [`Basic ${Buffer.from('ada:pass-word-1').toString('base64')}`, ['ada:pass-word-1', 'pass-word-1']],
  ['{"Authorization": "Bearer ntn_abcdef123456", "Version": "2022"}', ['ntn_abcdef123456']],
])('masks the credentials in a value without their scheme: %s', (given, repeated) => {
  const server = nodeServer('x.js', [], { env: { HEADER: given } });
  const masked = new SecretMask(resolveReferences('s', server, {}).secrets);
  for (const text of [given, ...repeated]) {
    expect(masked.text(`Refused: "${text}".`)).toBe('Refused: "[secret HEADER]".');
  }
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables look like templates
import { expect, it } from 'vitest';
import { mcpServerRequest } from '../../api/mcp.ts';
import { emptyServerDraft, HIDDEN_VALUE, serverDraftOf, serverOf } from './server-draft.ts';

const stdio = mcpServerRequest.parse({
  type: 'stdio',
  command: 'npx',
  args: ['-y', 'a package', '--flag=x'],
  env: { KEY: '${KEY}', HIDDEN: null, EMPTY: '' },
  cwd: '/home/me/project',
  folders: [{ path: '/home/me/project', access: 'write' }],
  workspace: 'read',
  network: true,
  timeout_seconds: 90,
  trust_read_only: true,
});
const http = mcpServerRequest.parse({
  type: 'http',
  url: 'https://example.org/mcp',
  headers: { Authorization: null, 'X-Kind': 'a: b' },
});
const withClient = (secret: object) => ({ ...http, oauth: { client_id: 'abc', ...secret } });

it.each([
  ['a program', stdio],
  ['an address', http],
  ['a client', withClient({})],
  ['a client with a secret of the environment', withClient({ client_secret: '${SECRET}' })],
  ['a client with a kept secret', withClient({ client_secret: null })],
])('reads back what it fills in: %s', (_, server) => {
  expect(serverOf(serverDraftOf('one', server))).toEqual({ ok: true, name: 'one', server });
});

it('names the fields that are wrong', () => {
  const read = (change: object) => serverOf({ ...emptyServerDraft, name: 'one', command: 'x', ...change });
  const problems = (change: object) => {
    const result = read(change);
    return result.ok ? {} : result.problems;
  };
  expect(read({}).ok).toBe(true);
  for (const name of ['', 'Upper', 'two__parts', '1st', 'x'.repeat(31)]) {
    expect(problems({ name })).toHaveProperty('name');
  }
  expect(problems({ command: ' ' })).toHaveProperty('command');
  expect(problems({ env: 'no equals sign' })).toHaveProperty('env');
  expect(problems({ folders: [{ path: 'relative', access: 'read' }] })).toHaveProperty('folders');
  expect(problems({ cwd: 'here' })).toHaveProperty('cwd');
  expect(problems({ timeoutSeconds: '0' })).toHaveProperty('timeoutSeconds');
  expect(problems({ type: 'http', url: 'example.org' })).toHaveProperty('url');
  expect(problems({ type: 'http', url: 'http://x', headers: 'no colon' })).toHaveProperty('headers');
  expect(problems({ type: 'http', url: 'http://x', clientSecret: 'x' })).toHaveProperty('clientId');
});

it('does not repeat a value that a line without a name may hold', () => {
  const result = serverOf({ ...emptyServerDraft, name: 'one', command: 'x', env: '=secret-value' });
  expect(JSON.stringify(result)).toContain('=secret-value'.slice(0, 5));
  expect(
    serverOf({ ...emptyServerDraft, name: 'one', command: 'x', env: `A=${HIDDEN_VALUE}` }),
  ).toMatchObject({
    server: { env: { A: null } },
  });
});

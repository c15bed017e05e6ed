// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables look like templates
import { describe, expect, it } from 'vitest';
import { readMcpConfig } from './read-config.ts';

const read = (value: unknown) => readMcpConfig(JSON.stringify(value));
const one = (value: unknown) => read({ mcpServers: { one: value } });

describe('the configuration of another host [O19]', () => {
  it.each([
    ['mcpServers', { mcpServers: { one: { command: 'npx', args: ['-y', 'x'] } } }],
    ['servers of VS Code', { servers: { one: { command: 'npx', args: ['-y', 'x'] } }, inputs: [] }],
    ['context_servers of Zed', { context_servers: { one: { command: { path: 'npx', args: ['-y', 'x'] } } } }],
    ['mcp with servers', { mcp: { servers: { one: { command: ['npx', '-y', 'x'] } } } }],
    ['the inner map', { one: { command: 'npx', args: ['-y', 'x'] } }],
  ])('is read from %s', (_, value) => {
    const { servers, problems } = read(value);
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([
      { name: 'one', server: { type: 'stdio', command: 'npx', args: ['-y', 'x'] } },
    ]);
  });

  it('is read from a single server, a fenced block, and the inside of an object', () => {
    expect(read({ url: 'http://127.0.0.1:3000/mcp' }).servers).toMatchObject([
      { name: 'server', server: { type: 'http', url: 'http://127.0.0.1:3000/mcp' } },
    ]);
    const inner = '"mcpServers": {"one": {"command": "x"}},';
    expect(readMcpConfig(inner).servers).toHaveLength(1);
    for (const line of ['\n', '\r\n']) {
      const fenced = ['```json', `{${inner.slice(0, -1)}}`, '```'].join(line);
      expect(readMcpConfig(fenced).servers).toHaveLength(1);
    }
  });

  it('keeps the variables that Zed has beside the path of a command', () => {
    const command = { path: 'npx', args: ['-y', 'x'], env: { API_KEY: 'abc' } };
    const { servers } = read({ context_servers: { one: { command, env: {} } } });
    expect(servers[0]?.server).toMatchObject({ command: 'npx', env: { API_KEY: 'abc' } });
  });

  it('accepts variables that are numbers, true or false, and leaves out those that are null', () => {
    const env = { PORT: 8080, RATIO: 0.5, DEBUG: true, TOKEN: null, NAME: 'a' };
    const { servers, problems } = one({ command: 'x', env });
    expect(problems).toEqual([]);
    expect(servers[0]).toMatchObject({ ignored: ['env.TOKEN'] });
    expect(servers[0]?.server).toMatchObject({
      env: { PORT: '8080', RATIO: '0.5', DEBUG: 'true', NAME: 'a' },
    });
    expect(one({ command: 'x', env: { A: ['b'] } }).problems[0]).toMatch(/^one: env\.A/);
  });

  it('names fields that a server of the other type has', () => {
    const url = 'http://127.0.0.1:3000/mcp';
    expect(one({ url, env: { TOKEN: 'abc' }, args: ['x'], network: true }).servers[0]).toMatchObject({
      server: { type: 'http', url },
      ignored: ['env', 'args', 'network'],
    });
    expect(one({ command: 'x', headers: { a: 'b' } }).servers[0]?.ignored).toEqual(['headers']);
  });

  it('confines servers that no host confined', () => {
    expect(one({ command: 'x' }).servers[0]?.server).toMatchObject({
      folders: [],
      network: false,
      workspace: 'none',
      trust_read_only: false,
    });
  });

  it('makes names valid and different', () => {
    const { servers } = read({
      mcpServers: {
        'GitHub (work)': { command: 'a' },
        'github-work': { command: 'b' },
        数据: { command: 'c' },
        '1': { command: 'd' },
      },
    });
    expect(servers.map(({ name }) => name).sort()).toEqual([
      'github_work',
      'github_work_2',
      'server',
      'server_2',
    ]);
    expect(servers.find(({ name }) => name === 'github_work')?.renamed_from).toBe('GitHub (work)');
  });

  it('turns references of other hosts into variables, and refuses those that are none', () => {
    const { server } = one({ command: 'x', env: { A: '${env:TOKEN}', B: '{env:OTHER}' } }).servers[0] ?? {};
    expect(server).toMatchObject({ env: { A: '${TOKEN}', B: '${OTHER}' } });
    expect(one({ command: 'x', env: { A: '${input:token}' } }).problems[0]).toMatch(
      /^one: \$\{input:token\} is not the name of a variable/,
    );
    expect(one({ command: 'x', args: ['${workspaceFolder}/x'] }).servers).toHaveLength(1);
    expect(one({ command: 'x', args: ['${}'] }).problems).toHaveLength(1);
  });

  it('names the fields that it leaves out', () => {
    const { servers } = one({ command: 'x', disabled: true, autoApprove: ['a'], icon: 'i' });
    expect(servers[0]).toMatchObject({ ignored: ['autoApprove', 'icon'], server: { enabled: false } });
  });

  it.each([
    ['not JSON', '{oops', /not a JSON object/],
    ['no servers', '{"a": 1}', /no servers in it/],
    ['a list', '[]', /not a JSON object/],
    ['a server that is no object', '{"mcpServers": {"a": 7}}', /^a: This is not an object/],
    ['no command', '{"mcpServers": {"a": {"args": []}}}', /^a: command/],
    ['the old transport', '{"mcpServers": {"a": {"type": "sse", "url": "http://x"}}}', /old transport "sse"/],
    ['another protocol', '{"mcpServers": {"a": {"url": "ftp://x"}}}', /http:\/\/ or https:\/\//],
    ['a password in the address', '{"mcpServers": {"a": {"url": "http://u:p@x"}}}', /Use a header/],
    ['arguments that are no texts', '{"mcpServers": {"a": {"command": "x", "args": [1]}}}', /^a: args\.0/],
    ['a variable without a name', '{"mcpServers": {"a": {"command": "x", "env": {"A B": "1"}}}}', /^a: env/],
  ])('is refused with a reason: %s', (_, text, problem) => {
    const { servers, problems } = readMcpConfig(text);
    expect(servers).toEqual([]);
    expect(problems.join()).toMatch(problem);
  });

  it('ignores names that belong to objects', () => {
    expect(
      readMcpConfig('{"mcpServers": {"__proto__": {"command": "x"}, "constructor": {"command": "y"}}}')
        .problems,
    ).toEqual([]);
    expect(Object.prototype).not.toHaveProperty('command');
  });
});

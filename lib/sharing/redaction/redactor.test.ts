import { expect, it } from 'vitest';
import { runEvent } from '../../events/registry.ts';
import { SHARE_SCOPES } from '../../events/share-scopes.ts';
import { leaksIn, PLANTED_ENVIRONMENT, PLANTED_SECRETS, plantedLog } from '../../testing/planted-secrets.ts';
import { SampleLog } from '../../testing/sample-logs.ts';
import { createRedactor, withRunFolders } from './redactor.ts';
import { inScope } from './scope.ts';
import { redactLog } from './under-test.ts';

const options = { workspace: '/home/ada/projects/quarterly-reports', environment: [PLANTED_ENVIRONMENT] };

it.each(PLANTED_SECRETS)('masks: $name', ({ secret, text }) => {
  const masked = createRedactor().text(`before ${text} after`);
  expect(masked).not.toContain(secret);
  expect(masked).toContain('‹');
  expect(masked.startsWith('before ')).toBe(true);
});

it('issue: planted secrets of more than 20 kinds are redacted in every scope, anywhere in an event', () => {
  const { events } = plantedLog();
  expect(leaksIn(JSON.stringify(events)).length).toBe(PLANTED_SECRETS.length + 1);
  for (const scope of SHARE_SCOPES) {
    const redacted = redactLog(
      events.map((event) => inScope(event, scope)),
      options,
    );
    expect(leaksIn(JSON.stringify(redacted.events)), scope).toEqual([]);
    for (const event of redacted.events) expect(runEvent.safeParse(event).success).toBe(true);
  }
});

it('the same value has the same mask in all events of a run, and different values have different masks', () => {
  const redactor = createRedactor();
  expect(redactor.text('ada@a.org and bob@b.org')).toBe('‹email 1› and ‹email 2›');
  expect(redactor.text('bob@b.org wrote')).toBe('‹email 2› wrote');
});

it('leaves text without secrets readable', () => {
  const plain = [
    'tokens_in: 523, max_tokens: 2048, tokens=500',
    'password: string; token: string | undefined',
    'const token = request.headers.get("authorization")',
    'process.env.API_KEY and token=$TOKEN and token=%TOKEN%',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'icon@2x.png, @scope/package@1.2.3, git@github.com:a/b.git',
    'src/home/index.ts and ./users/list and .env.local',
    'http://127.0.0.1:11434/api/chat at version 10.1.2',
    'key: value, "key": "notes", pass: 12, author: Ada',
    'https://example.com/a?b=c#d and postgres://localhost/db',
    'The basic idea of token budgets; a bearer of news.',
  ];
  const redactor = createRedactor(options);
  for (const text of plain) expect(redactor.text(text)).toBe(text);
});

it('masks the whole workspace path, but only the home part of other paths', () => {
  const redactor = createRedactor(options);
  expect(redactor.text('/home/ada/projects/quarterly-reports/a.md')).toBe('‹workspace 1›/a.md');
  expect(redactor.text('/home/ada/projects/quarterly-reports-2/a.md')).toBe(
    '‹home 1›/projects/quarterly-reports-2/a.md',
  );
  expect(redactor.text('/root/.ssh and /rootless')).toBe('‹home 2›/.ssh and /rootless');
  expect(redactor.text('["line\\n/home/bob/x"]')).toBe('["line\\n‹home 3›/x"]');
});

it('masks the folder that a run works on a copy of, with the folders of this machine', () => {
  const folders = { workspace: '/data/workspaces/run-1', copied_from: '/srv/clients/acme' };
  const redactor = createRedactor(withRunFolders({ paths: ['/data'] }, folders));
  const [created] = new SampleLog({ config: folders }).events;
  expect(JSON.stringify(redactor.event(runEvent.parse(created)))).not.toMatch(/acme|workspaces/);
  expect(redactor.text('/srv/clients/acme/a.md')).toBe('‹folder 1›/a.md');
  expect(createRedactor(withRunFolders({}, { workspace: '' })).text('/srv/clients')).toBe('/srv/clients');
});

it('masks environment values in plain text, JSON, URLs and base64', () => {
  const value = 'p"a ss/wörd-2026';
  const redactor = createRedactor({ environment: [value] });
  const forms = [
    value,
    JSON.stringify(value),
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
  ];
  const masked = redactor.text(forms.join('\n'));
  for (const form of [value, encodeURIComponent(value), Buffer.from(value).toString('base64')]) {
    expect(masked).not.toContain(form);
  }
  expect(masked).not.toContain('wörd');
});

it('masks secrets in the URLs that fetch_url was given and reports', () => {
  const redactor = createRedactor();
  const secret = 'q8Zr2LxV9tKd4Wn7';
  for (const url of [
    `https://ada:${secret}@docs.example.com/`,
    `https://docs.example.com/a?page=2&api_key=${secret}`,
    `https://docs.example.com/a?access_token=${secret}&x=1`,
    `https://docs.example.com/a?sig=1&token=${secret}#part`,
  ]) {
    const masked = redactor.text(JSON.stringify({ url, status: 200, redirects: [url] }));
    expect(masked, url).not.toContain(secret);
  }
});

it('masks a value found next to a password name everywhere, even earlier in the log', () => {
  const log = new SampleLog();
  log.push({ type: 'operator.messaged', message_id: 'm1', text: 'I think it is zebra-crossing-7.' });
  log.push({ type: 'operator.messaged', message_id: 'm2', text: 'db_password=zebra-crossing-7' });
  expect(JSON.stringify(redactLog(log.events).events)).not.toContain('zebra-crossing-7');
});

const SHAPED = ['gh', 'p_q7Rz2LmX9vKb4TnW8sYdH3cJ6pFgU1aEoZ5i'].join('');
const LEARNED = 'zebra-crossing-over-7-rivers';
const GIVEN = 'Zephyr build codename 9';
const OPERATOR = 'Xw8_kQ2mVr5nTz9bLc3dYf6hGj1pSa4u';
const ENDS = [
  '',
  '…',
  '…"',
  ' […] 12',
  '\n[… 90 bytes left out …]\nx',
  '\\n[… 90 characters left out …]',
  '...',
];
const STARTS = [
  '',
  '[…] ',
  'x\n[… 90 bytes left out …]\n',
  'x\\n[… 9 of 99 characters are left out here …]\\n',
];

it.each([SHAPED, LEARNED, GIVEN, OPERATOR])('masks %s where a length limit cut it', (value) => {
  const redactor = createRedactor({ environment: [GIVEN], tokens: [OPERATOR] });
  const whole = redactor.text(`token ${SHAPED}, password: ${LEARNED}`);
  expect(whole).toContain('‹github token 1›');
  const most = Math.ceil(value.length * 0.7);
  for (const end of ENDS) expect(redactor.text(`x ${value.slice(0, most)}${end}`)).toMatch(/^x ‹[a-z ]+ 1›/);
  for (const start of STARTS) {
    const masked = redactor.text(`${start}${value.slice(-most)} x`);
    expect(masked.slice(start.length)).toMatch(/^‹[a-z ]+ 1› x$/);
  }
});

it('masks a piece of a value only where a text is cut', () => {
  const redactor = createRedactor({ environment: [GIVEN] });
  for (const text of ['Zephyr build code, as ever', 'The code name 9 is free.', 'Zephyr', 'name 9'])
    expect(redactor.text(text)).toBe(text);
});

it('masks values of objects and argument lists by their names', () => {
  const log = new SampleLog();
  log.push({
    type: 'policy.warned',
    code: 'x',
    message: 'x',
    detail: {
      password: 'plain',
      nested: { client_secret: 'words here' },
      argv: ['--password', 'abcd', '--user', 'ada'],
    },
  });
  expect(redactLog(log.events).events[1]).toMatchObject({
    detail: {
      password: '‹credential 1›',
      nested: { client_secret: '‹credential 2›' },
      argv: ['--password', '‹credential 3›', '--user', 'ada'],
    },
  });
});

it('leaves requested kinds readable, but never the operator token', () => {
  const redactor = createRedactor({
    show: new Set(['email', 'operator token']),
    tokens: ['the-token-of-the-operator-1'],
  });
  expect(redactor.text('ada@a.org the-token-of-the-operator-1 /home/ada')).toBe(
    'ada@a.org ‹operator token 1› ‹home 1›',
  );
  expect(redactor.findings().map(({ kind, shown }) => [kind, shown])).toEqual([
    ['email', true],
    ['operator token', false],
    ['home', false],
  ]);
});

it('lists findings with counts, places and a hint that reveals nothing', () => {
  const { findings } = redactLog(plantedLog().events, options);
  expect(findings.length).toBeGreaterThanOrEqual(20);
  const email = findings.find(({ kind }) => kind === 'email');
  expect(email).toMatchObject({ group: 'e-mail', values: 1, hint: 'ada.…rg', shown: false });
  expect(email?.places).toBeGreaterThan(20);
  expect(email?.seqs.length).toBe(20);
  expect(leaksIn(JSON.stringify(findings))).toEqual([]);
});

it('counts each place once, both in a reply and in a text', () => {
  const { events } = plantedLog();
  const reply = events.find((event) => event.type === 'model-call.ended');
  if (!reply) throw new Error('There is no reply in the log');
  const message = { role: 'assistant' as const, content: 'Write to jane@mail.org or bob@mail.org.' };
  const redactor = createRedactor();
  redactor.event({ ...reply, message });
  expect(redactor.findings()).toMatchObject([{ kind: 'email', values: 2, places: 2 }]);
  redactor.text('jane@mail.org');
  expect(redactor.findings()).toMatchObject([{ kind: 'email', values: 2, places: 3 }]);
});

it('findings count only values in what was redacted, not those that were learned elsewhere', () => {
  const warn = (message: string) => ({ type: 'policy.warned' as const, code: 'x', message });
  const log = new SampleLog().push(warn('jane@mail.org and bob@mail.org')).push(warn('bob@mail.org'));
  const redactor = createRedactor();
  for (const event of log.events) redactor.learn(event);
  const last = log.events.at(-1);
  if (last) redactor.event(last);
  expect(redactor.findings()).toMatchObject([{ kind: 'email', values: 1, places: 1 }]);
});

it('adjusts the spans of calls to the redacted text', () => {
  const { events } = redactLog(plantedLog().events, options);
  const ended = events.find((event) => event.type === 'model-call.ended');
  const parsed = events.find((event) => event.type === 'reply.parsed');
  const span = parsed?.calls[0]?.span;
  expect(ended?.message.content.slice(span?.start, span?.end)).toBe(
    '<tool_call>{"name":"run_command"}</tool_call>',
  );
});

it('drops spans if the reply was not seen', () => {
  const parsed = plantedLog().events.find((event) => event.type === 'reply.parsed');
  if (!parsed) throw new Error('no reply');
  const masked = createRedactor().event(parsed);
  expect(masked).toMatchObject({ type: 'reply.parsed', calls: [{ call_id: 'c1' }] });
  expect(JSON.stringify(masked)).not.toContain('"span"');
});

it('reveals nothing about the machine of a run', () => {
  const log = new SampleLog().push({ type: 'run.started', worker: 'ada-laptop:4711', epoch: 1 });
  expect(JSON.stringify(redactLog(log.events).events)).not.toContain('laptop');
});

it('masks hosts and names of tools by texts that are valid there', () => {
  const tool = { name: 'deploy_staging', description: 'Deploys.', parameters: {}, command: ['deploy'] };
  const { events } = new SampleLog({
    config: {
      fetch_hosts: ['docs.example.com', 'wiki.local', '192.168.1.10:8080'],
      command_tools: [{ ...tool, stdin: 'none', access: 'read', timeout_seconds: 5 }],
    },
  });
  const [created] = redactLog(events, { environment: ['deploy_staging'] }).events;
  expect(created).toMatchObject({
    config: {
      fetch_hosts: ['docs.example.com', 'masked', 'masked'],
      command_tools: [{ name: 'masked', description: 'Deploys.' }],
    },
  });
});

it('masks a value of any type that a field beside it calls a secret', () => {
  const call = { call_id: 'c1', name: 'sign_in', arguments: { password: '48291377' } };
  const log = new SampleLog()
    .push({
      ...{ type: 'reply.parsed', call: 1, iteration: 1, outcome: 'tool_calls', layer: 'native' },
      calls: [{ ...call, layer: 'native', format: 'native' }],
      ...{ text: '', thinking: '', repairs: [], refusals: [], attempts: [], malformed: false, cut: false },
      coercions: [{ call: 0, path: 'password', before: 48291377, after: '48291377' }],
    })
    .push({
      ...{ type: 'memory.changed', call_id: 'c1', cycle: 1, operation: 'write' },
      ...{ key: 'db_password', value: 'blue horse battery' },
    })
    .push({
      ...{ type: 'mcp-request.received', request_id: 'q1', call_id: 'c1', server: 'bank' },
      request: {
        ...{ kind: 'form', message: 'Sign in.' },
        fields: [{ name: 'password', kind: 'text', required: true, preset: 'green horse battery' }],
      },
    })
    .push({
      ...{ type: 'mcp-request.answered', request_id: 'q1', call_id: 'c1', action: 'accept', by: 'operator' },
      content: { passcode: 590318, amount: 1250 },
    });
  const masked = JSON.stringify(redactLog(log.events).events);
  expect(masked).not.toMatch(/48291377|blue horse|green horse|590318/);
  expect(masked).toContain('"amount":1250');
  expect(masked).toContain('"key":"db_password"');
});

it('leaves out previous file contents that are not UTF-8, because nothing in them can be masked', () => {
  const content = Buffer.from('Paßwort=Grünkohl\nDB_PASSWORD=hunter2hunter', 'latin1');
  const before = { kind: 'binary' as const, base64: content.toString('base64') };
  const call = { call_id: 'c1', iteration: 1, tool: 'write_file', file: { path: 'old.ini', before } };
  const log = new SampleLog()
    .push({ type: 'approval.requested', arguments: {}, ...call })
    .push({ type: 'tool-call.started', ...call });
  for (const event of redactLog(log.events).events.slice(1)) {
    expect(event).toMatchObject({
      file: { path: 'old.ini', before: { kind: 'not_kept', size_bytes: content.length } },
    });
  }
});

it('masks the value of an option in the command of a custom tool', () => {
  const command = ['deploy', '--token', 'blue-horse-7', '--region', 'north-7'];
  const tool = { name: 'deploy', description: 'Deploys.', parameters: {}, command };
  const { events } = new SampleLog({
    config: { command_tools: [{ ...tool, stdin: 'none', access: 'read', timeout_seconds: 5 }] },
  });
  expect(redactLog(events).events[0]).toMatchObject({
    config: { command_tools: [{ command: ['deploy', '--token', '‹credential 1›', '--region', 'north-7'] }] },
  });
});

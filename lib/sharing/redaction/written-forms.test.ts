import { describe, expect, it } from 'vitest';
import { SampleLog } from '../../testing/sample-logs.ts';
import { createRedactor } from './redactor.ts';
import { redactLog } from './under-test.ts';

const A = 'q7Rz2LmX9vKb4TnW8sYd';
const B = 'H3cJ6pFgU1aEoZ5iDx0B';
const HEX = '0f3a9b7c5d1e8246';
const GITHUB = ['gh', 'p_', A, B.slice(0, 16)].join('');
const PEM = ['-----BEGIN RSA PRIVATE', ` KEY-----\nMIIEpAIB${A}\n-----END RSA PRIVATE`, ' KEY-----\n'].join(
  '',
);
const WORD = ['hunter2', 'hunter'].join('');
const ENVIRONMENT = 'Zephyr build+codename/9 ü?';
const WORKSPACE = '/srv/data/customer-x';

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function wrapped(text: string, columns: number): string {
  return text.replaceAll(new RegExp(`(.{${columns}})`, 'g'), '$1\n');
}

/** A name, a text, and the parts that must be redacted. */
type Row = [string, string, ...string[]];

const ROWS: Record<string, Row[]> = {
  encodings: [
    ['base64 of a token', `x ${base64(GITHUB)} y`, base64(GITHUB).slice(8, 30)],
    ['base64 of a sentence', base64(`here is ${GITHUB} ok`), base64(`here is ${GITHUB} ok`).slice(12, 30)],
    [
      'base64 in lines',
      wrapped(base64(`A=1\nB=2\nDB_PASSWORD=${WORD}\nC=${'3'.repeat(80)}`), 76),
      'QQVNTV09SRD',
    ],
    [
      'base64 before another line',
      `${base64(`postgres://app:pgP4ss77x@db.example.com/${'a'.repeat(30)}`)}\nNext`,
      'cG9zdGdyZX',
    ],
    ['base64 of a key', base64(PEM), base64(PEM).slice(50, 80)],
    ['percents', encodeURIComponent(`postgres://app:${WORD}@db.example.com/app`), WORD],
    [
      'percents twice',
      encodeURIComponent(encodeURIComponent(`postgres://app:${WORD}@db.example.com/app`)),
      WORD,
    ],
    ['home in percents three times', '%25252Fhome%25252Fada%25252Fx', 'ada'],
    ['password in a URL in a program', `"https\\x3a\\x2f\\x2fada:${WORD}\\x40db.example.com"`, WORD],
    [
      'base64 twice',
      base64(base64(`DB_PASSWORD=${WORD}`)),
      base64(base64(`DB_PASSWORD=${WORD}`)).slice(4, 30),
    ],
    [
      'percents in base64',
      base64(encodeURIComponent(`https://a:${WORD}@b.example.com`)),
      base64(encodeURIComponent(`https://a:${WORD}@b.example.com`)).slice(4, 30),
    ],
    ['key in percents', encodeURIComponent(PEM), A],
    ['home in percents', 'file%3A%2F%2F%2Fhome%2Fada%2Fx', 'ada'],
    ['e-mail in HTML', 'ada&#64;analytical.org and bob&#x40;analytical.org', 'analytical'],
    ['e-mail in JSON', 'ada\\u0040analytical.org', 'analytical'],
    ['address in percents', 'http://%5Bfd12%3A3456%3A%3A9%5D/', '3456'],
    ['password in a URL in JSON of PHP', `"https:\\/\\/ada:${WORD}@db.example.com\\/"`, WORD],
    ['home in JSON of PHP', '{"file":"\\/home\\/ada\\/notes"}', 'ada'],
    ['workspace in JSON of PHP', '{"file":"\\/srv\\/data\\/customer-x\\/a"}', 'customer-x'],
    ['workspace in percents', 'file://%2Fsrv%2Fdata%2Fcustomer-x%2Fa', 'customer-x'],
    ['workspace in base64', base64(`${WORKSPACE}/notes`), base64(`${WORKSPACE}/notes`).slice(4, 20)],
  ],
  environment: [
    ['form', new URLSearchParams({ a: ENVIRONMENT }).toString(), 'codename'],
    ['encodeURI', encodeURI(ENVIRONMENT), 'codename'],
    ['base64url', Buffer.from(ENVIRONMENT).toString('base64url'), 'aHlyIGJ1aWxk'],
    ['base64 behind one byte', base64(`\u0001${ENVIRONMENT}\u0002`), 'cGh5ciBidWls'],
    ['base64 behind two bytes', base64(`\u0001\u0002${ENVIRONMENT}\u0003`), 'ZXBoeXIgYnVp'],
    ['hexadecimal', Buffer.from(ENVIRONMENT).toString('hex'), '70687972'],
    ['JSON of PHP', JSON.stringify(ENVIRONMENT).replace('/', '\\/'), 'codename'],
    ['JSON in ASCII', JSON.stringify(ENVIRONMENT).replace('ü', '\\u00fc'), 'codename'],
  ],
  credentials: [
    ['cookies', `Cookie: theme=dark; sid=31d4d96e407aad42; cart=${A}`, '31d4d96e407aad42', A],
    ['a cookie that is set', `Set-Cookie: connect.sid=s%3A${A}.${B}; Path=/; HttpOnly`, A, B],
    ['cookie of a command', `curl -b 'PHPSESSID=${HEX}' https://example.com`, HEX],
    ['header without a scheme', `Authorization: ${A}`, A],
    ['header with a short value', `Authorization: Basic ${base64('ada:p7')}`, base64('ada:p7')],
    ['signed header', `Authorization: AWS4-HMAC-SHA256 SignedHeaders=host, Signature=${HEX}${HEX}`, HEX],
    ['XML', `<password>${WORD}</password>`, WORD],
    ['XML attributes', `<add key="ClearTextPassword" value="${WORD}" />`, WORD],
    ['manifest', `- name: DB_PASSWORD\n  value: ${WORD}`, WORD],
    ['list of headers', `{"name": "X-Api-Key", "value": "${A}"}`, A],
    ['subscript', `os.environ['DB_PASSWORD'] = '${WORD}'; process.env["API_KEY"] = "${A}"`, WORD, A],
    ['subscript in JSON', JSON.stringify(`$config["db_password"]="${WORD}";`), WORD],
    ['arguments', `setenv("DB_PASSWORD", "${A}", 1); headers.set('X-Api-Key', '${B}')`, A, B],
    ['constant of PHP', `define( 'DB_PASSWORD', '${A}' );`, A],
    ['block of YAML', `password: |\n  ${WORD}`, WORD],
    ['bold', `**Password:** ${WORD}, - Password: **${WORD}**`, WORD],
    ['table', `| password | ${WORD} |`, WORD],
    ['sentence', `My password is ${WORD}, and the token is ${A}.`, WORD, A],
    ['task', `Log in as ada with password ${WORD}.`, WORD],
    ['netrc', `machine x.example login ada password ${WORD}`, WORD],
    ['mysql', `mysql -uroot -p${WORD} db`, WORD],
    ['sshpass', `sshpass -p ${WORD} ssh example.com`, WORD],
    ['docker login', `docker login -u ada -p ${WORD} example.com`, WORD],
    ['oracle', 'jdbc:oracle:thin:scott/tiger77x@//h:1521/x', 'tiger77x'],
    ['pair of keys', `AKIAJ7Q2ZPLMNX4RTYW8\t${A}/${B.slice(0, 19)}`, A],
  ],
  shapes: [
    ['slack session', `${['xo', 'xc-2412345678-'].join('')}${A} ${['xo', 'xd-'].join('')}${A}%2F${B}`, A, B],
    [
      'encrypted web token',
      `eyJhbGciOiJSU0EtT0FFUCJ9.${A}${B}.48V1_ALb6US04U3b.${B}${A}.XFBoMYUZodetZdvT`,
      A,
      B,
    ],
    ['session token', `eyJ1c2VyX2lkIjoxfQ.ZxYzAb.${A}${B}`, A],
    ['aws session', `IQoJb3JpZ2luX2VjE${A}${B}`, B],
    ['teams', `https://acme.webhook.office.com/webhookb2/${HEX}@${HEX}/IncomingWebhook/${HEX}/x`, HEX],
    ['discord bot', `${['MTk4NjIyNDgzNDcx', 'OTI1MjQ4'].join('')}.Cl2FMQ.${A}${B.slice(0, 7)}`, A],
    ['htpasswd', `ada:$apr1$x7Qz$${A}`, A],
    ['django', `pbkdf2_sha256$600000$abcd$${A}${B}=`, A],
    ['terraform', `${A.slice(0, 14)}.atlasv1.${A}${B}`, B],
    ['ruby gems', `rubygems_${HEX}${HEX}${HEX}`, HEX],
    ['ssh2', ['---- BEGIN SSH2 ENCRYPTED', ` PRIVATE KEY ----\nP2/56wAAA${A}\n`].join(''), A],
    ['putty', `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nAAAA${A}\nPrivate-MAC: ${HEX}`, A, HEX],
  ],
  people: [
    ['name with umlauts', 'jürgen.müller@beispiel.de', 'rgen', 'ller'],
    ['domain with umlauts', 'ada@bücher.example', 'cher'],
    ['other scripts', 'почта@пример.рф 用户@例子.广告', 'почта', 'пример', '用户', '例子'],
    ['plus and apostrophe', "ada+news.letter@analytical.org o'neil@x.org", 'news', 'neil'],
  ],
  places: [
    ['two names', 'C:\\Users\\Linus Torv\\Documents\\x', 'Linus', 'Torv'],
    ['small letters', 'c:\\users\\linus\\x', 'linus'],
    ['twice in JSON', 'C:\\\\\\\\Users\\\\\\\\linus\\\\\\\\x', 'linus'],
    ['former Windows', 'C:\\Documents and Settings\\linus\\x', 'linus'],
    ['within Linux', '/mnt/c/Users/linus/x and /c/Users/linus/x', 'linus'],
    ['within WSL', '\\\\wsl$\\Ubuntu\\home\\linus\\x', 'linus'],
    ['network home', '/nfs/home/ada/x', 'ada'],
    ['IPv6 behind a word', 'host:fd12:3456::9', '3456'],
    ['site', 'fec0::12:9', '12:9'],
    ['cloud', 'ip-10-20-30-40.eu-west-1.compute.internal', '10-20-30-40', 'eu-west'],
    ['whole name of a host', 'db.prod.corp.internal', 'prod'],
  ],
};

describe.each(Object.entries(ROWS))('redacts %s:', (_, rows) => {
  it.each(rows)('%s', (_name, text, ...secrets) => {
    const masked = createRedactor({ environment: [ENVIRONMENT], workspace: WORKSPACE }).text(
      `before ${text}`,
    );
    for (const secret of secrets) {
      expect(text).toContain(secret);
      expect(masked).not.toContain(secret);
    }
    expect(masked.startsWith('before ')).toBe(true);
    expect(createRedactor().text(masked)).toBe(masked);
  });
});

it('masks a value with quotes and backslashes in JSON within JSON', () => {
  const value = 'pa"ss\\word';
  const masked = createRedactor({ environment: [value] }).text(JSON.stringify(JSON.stringify({ value })));
  expect(masked).toBe('"{\\"value\\":\\"‹environment value 1›\\"}"');
});

it('masks numbers and settings by their names', () => {
  const log = new SampleLog().push({
    type: 'policy.warned',
    code: 'x',
    message: 'x',
    detail: { password: 12_345_678, tokens: 12_345_678, env: [{ name: 'DB_PASSWORD', value: 'zebra' }] },
  });
  expect(redactLog(log.events).events[1]).toMatchObject({
    detail: {
      password: '‹credential 1›',
      tokens: 12_345_678,
      env: [{ name: 'DB_PASSWORD', value: '‹credential 2›' }],
    },
  });
});

it('masks the second of a pair that the first one names, but no list of names', () => {
  const detail = {
    headers: [
      ['x-api-key', A],
      ['password', 'zebra77x!'],
      ['accept', 'text/html; q=0.9'],
    ],
    columns: ['password', 'address2'],
    required: ['password', 'passwordRepeated'],
    steps: ['password', 'step-2-confirm'],
  };
  const log = new SampleLog().push({ type: 'policy.warned', code: 'x', message: 'x', detail });
  const { columns, required, steps } = detail;
  expect(redactLog(log.events).events[1]).toMatchObject({
    detail: {
      headers: [
        ['x-api-key', '‹credential 1›'],
        ['password', '‹credential 2›'],
        ['accept', 'text/html; q=0.9'],
      ],
      ...{ columns, required, steps },
    },
  });
});

it('leaves text readable that only looks like a secret', () => {
  const redactor = createRedactor();
  for (const text of [
    'id: 550e8400-e29b-41d4-a716-446655440000, index 3f78685..e387550 100644',
    '"integrity": "sha512-oNh6bkjKxIuCJvXLqR8vN5f5Vw8nF3p0r3g5r5C9sV1c2x4h8Dq7ZyKk3JtT0eQw=="',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'aGVsbG8gd29ybGQsIHRoaXMgaXMgcGxhaW4gdGV4dA==',
    'const password = await prompt(user)',
    'password is required, the password is wrong, password must be at least 8 characters',
    'the token is a JWT, password sha256, password 8-character, password: ********',
    'API_KEY=your-api-key-here and OPENAI_API_KEY=sk-...',
    'if (form["password"] == "") return; const at = fields["token"]',
    'required: ["email", "password", "firstName"], columns("token", "created_at", "address2")',
    'auth: lib/auth2/index.ts, PASS lib/foo2.test.ts',
    '| password | string | yes |, <password>string</password>',
    'name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:',
    'Cookie: theme=dark, set-cookie: none, cookies: 3',
    'https://www.amazon.com/s/really-long-search-path-name-here',
    'C:\\Users\\Public and /Users/Shared and src\\Users\\list.tsx and /api/Users/12',
    'docker run -p 8080:80 -u root x; mkdir -p src/lib2; ssh -p 2222 h; tar -xpf x',
    'a%40b 100%25 %20%2B %2520 \\u001b[0m \\x1b[31m \\x00\\x41 &amp; &lt;b&gt;',
    Buffer.from(Buffer.from('plain text in base64, and this once more').toString('base64')).toString(
      'base64',
    ),
    '12:34:56:78 fe:ab:12:cd:ef:01 face:b00c',
  ]) {
    expect(redactor.text(text)).toBe(text);
  }
});

import { describe, expect, it } from 'vitest';
import { KEY_HEADER } from '../api/sign-in-key.ts';
import { clientBearer, proofKey } from '../handshake/proof.ts';
import { testStore } from '../sign-ins/test-store.ts';
import type { Gate, RequestFacts } from './gate.ts';
import { testGate } from './test-gate.ts';

const token = 'operator-token-0123456789abcdef';

function open(options: Partial<Parameters<typeof testGate>[0]> = {}): Gate {
  return testGate({ token, port: 4120, ...options });
}

function facts(
  headers: Record<string, string> = {},
  method = 'GET',
  hosts = ['127.0.0.1:4120'],
  path = '/api/runs',
): RequestFacts {
  return { method, path, hosts, header: (name) => headers[name] };
}

const code = (expected: string) => expect.objectContaining({ code: expected });
const bearer = { authorization: `Bearer ${token}` };

describe('the source of a request [D17]', () => {
  it.each([[['127.0.0.1:4120']], [['localhost:4120']], [['LOCALHOST:4120']], [['[::1]:4120']]])(
    'accepts the host %s',
    (hosts) => {
      expect(() => open().checkSource(facts({}, 'GET', hosts))).not.toThrow();
    },
  );

  it.each([
    [[]],
    [['evil.example:4120']],
    [['evil.example']],
    [['127.0.0.1:4121']],
    [['127.0.0.1']],
    [['127.0.0.1:4120', '127.0.0.1:4120']],
    [['127.0.0.1:4120', 'evil.example']],
    [['127.0.0.1:4120@evil.example']],
    [['user@127.0.0.1:4120']],
    [['127.0.0.1.evil.example:4120']],
    [['']],
    [['127.0.0.1:04120x']],
  ])('refuses the host %j', (hosts) => {
    expect(() => open().checkSource(facts(bearer, 'GET', hosts), { page: true })).toThrow(
      code('foreign_host'),
    );
  });

  it('refuses reads and writes from another site', () => {
    const gate = open();
    const own = { origin: 'http://127.0.0.1:4120', 'sec-fetch-site': 'same-origin' };
    expect(() => gate.checkSource(facts(own, 'POST'))).not.toThrow();
    expect(() => gate.checkSource(facts({ 'sec-fetch-site': 'none' }))).not.toThrow();
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:3000' },
      { origin: 'http://localhost:4120' },
      { origin: 'https://127.0.0.1:4120' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const refused = () => gate.checkSource(facts({ ...bearer, ...headers }, method));
        expect(refused).toThrow(code('foreign_origin'));
      }
    }
  });

  it('accepts a write without an origin only from a script with a token', () => {
    const gate = open();
    expect(() => gate.checkSource(facts({}, 'POST'))).toThrow(code('foreign_origin'));
    expect(() => gate.checkSource(facts({ cookie: 'loupe_4120=x' }, 'POST'))).toThrow(code('foreign_origin'));
    expect(() => gate.checkSource(facts(bearer, 'POST'))).not.toThrow();
  });

  it('allows links from other sites to a page, but no frames or subresources', () => {
    const gate = open();
    for (const site of ['cross-site', 'same-site']) {
      const link = { 'sec-fetch-site': site, 'sec-fetch-dest': 'document' };
      expect(() => gate.checkSource(facts(link), { page: true })).not.toThrow();
      for (const dest of ['iframe', 'frame', 'object', 'embed', 'image', 'script', 'style', 'empty']) {
        const loaded = facts({ ...link, 'sec-fetch-dest': dest });
        expect(() => gate.checkSource(loaded, { page: true }), dest).toThrow(code('foreign_origin'));
      }
    }
  });

  it('allows other sites no link to the API, and no write to a page', () => {
    const link = { ...bearer, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
    expect(() => open().checkSource(facts(link))).toThrow(code('foreign_origin'));
    expect(() => open().checkSource(facts(link, 'POST'), { page: true })).toThrow(code('foreign_origin'));
  });
});

/** The headers that a browser sends after it signed in with the token. */
async function signIn(gate: Gate, headers: Record<string, string> = {}) {
  const { setCookie = '', key = '' } = (await gate.redeem(token, facts(headers))) ?? {};
  const [cookie = ''] = setCookie.split(';');
  return { cookie, [KEY_HEADER]: key };
}

describe('authentication', () => {
  it('accepts the token and nothing else', async () => {
    const gate = open();
    expect(await gate.checkOperator(facts(bearer))).toBeUndefined();
    for (const authorization of [
      '',
      `Basic ${token}`,
      `Bearer ${token}x`,
      'Bearer ',
      `Bearer ${token.slice(1)}`,
    ]) {
      await expect(gate.checkOperator(facts({ authorization }))).rejects.toThrow(code('unauthorized'));
    }
    await expect(gate.checkOperator(facts())).rejects.toThrow(code('unauthorized'));
  });

  it('signs a browser in with a link that works once, for an hour', async () => {
    let now = 0;
    const gate = open({ now: () => now });
    const ticket = gate.newTicket();
    const { setCookie = '', key = '' } = (await gate.redeem(ticket, facts())) ?? {};
    expect(setCookie).toMatch(
      /^loupe_4120=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    );
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await gate.redeem(ticket, facts())).toBeUndefined();
    const late = gate.newTicket();
    now = 60 * 60_000 + 1;
    expect(await gate.redeem(late, facts())).toBeUndefined();
  });

  it('keeps the last 20 unused links', async () => {
    const gate = open();
    const [oldest = '', ...kept] = Array.from({ length: 21 }, () => gate.newTicket());
    expect(await gate.redeem(oldest, facts())).toBeUndefined();
    expect(await gate.redeem(kept[0] ?? '', facts())).toBeDefined();
    expect(await gate.redeem(kept[19] ?? '', facts())).toBeDefined();
  });

  it('accepts a proof of the token for its own address and port, for an hour, and never counts it as a guess', async () => {
    let now = 0;
    const gate = open({ now: () => now });
    gate.listensOn(4120, '127.0.0.1');
    const clientNonce = 'a'.repeat(43);
    const { nonce: serverNonce, listener } = gate.answerChallenge(clientNonce);
    expect(listener).toBe('127.0.0.1:4120');
    const proofFor = (at: string) =>
      clientBearer(proofKey(token), { clientNonce, serverNonce, listener: at });
    const ask = (proof: string) => gate.checkOperator(facts({ authorization: `Bearer ${proof}` }));
    expect(await ask(proofFor(listener))).toBeUndefined();
    await expect(ask(proofFor('127.0.0.1:4121'))).rejects.toThrow(code('unauthorized'));
    now = 60 * 60_000;
    expect(await ask(proofFor(listener))).toBeUndefined();
    now += 1;
    for (let n = 0; n < 11; n++) await expect(ask(proofFor(listener))).rejects.toThrow(code('unauthorized'));
  });

  it('accepts a browser with both of its secrets, but not with one', async () => {
    const gate = open();
    const own = await signIn(gate);
    const other = await signIn(gate);
    expect(await gate.checkOperator(facts({ ...own, cookie: `other=1; ${own.cookie}` }))).toMatch(/^\w{16}$/);
    const refused: Record<string, string>[] = [
      { cookie: own.cookie },
      { cookie: own.cookie, [KEY_HEADER]: '' },
      { cookie: own.cookie, [KEY_HEADER]: other[KEY_HEADER] ?? '' },
      { cookie: own.cookie, [KEY_HEADER]: own.cookie.replace(/.*=/, '') },
      { ...own, cookie: `${own.cookie}x` },
      { ...own, cookie: 'loupe_4120=old' },
    ];
    for (const headers of refused) {
      await expect(gate.checkOperator(facts(headers))).rejects.toThrow(code('sign_in_again'));
    }
    const unknown = [
      { [KEY_HEADER]: own[KEY_HEADER] ?? '' },
      { ...own, cookie: own.cookie.replace('4120', '4121') },
    ];
    for (const headers of unknown) {
      await expect(gate.checkOperator(facts(headers))).rejects.toThrow(code('unauthorized'));
    }
  });

  it('accepts a download ticket instead of the key, for its path and only with the cookie', async () => {
    const gate = open();
    const { cookie } = await signIn(gate);
    const id = (await gate.signIns.list(undefined))[0]?.id ?? '';
    const path = gate.downloads.issue(id, '/api/runs/a/export?format=run');
    const ask = (headers: Record<string, string>, at = path, method = 'GET') =>
      gate.checkOperator(facts(headers, method, undefined, at));
    expect(await ask({ cookie })).toBe(id);
    await expect(ask({ cookie }, path, 'POST')).rejects.toThrow(code('sign_in_again'));
    await expect(ask({ cookie }, path.replace('/a/', '/b/'))).rejects.toThrow(code('sign_in_again'));
    await expect(ask({})).rejects.toThrow(code('unauthorized'));
    const other = await signIn(gate);
    await expect(ask({ cookie: other.cookie })).rejects.toThrow(code('sign_in_again'));
  });

  it('a sign-in survives a restart, but not a change of the token', async () => {
    const store = testStore();
    const own = await signIn(open({ store }));
    expect(await open({ store }).checkOperator(facts(own))).toBeDefined();
    const other = open({ store, token: `${token}-new` });
    await expect(other.checkOperator(facts(own))).rejects.toThrow(code('sign_in_again'));
    expect(JSON.stringify([own, ...store.records.values()])).not.toContain(token);
  });

  it('ends a browser’s earlier sign-in when it signs in again', async () => {
    const gate = open();
    const first = await signIn(gate, { 'user-agent': 'Firefox/120.0 (X11; Linux)' });
    const second = await signIn(gate, { cookie: first.cookie });
    await expect(gate.checkOperator(facts(first))).rejects.toThrow(code('sign_in_again'));
    expect(await gate.checkOperator(facts(second))).toBeDefined();
    expect(await gate.signIns.list(undefined)).toHaveLength(1);
  });

  it('rate-limits wrong tokens after ten within a minute, and always accepts the right one', async () => {
    let now = 0;
    const gate = open({ now: () => now });
    const ticket = gate.newTicket();
    const wrong = (n: number) => gate.checkOperator(facts({ authorization: `Bearer wrong${n}` }));
    for (let n = 0; n < 10; n++) await expect(wrong(n)).rejects.toThrow(code('unauthorized'));
    await expect(wrong(10)).rejects.toThrow(code('too_many_tries'));
    await expect(gate.redeem('wrong ticket', facts())).rejects.toThrow(code('too_many_tries'));
    expect(await gate.checkOperator(facts(bearer))).toBeUndefined();
    expect(await gate.redeem(ticket, facts())).toBeDefined();
    expect(await gate.redeem(token, facts())).toBeDefined();
    now = 60_001;
    await expect(wrong(11)).rejects.toThrow(code('unauthorized'));
  });

  it('does not count old cookies as failed attempts', async () => {
    const gate = open();
    for (let n = 0; n < 50; n++) {
      const old = gate.checkOperator(facts({ cookie: 'loupe_4120=old' }));
      await expect(old).rejects.toThrow(code('sign_in_again'));
    }
    expect(await gate.checkOperator(facts(bearer))).toBeUndefined();
  });
});

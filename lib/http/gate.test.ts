import { describe, expect, it } from 'vitest';
import { Gate, type RequestFacts } from './gate.ts';

const token = 'operator-token-0123456789abcdef';

function open(options: { port?: number | undefined; now?: () => number; hostnames?: string[] } = {}): Gate {
  return new Gate({ token, hostnames: [], port: 4120, ...options });
}

function facts(
  headers: Record<string, string> = {},
  method = 'GET',
  hosts = ['127.0.0.1:4120'],
): RequestFacts {
  return { method, hosts, header: (name) => headers[name] };
}

const code = (expected: string) => expect.objectContaining({ code: expected });
const bearer = { authorization: `Bearer ${token}` };

describe('D17: where a request comes from', () => {
  it.each([[['127.0.0.1:4120']], [['localhost:4120']], [['LOCALHOST:4120']], [['[::1]:4120']]])(
    'knows itself as %s',
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

  it('refuses changes and reads that another page sends', () => {
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

  it('takes a change without origin only from a script with a token', () => {
    const gate = open();
    expect(() => gate.checkSource(facts({}, 'POST'))).toThrow(code('foreign_origin'));
    expect(() => gate.checkSource(facts({ cookie: 'loupe_4120=x' }, 'POST'))).toThrow(code('foreign_origin'));
    expect(() => gate.checkSource(facts(bearer, 'POST'))).not.toThrow();
  });

  it('lets links lead to a page from elsewhere, but not into a frame, nor into anything else of a foreign page', () => {
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
});

describe('who is the operator', () => {
  it('knows the token and refuses everything else', () => {
    const gate = open();
    expect(() => gate.checkOperator(facts(bearer))).not.toThrow();
    for (const authorization of [
      '',
      `Basic ${token}`,
      `Bearer ${token}x`,
      'Bearer ',
      `Bearer ${token.slice(1)}`,
    ]) {
      expect(() => gate.checkOperator(facts({ authorization }))).toThrow(code('unauthorized'));
    }
    expect(() => gate.checkOperator(facts())).toThrow(code('unauthorized'));
  });

  it('gives a cookie for a link that works once, for an hour', () => {
    let now = 0;
    const gate = open({ now: () => now });
    const ticket = gate.newTicket();
    const cookie = gate.redeem(ticket);
    expect(cookie).toMatch(/^loupe_4120=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(gate.redeem(ticket)).toBeUndefined();
    const late = gate.newTicket();
    now = 60 * 60_000 + 1;
    expect(gate.redeem(late)).toBeUndefined();
    const [pair = ''] = cookie?.split(';') ?? [];
    expect(() => gate.checkOperator(facts({ cookie: `other=1; ${pair}` }))).not.toThrow();
    expect(() => gate.checkOperator(facts({ cookie: pair.replace('4120', '4121') }))).toThrow(
      code('unauthorized'),
    );
    expect(() => gate.checkOperator(facts({ cookie: `${pair}x` }))).toThrow(code('unauthorized'));
  });

  it('keeps the cookie good over a restart, and makes it void with another token', () => {
    const [pair = ''] = open().redeem(token)?.split(';') ?? [];
    expect(() => open().checkOperator(facts({ cookie: pair }))).not.toThrow();
    const other = new Gate({ token: `${token}-new`, hostnames: [], port: 4120 });
    expect(() => other.checkOperator(facts({ cookie: pair }))).toThrow(code('unauthorized'));
    expect(pair).not.toContain(token);
  });

  it('answers nothing but "wait" after ten wrong tokens within a minute', () => {
    let now = 0;
    const gate = open({ now: () => now });
    const ticket = gate.newTicket();
    const [pair = ''] = gate.redeem(token)?.split(';') ?? [];
    for (let n = 0; n < 10; n++) {
      expect(() => gate.checkOperator(facts({ authorization: `Bearer wrong${n}` }))).toThrow(
        code('unauthorized'),
      );
    }
    expect(() => gate.checkOperator(facts(bearer))).toThrow(code('too_many_tries'));
    expect(() => gate.redeem(ticket)).toThrow(code('too_many_tries'));
    expect(() => gate.checkOperator(facts({ cookie: pair }))).not.toThrow();
    now = 60_001;
    expect(() => gate.checkOperator(facts(bearer))).not.toThrow();
    expect(gate.redeem(ticket)).toBeDefined();
  });

  it('does not count old cookies as tries', () => {
    const gate = open();
    for (let n = 0; n < 50; n++) {
      expect(() => gate.checkOperator(facts({ cookie: 'loupe_4120=old' }))).toThrow(code('unauthorized'));
    }
    expect(() => gate.checkOperator(facts(bearer))).not.toThrow();
  });
});

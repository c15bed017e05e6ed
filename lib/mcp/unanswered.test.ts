import { expect, it } from 'vitest';
import { SecretMask } from './secrets.ts';
import { Unanswered } from './unanswered.ts';

const mask = new SecretMask([{ name: 'KEY', value: 'planted-secret' }]);
const request = (id: number) => ({ jsonrpc: '2.0' as const, id, method: 'tools/call' });
const answer = (id: number | string) => ({ jsonrpc: '2.0' as const, id, result: {} });

it('waits for a request until it is answered, cancelled or forgotten', () => {
  const unanswered = new Unanswered();
  for (const id of [1, 2, 3]) unanswered.sent(request(id));
  unanswered.received(answer('1'));
  const params = { requestId: 2 };
  unanswered.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  unanswered.forget(3);
  expect([1, 2, 3].filter((id) => unanswered.waitsFor(id))).toEqual([]);
});

it('does not take its own answers for requests, or requests of the server for answers', () => {
  const unanswered = new Unanswered();
  unanswered.sent(answer(1));
  expect(unanswered.waitsFor(1)).toBe(false);
  unanswered.sent(request(1));
  const before = unanswered.strays;
  unanswered.received({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(unanswered.waitsFor(1)).toBe(true);
  expect(unanswered.since(before, mask)).toBe('');
});

it('says what came since a wait began, without secrets and control characters', () => {
  const unanswered = new Unanswered();
  unanswered.stray('line', 'before');
  const before = unanswered.strays;
  unanswered.stray('line', `key planted-secret\u001b[31m ${'x'.repeat(5000)}`);
  unanswered.stray('event', '');
  for (const id of ['a', 'b']) unanswered.received(answer(id));
  const words = unanswered.since(before, mask);
  expect(words).toMatch(
    /^It sent 1 line that is not a protocol message: "key \[secret KEY\] x{100,200}…"\. /,
  );
  expect(words).toContain('It sent 1 event that is not a protocol message. ');
  expect(words).toContain('It sent 2 answers that no request waits for, the last: "id b".');
});

it('says what is still arriving, until it has ended', () => {
  const unanswered = new Unanswered();
  unanswered.unfinished('line', Buffer.from('{"jsonrpc"'));
  expect(unanswered.since(unanswered.strays, mask)).toBe(
    'It sent a line that does not end with a line break: "{"jsonrpc"".',
  );
  unanswered.finished();
  expect(unanswered.since(unanswered.strays, mask)).toBe('');
});

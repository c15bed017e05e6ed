import { expect, it } from 'vitest';
import { PendingRequests } from './pending-requests.ts';
import { SecretMask } from './secrets.ts';

const mask = new SecretMask([{ name: 'KEY', value: 'planted-secret' }]);
const request = (id: number) => ({ jsonrpc: '2.0' as const, id, method: 'tools/call' });
const answer = (id: number | string) => ({ jsonrpc: '2.0' as const, id, result: {} });

it('waits for a request until it is answered, cancelled or forgotten', () => {
  const pending = new PendingRequests();
  for (const id of [1, 2, 3]) pending.sent(request(id));
  pending.received(answer('1'));
  const params = { requestId: 2 };
  pending.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  pending.forget(3);
  expect([1, 2, 3].filter((id) => pending.waitsFor(id))).toEqual([]);
});

it('does not take its own answers for requests, or requests of the server for answers', () => {
  const pending = new PendingRequests();
  pending.sent(answer(1));
  expect(pending.waitsFor(1)).toBe(false);
  pending.sent(request(1));
  const before = pending.strays;
  pending.received({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(pending.waitsFor(1)).toBe(true);
  expect(pending.since(before, mask)).toBe('');
});

it('says what came since a wait began, without secrets and control characters', () => {
  const pending = new PendingRequests();
  pending.stray('line', 'before');
  const before = pending.strays;
  pending.stray('line', `key planted-secret\u001b[31m ${'x'.repeat(5000)}`);
  pending.stray('event', '');
  for (const id of ['a', 'b']) pending.received(answer(id));
  const words = pending.since(before, mask);
  expect(words).toMatch(
    /^It sent 1 line that is not a protocol message: "key \[secret KEY\] x{100,200}…"\. /,
  );
  expect(words).toContain('It sent 1 event that is not a protocol message. ');
  expect(words).toContain('It sent 2 answers that no request waits for, the last: "id b".');
});

it('says what is still arriving, until it has ended', () => {
  const pending = new PendingRequests();
  pending.unfinished('line', Buffer.from('{"jsonrpc"'));
  expect(pending.since(pending.strays, mask)).toBe(
    'It sent a line that does not end with a line break: "{"jsonrpc"".',
  );
  pending.finished();
  expect(pending.since(pending.strays, mask)).toBe('');
});

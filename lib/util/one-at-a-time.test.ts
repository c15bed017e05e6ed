import { expect, it } from 'vitest';
import { OneAtATime } from './one-at-a-time.ts';

const never = new AbortController().signal;

function line(maxWaiting = 2) {
  const line = new OneAtATime({ maxWaiting, full: () => new Error('full') });
  const done: string[] = [];
  let inside = 0;
  const enter = (name: string, signal = never) => {
    const gate = Promise.withResolvers<void>();
    const ended = line.run(async () => {
      inside += 1;
      expect(inside).toBe(1);
      try {
        await gate.promise;
      } finally {
        inside -= 1;
      }
      done.push(name);
      return name;
    }, signal);
    return { ended, open: gate.resolve, fail: gate.reject };
  };
  return { enter, done };
}

it('runs tasks one after another, in arrival order', async () => {
  const { enter, done } = line();
  const [a, b, c] = [enter('a'), enter('b'), enter('c')];
  c.open();
  b.open();
  a.open();
  expect(await Promise.all([a.ended, b.ended, c.ended])).toEqual(['a', 'b', 'c']);
  expect(done).toEqual(['a', 'b', 'c']);
  const d = enter('d');
  d.open();
  expect(await d.ended).toBe('d');
});

it('rejects tasks beyond the limit, and an aborted task frees its place', async () => {
  const { enter, done } = line();
  const gone = new AbortController();
  const [a, b, c] = [enter('a'), enter('b', gone.signal), enter('c')];
  await expect(enter('d').ended).rejects.toThrow('full');
  gone.abort(new Error('gone'));
  await expect(b.ended).rejects.toThrow('gone');
  const e = enter('e');
  for (const each of [a, c, e]) each.open();
  await Promise.all([a.ended, c.ended, e.ended]);
  expect(done).toEqual(['a', 'c', 'e']);
});

it('continues after a task that failed, and does not start an aborted one', async () => {
  const { enter, done } = line();
  const [a, b] = [enter('a'), enter('b')];
  a.fail(new Error('broken'));
  await expect(a.ended).rejects.toThrow('broken');
  await expect(enter('x', AbortSignal.abort(new Error('gone'))).ended).rejects.toThrow('gone');
  b.open();
  await b.ended;
  expect(done).toEqual(['b']);
});

import { afterEach, expect, it, vi } from 'vitest';
import { LiveDeltas, nothingSeen } from './live-deltas.ts';
import { RemoteDeltas } from './remote-deltas.ts';

const opened: RemoteDeltas[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

/** Two processes that exchange messages, except lost ones: one works on run `r`, the other shows it. */
function twoProcesses(isLost: (message: string) => boolean = () => false) {
  const listeners: ((message: string) => void)[] = [];
  const said: string[] = [];
  const bus = (self: number) => ({
    async broadcast(messages: readonly string[]) {
      said.push(...messages);
      for (const message of messages) if (!isLost(message)) listeners[1 - self]?.(message);
    },
    onBroadcast(listener: (message: string) => void) {
      listeners[self] = listener;
      return () => {};
    },
  });
  const writing = { lastSeq: 7, texts: new LiveDeltas() };
  const followed = new Set<string>();
  const holder = new RemoteDeltas({
    store: bus(0),
    held: (runId) => (runId === 'r' ? writing : undefined),
    followed: new Set(),
    onChange: () => {},
  });
  const other = new RemoteDeltas({
    store: bus(1),
    held: () => undefined,
    followed,
    onChange: () => {},
  });
  opened.push(holder, other);
  const write = (text: string, offset: number) => {
    writing.texts.add({ type: 'text', call: 1, offset, text });
    holder.changed('r');
  };
  const shown = () =>
    other
      .of('r')
      ?.texts.since(nothingSeen())
      .map((delta) => ('text' in delta ? delta.text : ''))
      .join('') ?? '';
  return { said, writing, followed, other, write, shown };
}

it('sends nothing without viewers [D13]', async () => {
  const { said, write } = twoProcesses();
  write('alone', 0);
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(said).toEqual([]);
});

it('sends text from before and after a viewer connects, in messages of limited size [D13]', async () => {
  const { said, followed, other, write, shown } = twoProcesses();
  const text = '\u0000🦊'.repeat(3000);
  write(text, 0);
  followed.add('r');
  other.ask();
  await vi.waitFor(() => expect(shown() === text).toBe(true), { timeout: 10_000 });
  write(' and more', text.length);
  await vi.waitFor(() => expect(shown() === `${text} and more`).toBe(true), { timeout: 10_000 });
  expect(Math.max(...said.map((message) => Buffer.byteLength(message)))).toBeLessThan(7500);
});

it('a lost message leaves no gap: the full text is requested again [D13]', async () => {
  let lose = 0;
  const { followed, other, write, shown } = twoProcesses(
    (message) => message.includes('delta') && lose > 0 && lose-- > 0,
  );
  followed.add('r');
  write('one ', 0);
  other.ask();
  await vi.waitFor(() => expect(shown()).toBe('one '), { timeout: 10_000 });
  lose = 1;
  write('two ', 4);
  await vi.waitFor(() => expect(lose).toBe(0), { timeout: 10_000 });
  expect(shown()).toBe('one ');
  write('three', 8);
  await vi.waitFor(() => expect(shown()).toBe('one two three'), { timeout: 10_000 });
});

it('an event replaces the text in progress, and later text starts fresh [D13]', async () => {
  const { writing, followed, other, write, shown } = twoProcesses();
  followed.add('r');
  write('said', 0);
  other.ask();
  await vi.waitFor(() => expect(shown()).toBe('said'), { timeout: 10_000 });
  other.appended('r', 8);
  expect(other.of('r')).toBeUndefined();
  writing.texts.endCall(1);
  writing.lastSeq = 8;
  write('next', 0);
  await vi.waitFor(() => expect(other.of('r')?.lastSeq).toBe(8), { timeout: 10_000 });
  expect(shown()).toBe('next');
});

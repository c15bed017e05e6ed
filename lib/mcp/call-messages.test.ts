import { expect, it } from 'vitest';
import { CallMessages } from './call-messages.ts';
import {
  MAX_KEPT_MESSAGES,
  MAX_MESSAGE_LINE_CHARS,
  MAX_SHOWN_MESSAGES,
  MESSAGES_PER_SECOND,
} from './limits.ts';
import { SecretMask } from './secrets.ts';

function under(secrets: readonly { name: string; value: string }[] = []) {
  const shown: string[] = [];
  const clock = { now: 0 };
  const messages = new CallMessages(
    new SecretMask(secrets),
    (text) => shown.push(text),
    () => clock.now,
  );
  return { messages, shown, clock };
}

it('shows progress and messages as lines of text', () => {
  const { messages, shown } = under();
  messages.progress({ progress: 1 });
  messages.progress({ progress: 1.234, total: 4, message: 'half\nway' });
  messages.message({ level: 'warning', data: { a: 1 }, logger: 'db' });
  messages.message({ level: 5, data: undefined });
  expect(shown).toEqual([
    'Progress 1\n',
    'Progress 1.23 of 4: half way\n',
    '[warning] db: {"a":1}\n',
    '[message]\n',
  ]);
});

it('keeps the last progress of a row, and the last messages', () => {
  const { messages } = under();
  for (let at = 0; at < 100; at++) messages.progress({ progress: at });
  expect(messages.kept).toEqual({ lines: ['Progress 99'], leftOut: 0 });
  for (let at = 0; at < 100; at++) messages.message({ level: 'info', data: `m${at}` });
  expect(messages.kept.lines).toHaveLength(MAX_KEPT_MESSAGES);
  expect(messages.kept.lines.at(-1)).toBe('[info] m99');
  expect(messages.kept.leftOut).toBe(101 - MAX_KEPT_MESSAGES);
});

it('shows a limited number per second and per call', () => {
  const { messages, shown, clock } = under();
  const burst = () => {
    for (let at = 0; at < 1000; at++) messages.message({ level: 'info', data: 'x' });
  };
  burst();
  expect(shown).toHaveLength(MESSAGES_PER_SECOND);
  clock.now += 500;
  burst();
  expect(shown).toHaveLength(1.5 * MESSAGES_PER_SECOND);
  for (let second = 0; second < 100; second++) {
    clock.now += 1000;
    burst();
  }
  expect(shown).toHaveLength(MAX_SHOWN_MESSAGES);
});

it('masks the secrets of the server', () => {
  const { messages, shown } = under([{ name: 'KEY', value: 'a-secret-value' }]);
  messages.message({ level: 'info', data: 'key a-secret-value' });
  expect(shown[0]).toBe('[info] key [secret KEY]\n');
});

it('masks a secret before it shortens the line', () => {
  const value = 'planted-secret-value';
  const { messages, shown } = under([{ name: 'KEY', value }]);
  messages.message({ level: 'info', data: `${'x'.repeat(MAX_MESSAGE_LINE_CHARS - 20)}${value}` });
  expect(shown.join('')).not.toContain(value.slice(0, 6));
});

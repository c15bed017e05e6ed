import { expect, it } from 'vitest';
import { originWords } from './origin-words.ts';

const then = { digest: 'a'.repeat(64), server_version: '0.17.4' };
const words = (
  template: 'same' | 'changed' | 'unknown',
  current = then,
  recorded: Partial<typeof then> = then,
) => originWords({ call: 1, rendered: '', template, recorded, current }, 'qwen3:8b');

it('says that the prompt is that of the call if model and server are unchanged', () => {
  expect(words('same')).toEqual({
    tone: 'calm',
    text: 'Rendered with the same template as in the run: qwen3:8b is unchanged (aaaaaaaaaaaa).',
  });
});

it('warns when the model was recreated since', () => {
  const { tone, text } = words('changed', { ...then, digest: 'b'.repeat(64) });
  expect(tone).toBe('warn');
  expect(text).toContain(
    'not the one used in the run: qwen3:8b has been recreated since (then aaaaaaaaaaaa, now bbbbbbbbbbbb)',
  );
});

it('warns when another version of Ollama renders it, or nothing is known', () => {
  expect(words('same', { ...then, server_version: '0.18.0' })).toMatchObject({
    tone: 'warn',
    text: expect.stringContaining('The run used Ollama 0.17.4; version 0.18.0'),
  });
  expect(words('unknown', then, {}).tone).toBe('warn');
});

import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../util/json.ts';
import { settingName, settingText } from './setting-words.ts';

describe('settings in words', () => {
  it('have the names of the form; an option of Ollama keeps its own', () => {
    expect(['max_attempts', 'window_tokens', 'mirostat'].map(settingName)).toEqual([
      'Max attempts',
      'Window',
      'mirostat',
    ]);
  });

  it.each([
    ['model', 'qwen3:8b', 'qwen3:8b'],
    ['think', false, 'off'],
    ['call_timeout_ms', 120_000, '2:00'],
    ['window_tokens', 32_768, '32,768'],
    ['seed', 123_456, '123456'],
    ['temperature', 0.7, '0.7'],
    ['seed', undefined, 'not set'],
    ['max_cycles', null, 'not set'],
    ['num_predict', [2048, 4096], '2,048, then 4,096'],
    ['parser_layers', ['native', 'json'], 'native, json'],
    ['checks', [], 'none'],
    ['budget', {}, 'none'],
    ['budget', { max_tokens_total: 40_000, max_seconds: 600 }, 'Token budget: 40,000\nTime budget: 10:00'],
  ])('%s of %j', (name, value, words) => {
    expect(settingText(name, value)).toBe(words);
  });

  it('give each check a line [V11]', () => {
    const checks: JsonValue[] = [
      { type: 'file_exists', path: 'summary.md' },
      { type: 'file_contains', path: 'summary.md', text: 'Margin' },
      { type: 'command', command: 'npm test' },
    ];
    expect(settingText('checks', checks).split('\n')).toEqual([
      'summary.md exists',
      'summary.md contains "Margin"',
      'npm test',
    ]);
  });

  it('name the rules of approval by their tools', () => {
    expect(settingText('approval', { default: 'auto', tools: { run_command: 'ask' } })).toBe(
      'Every call: auto\nrun_command: ask',
    );
  });
});

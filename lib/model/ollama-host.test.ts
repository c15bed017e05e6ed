import { describe, expect, it } from 'vitest';
import { AppError } from '../errors/app-error.ts';
import { isLoopbackAddress, parseOllamaHost } from './ollama-host.ts';

const codeOf = (value: string, options?: { allowRemote?: boolean }): string => {
  try {
    return parseOllamaHost(value, options).url;
  } catch (error) {
    if (!(error instanceof AppError) || !error.hint) throw error;
    return error.code;
  }
};

describe('OLLAMA_HOST is read as Ollama reads it [T7]', () => {
  it.each([
    [undefined, 'http://127.0.0.1:11434'],
    ['', 'http://127.0.0.1:11434'],
    ['  "127.0.0.1:11500" ', 'http://127.0.0.1:11500'],
    ['127.0.0.1', 'http://127.0.0.1:11434'],
    ['localhost', 'http://localhost:11434'],
    ['LOCALHOST:11500', 'http://localhost:11500'],
    [':11500', 'http://127.0.0.1:11500'],
    ['http://127.0.0.1', 'http://127.0.0.1:80'],
    ['https://localhost', 'https://localhost:443'],
    ['HTTP://127.0.0.1:11434/', 'http://127.0.0.1:11434'],
    ['http://127.0.0.1:11434///', 'http://127.0.0.1:11434'],
    ['http://127.0.0.1:8080/ollama/', 'http://127.0.0.1:8080/ollama'],
    ['http://127.0.0.1:8080/api/ollama', 'http://127.0.0.1:8080/api/ollama'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:11500', 'http://127.0.0.1:11500'],
    ['::1', 'http://[::1]:11434'],
    ['[::1]', 'http://[::1]:11434'],
    ['[::1]:11500', 'http://[::1]:11500'],
    ['::', 'http://[::1]:11434'],
    ['[::]:11500', 'http://[::1]:11500'],
  ])('%j is %s', (value, url) => {
    expect(parseOllamaHost(value)).toMatchObject({ url, loopback: true });
  });

  it.each([
    ['http://127.0.0.1:11434/v1', 'ollama_host_v1'],
    ['localhost:11434/V1/chat/completions', 'ollama_host_v1'],
    ['http://127.0.0.1:11434/api', 'ollama_host_invalid'],
    ['http://127.0.0.1:11434/api/tags', 'ollama_host_invalid'],
    ['http://127.0.0.1:8080/ollama/api/', 'ollama_host_invalid'],
    ['http://127.0.0.1:8080/ollama/v1', 'ollama_host_v1'],
    ['ftp://127.0.0.1', 'ollama_host_invalid'],
    ['127.0.0.1:0', 'ollama_host_invalid'],
    ['127.0.0.1:65536', 'ollama_host_invalid'],
    ['127.0.0.1:port', 'ollama_host_invalid'],
    ['127.0.0.1:', 'ollama_host_invalid'],
    ['a b', 'ollama_host_invalid'],
    ['[::1', 'ollama_host_invalid'],
    ['[nonsense]:11434', 'ollama_host_invalid'],
    ['http://user:secret@127.0.0.1:11434', 'ollama_host_invalid'],
    ['http://127.0.0.1:11434?x=1', 'ollama_host_invalid'],
    ['localhost\\@evil.example', 'ollama_host_invalid'],
    ['192.168.1.5', 'ollama_host_remote'],
    ['http://169.254.169.254/latest', 'ollama_host_remote'],
    ['ollama.com', 'ollama_host_remote'],
    ['127.0.0.1.evil.example', 'ollama_host_remote'],
    ['2130706433', 'ollama_host_remote'],
    ['[2001:db8::1]:11434', 'ollama_host_remote'],
  ])('rejects %j: %s', (value, code) => {
    expect(codeOf(value)).toBe(code);
  });

  it('never repeats a password', () => {
    expect(() => parseOllamaHost('http://user:secret@127.0.0.1')).toThrow(
      expect.not.stringContaining('secret'),
    );
  });

  it('accepts a remote host if allowed', () => {
    expect(parseOllamaHost('http://gpu.lan:11434', { allowRemote: true })).toEqual({
      url: 'http://gpu.lan:11434',
      hostname: 'gpu.lan',
      port: 11_434,
      loopback: false,
    });
    expect(codeOf('http://gpu.lan:11434/v1', { allowRemote: true })).toBe('ollama_host_v1');
  });
});

it.each([
  ['127.0.0.1', true],
  ['127.255.255.254', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::ffff:10.0.0.1', false],
  ['10.0.0.1', false],
  ['localhost', false],
])('isLoopbackAddress(%s) is %s', (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});

import { afterEach, expect, it, vi } from 'vitest';
import type { FunctionCase } from '../function-calling/function-case.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { scriptedModel } from '../testing/simulate-run.ts';
import { runCase } from './run-case.ts';

vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => {
    clock += ms;
  },
}));

let clock = 0;

afterEach(() => {
  vi.restoreAllMocks();
});

const one: FunctionCase = {
  id: 'irrelevance_0',
  category: 'irrelevance',
  messages: [{ role: 'user', content: 'How are you?' }],
  functions: [],
  answers: [],
};

const settings = { model: 'alpha', options: { num_ctx: 8192, num_predict: 1024 }, think: false };

/** Puts the case to a model whose requests fail or are answered after these milliseconds. */
function resultOf(...requests: readonly { afterMs: number; fails?: true }[]) {
  clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  const [...left] = requests;
  const chat: ChatModel['chat'] = async () => {
    const { afterMs, fails } = left.shift() ?? { afterMs: 0 };
    clock += afterMs;
    if (fails) throw new ModelError({ kind: 'http', message: 'Ollama is busy.', transient: true });
    return { message: { role: 'assistant', content: 'Fine.' }, timings: {} };
  };
  return runCase(one, { chat: scriptedModel(chat), settings, signal: new AbortController().signal });
}

it('times the request that was answered, without a failed one before it and the pause between them', async () => {
  const { result } = await resultOf({ afterMs: 90_000, fails: true }, { afterMs: 1200 });
  expect(result).toMatchObject({ native: { right: true }, read: { right: true }, duration_ms: 1200 });
});

it('times the last request if none was answered', async () => {
  const { result } = await resultOf({ afterMs: 70, fails: true }, { afterMs: 50, fails: true });
  expect(result).toMatchObject({ error: { message: 'Ollama is busy.' }, duration_ms: 50 });
  expect(result.read).toBeUndefined();
});

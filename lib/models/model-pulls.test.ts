import { expect, it } from 'vitest';
import { ModelError } from '../model/model-error.ts';
import { ModelPulls, type PullModel } from './model-pulls.ts';

/** A pull that the test advances and ends. */
function scripted() {
  const ends = new Map<string, (error?: Error) => void>();
  const tell = new Map<string, Parameters<PullModel>[1]['onProgress']>();
  const pull: PullModel = (model, { signal, onProgress }) =>
    new Promise((resolve, reject) => {
      tell.set(model, onProgress);
      ends.set(model, (error) => (error ? reject(error) : resolve()));
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
  return { pulls: new ModelPulls(pull, () => 5), ends, tell };
}

it('adds up the parts of a model, and completes when Ollama does', async () => {
  const { pulls, ends, tell } = scripted();
  expect(pulls.start('qwen3:8b')).toMatchObject({ model: 'qwen3:8b', status: 'pulling' });
  tell.get('qwen3:8b')?.({ step: 'pulling a', part: 'a', completedBytes: 50, totalBytes: 100 });
  tell.get('qwen3:8b')?.({ step: 'pulling b', part: 'b', completedBytes: 1, totalBytes: 10 });
  tell.get('qwen3:8b')?.({ step: 'verifying sha256 digest' });
  expect(pulls.list()).toEqual([
    {
      model: 'qwen3:8b',
      status: 'pulling',
      step: 'verifying sha256 digest',
      completed_bytes: 51,
      total_bytes: 110,
      started_at: 5,
    },
  ]);
  ends.get('qwen3:8b')?.();
  await expect.poll(() => pulls.list()[0]).toMatchObject({ status: 'done', ended_at: 5 });
});

it('starts a pull once, cancels it, and starts it again', async () => {
  const { pulls } = scripted();
  pulls.start('a');
  pulls.start('a');
  pulls.start('a:latest');
  expect(pulls.list()).toHaveLength(1);
  expect(await pulls.cancel('a')).toMatchObject({ status: 'cancelled' });
  expect(pulls.start('a')).toMatchObject({ status: 'pulling' });
  expect(pulls.list()).toHaveLength(1);
  await pulls.close();
  expect(pulls.list()).toMatchObject([{ status: 'cancelled' }]);
});

it('lists a pull until it has ended, however many others ended since', async () => {
  const { pulls, ends } = scripted();
  pulls.start('large');
  for (let index = 0; index < 30; index += 1) {
    pulls.start(`small-${index}`);
    ends.get(`small-${index}`)?.();
    await expect.poll(() => pulls.list()[0]?.status).toBe('done');
  }
  // The last one was still under way when the others were counted.
  expect(pulls.list()).toHaveLength(1 + 20 + 1);
  expect(await pulls.cancel('large')).toMatchObject({ status: 'cancelled' });
});

it('keeps the error with its hint', async () => {
  const { pulls, ends } = scripted();
  pulls.start('a');
  ends.get('a')?.(
    new ModelError({ kind: 'http', code: 'model_unknown', message: 'No such model.', hint: 'Look.' }),
  );
  await expect
    .poll(() => pulls.list()[0])
    .toMatchObject({ status: 'failed', error: { code: 'model_unknown', hint: 'Look.' } });
});

it.each([
  '',
  'http://evil.example/x',
  'evil.example/a/b',
  '../x',
  'a b',
  '-a',
  'a:b:c',
  `${'a'.repeat(300)}`,
])("pulls only from Ollama's library: rejects %j", (name) => {
  const { pulls } = scripted();
  expect(() => pulls.start(name)).toThrow(/cannot be pulled/);
  expect(pulls.list()).toEqual([]);
});

it.each(['qwen3', 'qwen3:8b', 'gpt-oss:20b', 'someone/model:q4_K_M', 'llama3.2'])('accepts %s', (name) => {
  const { pulls } = scripted();
  expect(pulls.start(name)).toMatchObject({ model: name });
});

it('runs at most four pulls at once', async () => {
  const { pulls } = scripted();
  for (const name of ['a', 'b', 'c', 'd']) pulls.start(name);
  expect(() => pulls.start('e')).toThrow(/already being pulled/);
  await pulls.close();
});

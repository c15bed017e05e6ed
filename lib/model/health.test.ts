import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import { checkOllamaReady, createOllamaHealth } from './health.ts';
import { ModelNotAvailableError, OllamaUnavailableError } from './model-error.ts';
import { parseOllamaHost } from './ollama-host.ts';

const open: FakeOllama[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});

async function start(options: FakeOllamaOptions = {}) {
  const fake = await startFakeOllama(options);
  open.push(fake);
  return {
    fake,
    host: parseOllamaHost(fake.url),
    health: createOllamaHealth({ host: parseOllamaHost(fake.url) }),
  };
}
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('expected a failure');
    },
    (error: unknown) => error,
  );

describe('S1: the server', () => {
  it('is asked first, then the model', async () => {
    const { fake, health } = await start({
      models: [{ name: 'qwen3:8b', context_length: 40_960, family: 'qwen3' }],
      version: '0.17.4',
    });
    const ready = await health.checkOllamaReady({ model: 'qwen3:8b' });
    expect(ready).toMatchObject({ version: '0.17.4', model: { maxContextTokens: 40_960, family: 'qwen3' } });
    expect(fake.requests.map(({ path }) => path)).toEqual(['/', '/api/version', '/api/show']);
    expect(fake.requests.at(-1)?.body).toEqual({ model: 'qwen3:8b' });
  });

  it('a closed port says so and asks the right question', async () => {
    const { fake, host } = await start();
    await fake.close();
    const error = await failure(checkOllamaReady({ host }));
    expect(error).toBeInstanceOf(OllamaUnavailableError);
    expect(error).toMatchObject({ kind: 'unreachable', code: 'ollama_unreachable', transient: true });
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/^Cannot connect to Ollama at .*Is Ollama running\?$/),
    );
    expect(error).toHaveProperty('hint', expect.stringContaining('ollama serve'));
  });

  it('a server that never answers is given up after 5 s', { timeout: 8_000 }, async () => {
    const { fake, host } = await start({ faults: { '/': { kind: 'hang' } } });
    const startedAt = performance.now();
    const error = await failure(checkOllamaReady({ host }));
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
    expect(error).toBeInstanceOf(OllamaUnavailableError);
    expect(error).toHaveProperty('message', expect.stringContaining('no answer within 5 s'));
    await expect.poll(() => fake.openSockets).toBe(0);
  });

  it.each([
    [
      'another program',
      { '/': { kind: 'html' }, '/api/version': { kind: 'html' } },
      'something else answers',
    ],
    ['an error', { '/': { kind: 'http', status: 502, body: 'bad gateway' } }, 'HTTP 502'],
    ['a closing socket', { '/': { kind: 'reset' } }, 'cut off'],
  ] as const)('%s on the port is no Ollama', async (_, faults, detail) => {
    const { host } = await start({ faults: { ...faults } });
    const error = await failure(checkOllamaReady({ host }));
    expect(error).toBeInstanceOf(OllamaUnavailableError);
    expect(error).toHaveProperty('message', expect.stringContaining(detail));
  });

  it('a server that keeps its version to itself is still an Ollama', async () => {
    const { host } = await start({
      faults: { '/api/version': { kind: 'http', status: 404, body: '404 page not found' } },
    });
    expect(await checkOllamaReady({ host })).toEqual({ version: undefined, model: undefined });
  });

  it('a port that does not speak HTTP is no Ollama', async () => {
    const server = createServer();
    server.on('connection', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const error = await failure(checkOllamaReady({ host: parseOllamaHost(`127.0.0.1:${port}`) }));
    server.close();
    expect(error).toBeInstanceOf(OllamaUnavailableError);
  });

  it('a stop is a stop, not an outage', async () => {
    const { host } = await start({ faults: { '/': { kind: 'hang' } } });
    const controller = new AbortController();
    const pending = failure(checkOllamaReady({ host, signal: controller.signal }));
    setTimeout(() => controller.abort(), 30);
    expect(await pending).toMatchObject({ kind: 'aborted' });
  });
});

describe('S2: the model', () => {
  it('404: how to get it', async () => {
    const { host } = await start();
    const error = await failure(checkOllamaReady({ host, model: 'qwen3:8b' }));
    expect(error).toBeInstanceOf(ModelNotAvailableError);
    expect(error).toMatchObject({
      code: 'model_missing',
      message: 'Model "qwen3:8b" is missing. Run: ollama pull qwen3:8b',
      status: 404,
      transient: false,
    });
  });

  it('K-34: another status is named, and the way to get the model stays', async () => {
    const { host } = await start({
      faults: { '/api/show': { kind: 'http', status: 500, body: { error: 'bad blob' } } },
    });
    const error = await failure(checkOllamaReady({ host, model: 'qwen3:8b' }));
    expect(error).toBeInstanceOf(ModelNotAvailableError);
    expect(error).toMatchObject({ code: 'model_check_failed', kind: 'http', status: 500 });
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/HTTP 500.*bad blob.*ollama pull qwen3:8b/),
    );
  });

  it('takes strange details as unknown', async () => {
    const body = { capabilities: 'tools', model_info: { 'x.context_length': -1 }, details: null };
    const { host } = await start({ faults: { '/api/show': { kind: 'http', status: 200, body } } });
    expect((await checkOllamaReady({ host, model: 'm' })).model).toEqual({ name: 'm' });
  });
});

describe('the list of models', () => {
  it('has capabilities, asked once for each digest', async () => {
    const { fake, health } = await start({
      models: [
        { name: 'plain', capabilities: ['completion'] },
        { name: 'tools:8b', parameter_size: '8B', quantization: 'Q4_K_M' },
      ],
    });
    const first = await health.listModels();
    expect(first).toMatchObject([
      { name: 'plain:latest', capabilities: ['completion'], maxContextTokens: 32_768 },
      {
        name: 'tools:8b',
        capabilities: ['completion', 'tools', 'thinking'],
        parameterSize: '8B',
        quantization: 'Q4_K_M',
      },
    ]);
    fake.add({ name: 'new', steps: [{ reply: { content: 'Hi.' } }] });
    expect(await health.listModels()).toHaveLength(3);
    const shown = fake.requests.filter(({ path }) => path === '/api/show').map(({ body }) => body);
    expect(shown).toEqual([{ model: 'plain:latest' }, { model: 'tools:8b' }, { model: 'new:latest' }]);
  });

  it('one broken model does not hide the others', async () => {
    const { health } = await start({
      models: [{ name: 'a' }, { name: 'b' }],
      faults: { '/api/show': { kind: 'http', status: 500, body: { error: 'bad blob' } } },
    });
    expect((await health.listModels()).map(({ name, capabilities }) => [name, capabilities])).toEqual([
      ['a:latest', undefined],
      ['b:latest', undefined],
    ]);
  });

  it('is empty when nothing is installed', async () => {
    const { health } = await start({
      faults: { '/api/tags': { kind: 'http', status: 200, body: { models: null } } },
    });
    expect(await health.listModels()).toEqual([]);
  });

  it('a list of another shape is a `bad_response`', async () => {
    const { health } = await start({
      faults: { '/api/tags': { kind: 'http', status: 200, body: { models: [{ size: 1 }] } } },
    });
    expect(await failure(health.listModels())).toMatchObject({ kind: 'bad_response' });
  });
});

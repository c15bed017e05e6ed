import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../testing/test-certificates.ts';
import { createOllamaHealth } from './health.ts';
import { ModelNotAvailableError, OllamaUnavailableError } from './model-error.ts';
import { type OllamaHost, parseOllamaHost } from './ollama-host.ts';

const checkOllamaReady = ({ host, ...options }: { host: OllamaHost; model?: string; signal?: AbortSignal }) =>
  createOllamaHealth({ host }).checkOllamaReady(options);

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

/** The failure of a check that gets no answer at a path for so long. The clock is moved by hand, once the request is there. */
async function silence(path: string, ms: number): Promise<unknown> {
  const { fake, health } = await start({
    models: [{ name: 'qwen3:8b' }],
    faults: { [path]: { kind: 'hang' } },
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const pending = failure(health.checkOllamaReady({ model: 'qwen3:8b' }));
    while (!fake.requests.some((request) => request.path === path)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.advanceTimersByTimeAsync(ms);
    return await pending;
  } finally {
    vi.useRealTimers();
  }
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('expected a failure');
    },
    (error: unknown) => error,
  );

describe('the server [S1]', () => {
  it('is checked before the model', async () => {
    const { fake, health } = await start({
      models: [{ name: 'qwen3:8b', context_length: 40_960, family: 'qwen3' }],
      version: '0.17.4',
    });
    const ready = await health.checkOllamaReady({ model: 'qwen3:8b' });
    expect(ready).toMatchObject({ version: '0.17.4', model: { maxContextTokens: 40_960, family: 'qwen3' } });
    expect(fake.requests.map(({ path }) => path)).toEqual(['/', '/api/version', '/api/show']);
    expect(fake.requests.at(-1)?.body).toEqual({ model: 'qwen3:8b' });
  });

  it('reports a closed port and asks whether Ollama is running', async () => {
    const { fake, host } = await start();
    await fake.close();
    const error = await failure(checkOllamaReady({ host }));
    expect(error).toBeInstanceOf(OllamaUnavailableError);
    expect(error).toMatchObject({ kind: 'unreachable', code: 'ollama_unreachable', transient: true });
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/^Cannot connect to Ollama at \S+ \(ECONNREFUSED\)\. Is Ollama running\?$/),
    );
    expect(error).toHaveProperty('hint', expect.stringContaining('ollama serve'));
  });

  it.each([
    [
      'another program',
      { '/': { kind: 'html' }, '/api/version': { kind: 'html' } },
      'something else answers',
    ],
    ['an error', { '/': { kind: 'http', status: 502, body: 'bad gateway' } }, 'HTTP 502'],
    ['a closing socket', { '/': { kind: 'reset' } }, 'cut off'],
  ] as const)('%s on the port is not Ollama', async (_, faults, detail) => {
    const { host } = await start({ faults: { ...faults } });
    const error = await failure(checkOllamaReady({ host }));
    expect(error).toBeInstanceOf(OllamaUnavailableError);
    expect(error).toHaveProperty('message', expect.stringContaining(detail));
  });

  it('says that a certificate cannot be verified, and how to trust it', async () => {
    const server = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (_, response) =>
      response.end(),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const host = parseOllamaHost(`https://127.0.0.1:${port}`);
    const health = createOllamaHealth({ host });
    const certificate = {
      message: expect.stringContaining('(its TLS certificate is self-signed)'),
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      transient: false,
    };
    expect(await failure(health.listModels())).toMatchObject(certificate);
    const error = await failure(health.checkOllamaReady());
    expect(error).toBeInstanceOf(OllamaUnavailableError);
    expect(error).toMatchObject(certificate);
    server.close();
  });

  it('shortens the version of a server, and shows what is invisible in it', async () => {
    const { host } = await start({ version: `0.17.4\u001b[31m\u202e${'x'.repeat(100_000)}` });
    const { version } = await checkOllamaReady({ host });
    expect(version).toMatch(/^0\.17\.4�\[31m�x{47}…$/);
  });

  it('accepts a server that does not report its version', async () => {
    const { host } = await start({
      faults: { '/api/version': { kind: 'http', status: 404, body: '404 page not found' } },
    });
    expect(await checkOllamaReady({ host })).toEqual({ version: undefined, model: undefined });
  });

  it('a port that does not speak HTTP is not Ollama', async () => {
    const server = createServer();
    server.on('connection', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const error = await failure(checkOllamaReady({ host: parseOllamaHost(`127.0.0.1:${port}`) }));
    server.close();
    expect(error).toBeInstanceOf(OllamaUnavailableError);
  });

  it('has 5 seconds to answer', async () => {
    expect(await silence('/', 5000)).toMatchObject({
      code: 'ollama_not_responding',
      message: expect.stringContaining('no answer within 5 s'),
    });
  });

  it('a stop is a stop, not an outage', async () => {
    const { host } = await start({ faults: { '/': { kind: 'hang' } } });
    const controller = new AbortController();
    const pending = failure(checkOllamaReady({ host, signal: controller.signal }));
    setTimeout(() => controller.abort(), 30);
    expect(await pending).toMatchObject({ kind: 'aborted' });
  });
});

describe('the model [S2]', () => {
  it('has 10 seconds to answer', async () => {
    expect(await silence('/api/show', 10_000)).toMatchObject({
      code: 'model_check_failed',
      message: expect.stringContaining('no answer within 10 s'),
    });
  });

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

  it('names another status, and still says how to get the model [K-34]', async () => {
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

  it('treats invalid details as unknown', async () => {
    const body = { capabilities: 'tools', model_info: { 'x.context_length': -1 }, details: null };
    const { host } = await start({ faults: { '/api/show': { kind: 'http', status: 200, body } } });
    expect((await checkOllamaReady({ host, model: 'm' })).model).toEqual({ name: 'm' });
  });
});

describe('the list of models', () => {
  it('includes capabilities, requested once per digest', async () => {
    const { fake, health } = await start({
      models: [
        { name: 'plain', capabilities: ['completion'] },
        { name: 'tools:8b', parameter_size: '8B', quantization: 'Q4_K_M' },
      ],
    });
    const { models: first } = await health.listModels();
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
    expect((await health.listModels()).models).toHaveLength(3);
    const shown = fake.requests.filter(({ path }) => path === '/api/show').map(({ body }) => body);
    expect(shown).toEqual([{ model: 'plain:latest' }, { model: 'tools:8b' }, { model: 'new:latest' }]);
  });

  it('does not mix up models of a server that gives all of them an empty digest', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const names = ['writer:latest', 'embedder:latest'];
    const body = { models: names.map((name) => ({ name, digest })) };
    const { health } = await start({
      models: [
        { name: 'writer', capabilities: ['completion'] },
        { name: 'embedder', capabilities: ['embedding'] },
      ],
      faults: { '/api/tags': { kind: 'http', status: 200, body } },
    });
    await health.listModels();
    expect((await health.listModels()).models).toMatchObject([
      { name: 'writer:latest', capabilities: ['completion'] },
      { name: 'embedder:latest', capabilities: ['embedding'] },
    ]);
  });

  it('one broken model does not hide the others', async () => {
    const { health } = await start({
      models: [{ name: 'a' }, { name: 'b' }],
      faults: { '/api/show': { kind: 'http', status: 500, body: { error: 'bad blob' } } },
    });
    expect((await health.listModels()).models.map(({ name, capabilities }) => [name, capabilities])).toEqual([
      ['a:latest', undefined],
      ['b:latest', undefined],
    ]);
  });

  it('is empty when nothing is installed', async () => {
    const { health } = await start({
      faults: { '/api/tags': { kind: 'http', status: 200, body: { models: null } } },
    });
    expect(await health.listModels()).toEqual({ models: [], notListed: 0, notAsked: 0 });
  });

  it('a malformed list is a `bad_response`', async () => {
    const { health } = await start({
      faults: { '/api/tags': { kind: 'http', status: 200, body: { models: [{ size: 1 }] } } },
    });
    expect(await failure(health.listModels())).toMatchObject({ kind: 'bad_response' });
  });

  it('is bounded in number and time, and reports what is missing', async () => {
    const models = Array.from({ length: 2000 }, (_, index) => ({
      name: `m${index}:latest`,
      digest: `d${index}`,
    }));
    const names = [{ name: 'x'.repeat(1000) }, ...models];
    const server = createServer((request, response) => {
      if (request.url === '/api/tags') response.end(JSON.stringify({ models: names }));
      else setTimeout(() => response.end('{"capabilities":["tools"]}'), 20);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    try {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const health = createOllamaHealth({
        host: parseOllamaHost(`http://127.0.0.1:${port}`),
        detailsWithinMs: 200,
      });
      const first = await health.listModels();
      expect(first.models).toHaveLength(500);
      expect(first.notListed).toBe(1501);
      expect(first.notAsked).toBeGreaterThan(0);
      const withDetails = first.models.filter(({ capabilities }) => capabilities !== undefined).length;
      expect(withDetails + first.notAsked).toBe(500);
      // The next request continues where the time was up.
      expect((await health.listModels()).notAsked).toBeLessThan(first.notAsked);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('omits the details of a model with a huge response', async () => {
    const { health } = await start({
      models: [{ name: 'a' }],
      faults: { '/api/show': { kind: 'http', status: 200, body: { license: 'x'.repeat(3_000_000) } } },
    });
    const { models } = await health.listModels();
    expect(models).toMatchObject([{ name: 'a:latest' }]);
    expect(models[0]?.capabilities).toBeUndefined();
  });
});

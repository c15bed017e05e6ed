import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeOllama, type FakeOllamaOptions, startFakeOllama } from '../demo/fake-ollama.ts';
import { modelErrorOf } from '../testing/model-error-of.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import { createOllamaHealth } from './health.ts';
import { nearestModel } from './nearest-model.ts';
import { parseOllamaHost } from './ollama-host.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function start(options: FakeOllamaOptions = {}): Promise<FakeOllama> {
  const fake = await startFakeOllama({ scenarios: [{ name: 'play', steps: [{ reply: {} }] }], ...options });
  open.push(fake);
  return fake;
}

const modelAt = (fake: FakeOllama) => createOllamaChatModel({ host: parseOllamaHost(fake.url) });
describe('another program on the port', () => {
  const listOf = (owner: string) =>
    JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model', owned_by: owner }] });

  type Answers = Record<string, { status?: number; headers?: Record<string, string>; body: string }>;

  async function serve(answers: Answers, otherwise: Answers[string]): Promise<string> {
    const server: Server = createServer((req, res) => {
      const { status = 200, headers = {}, body } = answers[req.url ?? ''] ?? otherwise;
      res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const llamaCpp = { server: 'llama.cpp' };
  it.each<[string, Answers, Answers[string]]>([
    [
      "llama.cpp's server",
      { '/': { headers: llamaCpp, body: '<html>chat</html>' } },
      { status: 404, headers: llamaCpp, body: '{"error":{"code":404,"message":"File Not Found"}}' },
    ],
    [
      "llama.cpp's server",
      { '/v1/models': { body: listOf('llamacpp') } },
      { status: 404, body: '{"error":{"code":404}}' },
    ],
    [
      'LM Studio',
      { '/v1/models': { body: listOf('organization_owner') } },
      { body: '{"error":"Unexpected endpoint or method. (GET /)"}' },
    ],
    ['vLLM', { '/v1/models': { body: listOf('vllm') } }, { status: 404, body: '{"detail":"Not Found"}' }],
    ['SGLang', { '/v1/models': { body: listOf('sglang') } }, { status: 404, body: '{"detail":"Not Found"}' }],
    [
      'a server with the OpenAI API',
      { '/v1/models': { body: listOf('someone') } },
      { status: 404, body: 'not here' },
    ],
  ])('is named: %s', async (name, answers, otherwise) => {
    const url = await serve(answers, otherwise);
    const error = await modelErrorOf(createOllamaHealth({ host: parseOllamaHost(url) }).checkOllamaReady());
    expect(error.message).toBe(
      `Cannot connect to Ollama at ${url} (${name} answers there). Is Ollama running?`,
    );
    expect(error.hint).toContain(`This is ${name}; Loupe needs Ollama's native API`);
    expect(error.transient).toBe(false); // a run does not wait for it to become Ollama
  });

  it('that hides an Ollama is not mistaken for another server', async () => {
    const url = await serve(
      { '/v1/models': { body: listOf('library') } },
      { status: 403, body: 'forbidden' },
    );
    const error = await modelErrorOf(createOllamaHealth({ host: parseOllamaHost(url) }).checkOllamaReady());
    expect(error.message).toContain('(HTTP 403)');
  });

  it.each<[string, Answers[string]]>([
    ['a missing page', { status: 404, body: '<html>404 Not Found</html>' }],
    ['a refusal', { status: 403, body: '' }],
    ['a redirect', { status: 302, headers: { location: '/ui' }, body: '' }],
  ])('may be a proxy that passes on only /api: %s at / does not matter', async (_, root) => {
    const url = await serve({ '/': root, '/api/version': { body: '{"version":"0.17.4"}' } }, root);
    const health = createOllamaHealth({ host: parseOllamaHost(url) });
    expect(await health.checkOllamaReady()).toMatchObject({ version: '0.17.4' });
  });

  it.each([
    [401, '<h1>401 Authorization Required</h1>', 'Something in front of Ollama wants a sign-in'],
    [403, '', 'Host: localhost:11434'],
    [404, '<h1>404 Not Found</h1>', "not with Ollama's native API"],
  ])('is not a stopped Ollama if it answers %i', async (status, body, hint) => {
    const url = await serve({}, { status, body });
    const error = await modelErrorOf(createOllamaHealth({ host: parseOllamaHost(url) }).checkOllamaReady());
    expect(error.message).toBe(`Cannot connect to Ollama at ${url} (HTTP ${status}).`);
    expect(error.hint).toContain(hint);
    expect(error.transient).toBe(false);
  });

  it('says where it redirects to, without the path and the query of the request', async () => {
    const location = 'https://gpu.lan/ollama/api/tags?token=secret';
    const url = await serve(
      { '/api/tags': { status: 301, headers: { location }, body: '' } },
      {
        status: 301,
        headers: { location: 'https://gpu.lan/ollama/' },
        body: '',
      },
    );
    const health = createOllamaHealth({ host: parseOllamaHost(url) });
    for (const error of [
      await modelErrorOf(health.listModels()),
      await modelErrorOf(health.checkOllamaReady()),
    ]) {
      expect(error.message).toBe(
        `The server at ${url} is not Ollama (it redirects to https://gpu.lan/ollama).`,
      );
      expect(error.transient).toBe(false);
      expect(error.hint).toBe(
        'Redirects are not followed. If Ollama is there, set OLLAMA_HOST to that address.',
      );
    }
  });

  it('that writes without end is not taken for a model that does', async () => {
    const url = await serve({}, { body: 'x'.repeat(9 * 1024 * 1024) });
    const error = await modelErrorOf(createOllamaHealth({ host: parseOllamaHost(url) }).checkOllamaReady());
    expect(error.message).toContain('something else answers there');
  });

  it('that serves no models is not named', async () => {
    const url = await serve({}, { body: '<!doctype html><title>Printer</title>' });
    const error = await modelErrorOf(createOllamaHealth({ host: parseOllamaHost(url) }).checkOllamaReady());
    expect(error.message).toContain('something else answers there');
    expect(error.transient).toBe(false);
  });
});

describe('the name of a model', () => {
  it('that is missing gets the most similar installed one as a suggestion', async () => {
    const fake = await start({ models: [{ name: 'qwen3:8b' }, { name: 'llama3.2' }] });
    const host = parseOllamaHost(fake.url);
    const error = await modelErrorOf(createOllamaHealth({ host }).checkOllamaReady({ model: 'qwn3:8b' }));
    expect(error).toMatchObject({
      code: 'model_missing',
      message: 'Model "qwn3:8b" is missing. Did you mean "qwen3:8b"?',
      hint: 'Use "qwen3:8b", or run: ollama pull qwn3:8b',
    });
  });

  it('is not called missing because a proxy does not pass on its check', async () => {
    const page = { kind: 'http', status: 404, body: '<h1>404 Not Found</h1>' } as const;
    const fake = await start({ models: [{ name: 'qwen3:8b' }], faults: { '/api/show': page } });
    const error = await modelErrorOf(modelAt(fake).show('qwen3:8b'));
    expect(error).toMatchObject({ code: 'model_check_failed', status: 404, transient: false });
    expect(error.message).toBe('Model "qwen3:8b" cannot be used: Ollama HTTP 404: <h1>404 Not Found</h1>');
    expect(error.hint).toContain("not with Ollama's native API");
  });

  it('that is invalid fails permanently, although Ollama reports a server error', async () => {
    const fake = await start();
    const error = await modelErrorOf(modelAt(fake).show('a b:c:d'));
    expect(error).toMatchObject({ status: 500, transient: false });
    expect(error.message).toContain('unqualified name');
    expect(error.hint).toContain('is not a model name');
  });

  it.each([
    ['qwen3', ['qwen3:8b', 'llama3.2:latest'], 'qwen3:8b'],
    ['qwen3:7b', ['qwen3:4b', 'qwen3:8b-q8_0'], 'qwen3:4b'],
    ['Qwen3:8b-fp16', ['qwen3:8b', 'phi4:latest'], 'qwen3:8b'],
    ['lama3.2', ['llama3.2:latest', 'qwen3:8b'], 'llama3.2'],
    ['mistral', ['qwen3:8b', 'llama3.2:latest'], undefined],
    ['mistral', [], undefined],
  ])('%s among %j may mean %s', (wanted, installed, meant) => {
    expect(nearestModel(wanted, installed)).toBe(meant);
  });
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { hostileServer, npmServer, type ServersUnderTest, serversUnderTest } from './under-test.ts';

let test: ServersUnderTest;
beforeEach(async () => {
  test = await serversUnderTest();
});
afterEach(() => test[Symbol.asyncDispose]());

const { signal } = new AbortController();

it('lists and reads the prompts and resources of a server from npm', async () => {
  await test.start('everything', npmServer('everything', ['stdio']));
  const { prompts, resources, templates } = await test.servers.offers('everything', signal);
  expect(prompts.map(({ name }) => name)).toContain('args-prompt');
  expect(prompts.find(({ name }) => name === 'args-prompt')?.arguments).toMatchObject([
    { name: 'city', required: true },
    { name: 'state', required: false },
  ]);
  expect(templates.map(({ uri_template }) => uri_template)).toContain(
    'demo://resource/dynamic/text/{resourceId}',
  );
  const args = { city: 'Ulm' };
  expect(await test.servers.prompt('everything', 'args-prompt', args, signal)).toEqual({
    messages: [{ role: 'user', text: expect.stringContaining('Ulm') }],
  });
  const { texts } = await test.servers.resource('everything', 'demo://resource/dynamic/text/3', signal);
  expect(texts).toEqual([expect.stringMatching(/^\[Resource demo:.*\]\n/)]);
  const blob = await test.servers.resource('everything', 'demo://resource/dynamic/blob/3', signal);
  expect(blob.texts).toEqual([expect.stringMatching(/bytes. It is not text\.\]$/)]);
  const [first] = resources;
  expect(first?.uri).toMatch(/^demo:/);
  await expect(test.servers.resource('everything', 'demo://nothing', signal)).rejects.toMatchObject({
    code: 'mcp_bad_answer',
    message: expect.stringContaining('did not give the resource'),
  });
  await expect(test.servers.prompt('everything', 'args-prompt', {}, signal)).rejects.toMatchObject({
    message: expect.stringContaining('did not give the prompt'),
  });
}, 30_000);

it('reads nothing where a server has nothing', async () => {
  await test.start('plain', hostileServer('plain'));
  expect(await test.servers.offers('plain', signal)).toEqual({ prompts: [], resources: [], templates: [] });
});

it('says what a server asks for instead of giving a prompt or resource, and what to do', async () => {
  await test.start('asks', hostileServer('asks-instead'));
  await expect(test.servers.prompt('asks', 'p', {}, signal)).rejects.toMatchObject({
    code: 'mcp_bad_answer',
    message: expect.stringMatching(
      /did not give the prompt: It first wants a person to fill in a form \("Which project\?"\)\. .* Loupe does not support\.$/,
    ),
    hint: expect.stringContaining('change it in its configuration on the Tools page'),
  });
  await expect(test.servers.resource('asks', 'file:///a', signal)).rejects.toMatchObject({
    message: expect.stringMatching(/did not give the resource: It started a task \(working\) .* tasks\.$/),
    hint: expect.stringContaining('only during calls of tools'),
  });
});

it('bounds and cleans what a hostile server offers, and leaves out what cannot be named', async () => {
  await test.start('offers', hostileServer('odd-offers'));
  const { prompts, resources, templates } = await test.servers.offers('offers', signal);
  expect(prompts).toHaveLength(200);
  expect(prompts[0]).toEqual({
    name: 'p0',
    description: expect.stringMatching(/^Read me\.x{3000,4000}$/),
    arguments: [{ name: 'a', required: false }],
  });
  expect(resources).toEqual([{ uri: 'file:///a', name: 'red a', mime_type: 'text/plain' }]);
  expect(templates).toEqual([]);
  const prompt = await test.servers.prompt('offers', 'p0', {}, signal);
  expect(prompt.truncated).toBe(true);
  expect(prompt.messages).toHaveLength(50);
  expect(JSON.stringify(prompt).length).toBeLessThan(100_000);
  const resource = await test.servers.resource('offers', 'file:///a', signal);
  expect(resource.truncated).toBe(true);
  expect(JSON.stringify(resource).length).toBeLessThan(100_000);
  expect(JSON.stringify([prompt, resource])).not.toContain('\\u001b');
});

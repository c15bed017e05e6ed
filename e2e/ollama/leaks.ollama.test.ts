import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatReply } from '../../lib/model/chat-model.ts';
import { ModelError } from '../../lib/model/model-error.ts';
import { parseOllamaHost } from '../../lib/model/ollama-host.ts';
import { parseToolCalls } from '../../lib/parser/parse-tool-calls.ts';
import { readCatalogue } from '../../lib/parser/testing/catalogue.ts';
import { TOOLS } from '../../lib/parser/testing/tools.ts';
import { createOllamaChatModel } from '../../lib/testing/ollama-chat-model.ts';
import { scriptedModel } from './scripted-model.ts';
import { type RealOllama, startOllama } from './start-ollama.ts';

const { catalogue, server } = readCatalogue();
const readers = [...(server.values().next().value?.keys() ?? [])];
/** A broken call with a lot of text after it, so that the reply continues when Ollama's parser gives up. */
const BROKEN_AND_MORE = `<tool_call>{"name": oops}</tool_call>${' And then there is more to say.'.repeat(20)}`;
const texts = [...catalogue.map(({ sample }) => sample), BROKEN_AND_MORE];
const scripted = scriptedModel(texts);
const digest = `sha256:${createHash('sha256').update(scripted.gguf).digest('hex')}`;

/** Tags of the generic parser; the other columns are names of built-in ones. */
const isTag = (reader: string) => /[^\w.-]/.test(reader);
const modelName = (reader: string) => `scripted-${readers.indexOf(reader)}`;

/** Prints only the user's text. The generic parser takes its tag from what follows `.ToolCalls`. */
const template = (tag: string) =>
  `{{ if .Tools }}{{ end }}{{ range .Messages }}{{ if .ToolCalls }}${tag}{{ range .ToolCalls }}{"name": "{{ .Function.Name }}"}{{ end }}{{ end }}{{ if eq .Role "user" }}{{ .Content }}{{ end }}{{ end }}`;

async function post(ollama: RealOllama, path: string, body: string | Buffer): Promise<void> {
  const response = await fetch(ollama.url + path, {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

async function createModels(ollama: RealOllama, wanted: readonly string[]): Promise<void> {
  await post(ollama, `/api/blobs/${digest}`, scripted.gguf);
  for (const reader of wanted) {
    const tag = isTag(reader) && reader !== '{' ? reader : '';
    const spec = {
      model: modelName(reader),
      files: { 'scripted.gguf': digest },
      template: template(tag),
      ...(isTag(reader) ? {} : { parser: reader }),
      parameters: { num_thread: 1 },
      stream: false,
    };
    await post(ollama, '/api/create', JSON.stringify(spec));
  }
}

/** Lets the scripted model say one of its texts to a reader of the server. */
function say(
  ollama: RealOllama,
  { text, reader, ...rest }: { text: string; reader: string; stream?: boolean; timeoutMs?: number },
): Promise<ChatReply | ModelError> {
  const prompt = scripted.prompts[texts.indexOf(text)];
  if (prompt === undefined) throw new Error(`not in the script: ${text}`);
  return ask(ollama, { model: modelName(reader), content: prompt, ...rest });
}

async function ask(
  ollama: RealOllama,
  {
    model,
    content,
    stream = true,
    timeoutMs = 20_000,
  }: { model: string; content: string; stream?: boolean; timeoutMs?: number },
): Promise<ChatReply | ModelError> {
  const client = createOllamaChatModel({ host: parseOllamaHost(ollama.url) });
  const request = {
    model,
    messages: [{ role: 'user' as const, content }],
    tools: TOOLS,
    options: { num_ctx: 512, num_predict: 200, temperature: 0 },
    think: false,
    stream,
    keepAlive: '5m',
  };
  return client.chat(request, { signal: new AbortController().signal, timeoutMs }).catch((error: unknown) => {
    if (error instanceof ModelError) return error;
    throw error;
  });
}

/** What newer versions do differently (docs/tool-call-formats.md). */
const CHANGED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'glm-4.7': { 'hermes, cut': '500', 'hermes, not closed': '500' },
};

interface Heard {
  /** The server's behavior, in the terms of the page. */
  server: string;
  /** Whether Loupe gets the call, or knows that there was one. */
  isNoticed: boolean;
}

function hear(sample: string, reply: ChatReply | ModelError): Heard {
  const meant = parseToolCalls({ content: sample }, { tools: TOOLS });
  // A sample that is not a call by itself is broken or inside thinking; it would be this one.
  const wanted =
    meant.type === 'tool_calls' ? meant.calls : [{ name: 'read_file', arguments: { path: 'alpha.md' } }];
  if (reply instanceof ModelError) {
    // In a stream that has already begun, the error is a line instead.
    const isNoticed = reply.kind === 'malformed_call';
    return { server: isNoticed ? '500' : reply.kind, isNoticed };
  }
  const { content, thinking, tool_calls: native } = reply.message;
  const read = parseToolCalls(reply.message, { tools: TOOLS });
  const isRead = read.type === 'tool_calls' && JSON.stringify(read.calls) === JSON.stringify(wanted);
  const isKnown = isRead || read.malformed === true;
  if (native) {
    const sent = native.map((call) => (call as { function: { name: string; arguments: object } }).function);
    const same =
      JSON.stringify(sent.map(({ name: called, arguments: args }) => ({ name: called, arguments: args }))) ===
      JSON.stringify(wanted);
    return { server: same ? 'yes' : 'wrong', isNoticed: isKnown && (!same || read.layer === 'native') };
  }
  if (content !== '') return { server: 'text', isNoticed: isKnown || meant.type !== 'tool_calls' };
  if (thinking)
    return { server: 'thought', isNoticed: read.refusals.some(({ reason }) => reason === 'inside-thinking') };
  // The policy for empty replies (decision 9) takes more than the end mark for a swallowed call.
  return { server: 'lost', isNoticed: read.type === 'empty' && (reply.replyTokens ?? 0) > 1 };
}

describe('what Ollama does with each format (docs/tool-call-formats.md)', () => {
  let ollama: RealOllama;
  beforeAll(async () => {
    // A parser error leaks a slot permanently, see below.
    ollama = await startOllama({ OLLAMA_NUM_PARALLEL: '64' });
    await createModels(ollama, readers);
  });
  afterAll(() => ollama?.stop());

  it.each([
    ['Read alpha.md', 'yes', 'native'],
    ['Read alpha.md twice', 'yes', 'native'],
    ['Read alpha.md with a json call.', 'text', 'json'],
    ['Read alpha.md with a fenced call.', 'text', 'json'],
    ['Read alpha.md with a broken call.', 'lost', 'none'],
    ['Read alpha.md with an unknown tool.', 'lost', 'none'],
  ])('the tiny model says: %s [K-3, T22]', async (task, fact, layer) => {
    const reply = await ask(ollama, { model: 'tiny-tools', content: task });
    if (reply instanceof ModelError) throw reply;
    const { content, tool_calls: native } = reply.message;
    expect(native ? 'yes' : content === '' ? 'lost' : 'text').toBe(fact);
    expect(parseToolCalls(reply.message, { tools: TOOLS }).layer).toBe(layer);
    expect(reply.replyTokens).toBeGreaterThan(1);
  });

  it.each(readers)('%s [K-3, T22]', async (reader) => {
    const heard = new Map<string, Heard>();
    for (const { name, sample: text } of catalogue) {
      heard.set(name, hear(text, await say(ollama, { text, reader })));
    }
    const facts = Object.fromEntries([...heard].map(([name, { server: fact }]) => [name, fact]));
    const page = Object.fromEntries([...server].map(([name, row]) => [name, row.get(reader)]));
    expect(facts).toEqual({ ...page, ...(ollama.usesLlamaServer && CHANGED[reader]) });
    expect([...heard].filter(([, { isNoticed }]) => !isNoticed).map(([name]) => name)).toEqual([]);
  });
});

it('a call after a parser error is answered, because a slot that it leaks is freed [T4, T22]', async () => {
  const ollama = await startOllama();
  try {
    await createModels(ollama, ['qwen3']);
    const one = { reader: 'qwen3', stream: false };
    // A reply that was complete before the parser gave up leaves its slot free: which of the two happens first is a race.
    let isSlotFreed = false;
    for (let attempt = 0; attempt < 20 && !isSlotFreed; attempt++) {
      const broken = await say(ollama, { ...one, text: BROKEN_AND_MORE });
      expect(broken).toMatchObject({ kind: 'malformed_call', status: 500 });
      isSlotFreed = broken instanceof ModelError && broken.slotRelease?.unloaded === true;
      expect(await say(ollama, { ...one, text: texts[0] ?? '' })).not.toBeInstanceOf(ModelError);
    }
    expect(isSlotFreed).toBe(!ollama.usesLlamaServer); // which leaks none
  } finally {
    await ollama.stop();
  }
});

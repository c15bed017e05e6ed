import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startFakeOllama } from '../demo/fake-ollama.ts';
import { createOllamaChatModel } from '../testing/ollama-chat-model.ts';
import { ModelError } from './model-error.ts';
import { parseOllamaHost } from './ollama-host.ts';

/** Real replies of Ollama 0.17.4 (e2e/ollama/captures.md), sent again byte by byte and read by the client. */
const recorded = readFileSync(join(import.meta.dirname, '../../e2e/ollama/captures.jsonl'), 'utf8');
const capture = z.object({
  name: z.string(),
  request: z.object({ path: z.string(), body: z.unknown().optional() }),
  response: z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()),
    aborted_by_client: z.boolean().optional(),
    body: z.string().optional(),
    lines: z.array(z.string()).optional(),
  }),
});
const chatRequest = z.object({
  messages: z.array(z.unknown()).min(1),
  stream: z.boolean(),
  tools: z.unknown(),
});
const piece = z.object({
  message: z.object({
    content: z.string(),
    thinking: z.string().optional(),
    tool_calls: z.array(z.unknown()).optional(),
  }),
  done: z.boolean(),
  done_reason: z.string().optional(),
  prompt_eval_count: z.number().optional(),
  eval_count: z.number().optional(),
});

const captures = recorded
  .trimEnd()
  .split('\n')
  .map((line) => capture.parse(JSON.parse(line)))
  .flatMap(({ name, request, response }) => {
    const asked = chatRequest.safeParse(request.body);
    return request.path === '/api/chat' && asked.success
      ? [{ name, stream: asked.data.stream, response }]
      : [];
  });

describe('recorded replies', () => {
  it('are many', () => {
    expect(captures).toHaveLength(75);
  });

  it.each(captures)('$name', async ({ stream, response }) => {
    const text = response.lines ? `${response.lines.join('\n')}\n` : (response.body ?? '');
    const content_type = response.headers['content-type'];
    const fault = { kind: 'http' as const, status: response.status, body: text, content_type };
    const fake = await startFakeOllama({ scenarios: [{ name: 'play', steps: [{ fault }] }] });
    const model = createOllamaChatModel({ host: parseOllamaHost(fake.url) });
    const reply = await model
      .chat(
        {
          model: 'play',
          messages: [{ role: 'user', content: 'again' }],
          tools: [],
          options: { num_ctx: 4096, num_predict: 400 },
          think: false,
          stream,
          keepAlive: '5m',
        },
        { signal: new AbortController().signal, timeoutMs: 5_000 },
      )
      .catch((error: unknown) => error);
    await fake.close();

    if (response.status !== 200) {
      expect(reply).toBeInstanceOf(ModelError);
      expect(reply).toMatchObject({ status: response.status });
      return;
    }
    const pieces = (response.lines ?? [text]).map((line) => piece.parse(JSON.parse(line)));
    const last = pieces.at(-1);
    const content = pieces.map(({ message }) => message.content).join('');
    if (!last?.done) {
      expect(reply).toMatchObject({ kind: 'cut_off' });
      return;
    }
    const calls = pieces.flatMap(({ message }) => message.tool_calls ?? []);
    const thinking = pieces.map(({ message }) => message.thinking ?? '').join('');
    expect(reply).toMatchObject({
      message: {
        role: 'assistant',
        content,
        ...(thinking !== '' && { thinking }),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
      doneReason: last.done_reason,
      promptTokens: last.prompt_eval_count,
      replyTokens: last.eval_count,
    });
  });
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callsOf, type Load, readModelName } from './loads.ts';

// An Ollama that answers immediately: one process without parsing, so that only the client is measured. The
// fake of lib/demo does much more per request. The model's name says what it replies (loads.ts).

/** The requests of one run, for its starter. Times in milliseconds, of this process's clock. */
export interface SeenRun {
  /** When the head of each request had arrived. */
  arrivedAt: number[];
  /** When each reply was written. */
  answeredAt: number[];
  /** The tool results in the last request. */
  toolResults: number;
}

const MODEL = Buffer.from('"model":"');
// An unescaped quote is never part of a message, so these match only real fields.
const TOOL_ROLE = Buffer.from('"role":"tool"');
const STREAMS = Buffer.from('"stream":true');
const NO_MESSAGES = Buffer.from('"messages":[]');
const CONTEXT_TOKENS = 131_072;
const FINAL_ANSWER =
  'The files of the project hold one line each, and nothing else was found in them. '.repeat(3);
const created_at = '2026-01-01T00:00:00.000Z';

const runs = new Map<string, SeenRun>();

function occurrences(body: Buffer, of: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(of); at >= 0; at = body.indexOf(of, at + of.length)) count += 1;
  return count;
}

function seenRun(model: string): SeenRun {
  const seen = runs.get(model) ?? { arrivedAt: [], answeredAt: [], toolResults: 0 };
  runs.set(model, seen);
  return seen;
}

function messagesOf(load: Load, isLast: boolean, iteration: number): object[] {
  if (isLast) return [{ role: 'assistant', content: FINAL_ANSWER }];
  const tool_calls = callsOf(load, iteration).map((call, index) => ({
    id: `call_${iteration}_${index}`,
    function: { index, ...call },
  }));
  const pieces = Array.from({ length: load.deltas }, () => ({ role: 'assistant', content: 'word ' }));
  return [...pieces, { role: 'assistant', content: '', tool_calls }];
}

function chat(res: ServerResponse, body: Buffer, arrivedAt: number): void {
  const from = body.indexOf(MODEL) + MODEL.length;
  const model = body.toString('utf8', from, body.indexOf('"', from));
  if (body.includes(NO_MESSAGES)) {
    // Only loads the model, before the first call of a run.
    const message = { role: 'assistant', content: '' };
    sendJson(res, { model, created_at, message, done: true, done_reason: 'load' });
    return;
  }
  const { load, iterations } = readModelName(model);
  const seen = seenRun(model);
  const iteration = seen.arrivedAt.length;
  seen.arrivedAt.push(arrivedAt);
  const isLast = iteration >= iterations;
  if (isLast) seen.toolResults = occurrences(body, TOOL_ROLE);
  const messages = messagesOf(load, isLast, iteration);
  const end = {
    model,
    created_at,
    done: true,
    done_reason: 'stop',
    total_duration: 1_000_000,
    load_duration: 1000,
    prompt_eval_count: body.length >> 2, // like a real one: about four bytes per token
    prompt_eval_duration: 1000,
    eval_count: 20,
    eval_duration: 1000,
  };
  if (body.includes(STREAMS)) {
    res.writeHead(200, { 'content-type': 'application/x-ndjson' });
    // One packet with a chunk per line. `res.cork` would drop lines (Node 24).
    const { socket } = res;
    socket?.cork();
    for (const message of messages) {
      res.write(`${JSON.stringify({ model, created_at, message, done: false })}\n`);
    }
    res.end(`${JSON.stringify({ ...end, message: { role: 'assistant', content: '' } })}\n`);
    socket?.uncork();
  } else sendJson(res, { ...end, message: messages.at(-1) });
  seen.answeredAt.push(performance.now());
}

function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  const body = Buffer.from(JSON.stringify(value));
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  res.end(body);
}

const details = {
  parent_model: '',
  format: 'gguf',
  family: 'qwen3',
  families: ['qwen3'],
  parameter_size: '8.2B',
  quantization_level: 'Q4_K_M',
};
const card = {
  name: 'mixed-20:bench',
  model: 'mixed-20:bench',
  modified_at: created_at,
  size: 5_225_387_923,
  digest: 'b'.repeat(64),
  details,
};
const ANSWERS: Readonly<Record<string, object>> = {
  '/api/version': { version: '0.13.0' },
  '/api/tags': { models: [card] },
  '/api/ps': {
    models: [{ ...card, expires_at: created_at, size_vram: 0, context_length: CONTEXT_TOKENS }],
  },
  '/api/show': {
    license: '',
    modelfile: '',
    parameters: `num_ctx ${CONTEXT_TOKENS}`,
    template: '{{ .Prompt }}',
    details,
    model_info: {
      'general.architecture': 'qwen3',
      'general.parameter_count': 8_190_735_360,
      'qwen3.context_length': CONTEXT_TOKENS,
      'qwen3.embedding_length': 4096,
    },
    capabilities: ['completion', 'tools', 'thinking'],
    modified_at: created_at,
  },
};

function answer(req: IncomingMessage, res: ServerResponse): void {
  const arrivedAt = performance.now();
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const known = ANSWERS[req.url ?? ''];
    if (req.url === '/api/chat') chat(res, Buffer.concat(chunks), arrivedAt);
    else if (req.url === '/') res.end('Ollama is running');
    else if (known) sendJson(res, known);
    else sendJson(res, { error: `not found: ${req.url}` }, 404);
  });
}

const server = createServer({ keepAliveTimeout: 120_000, requestTimeout: 0 }, answer);
server.listen(0, '127.0.0.1', 4096, () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
// Any message requests what was recorded since the last one.
process.on('message', () => {
  process.send?.(Object.fromEntries(runs));
  runs.clear();
});
process.on('disconnect', () => process.exit(0));

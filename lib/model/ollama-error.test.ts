import { describe, expect, it } from 'vitest';
import { httpError, replyError } from './ollama-error.ts';

const asked = { model: 'qwen3:8b', toolsOffered: true };
const http = (status: number, error: unknown) => httpError(status, JSON.stringify({ error }), asked);

describe('errors of Ollama’s own call parsers are broken calls, in the reply as in a 500 [T22]', () => {
  it.each([
    `error parsing tool call: raw='{"a": 1', err=unexpected end of JSON input`,
    'XML syntax error on line 7: expected element name after <',
    'failed to parse XML: XML syntax error on line 1: element <tool_call> closed by </arg_value>',
    'expected element type <function> but have <parameter>',
    'element <parameter> closed by </function>',
    'failed to parse JSON: invalid character',
    'empty function name',
    'mismatched arg_key and arg_value counts: 2 keys, 1 values',
    "tool 'open_door' not found",
    "invalid character 'c' looking for beginning of value",
    'unexpected end of JSON input',
    'EOF',
    'incomplete GLM tool call: required argument "path" is missing for tool "read_file"',
    'failed to parse Laguna JSON tool call: unexpected end of JSON input',
    'empty Laguna tool call name',
    'json: cannot unmarshal string into Go value of type map[string]json.RawMessage',
    'llama-server returned invalid tool call arguments for "write_file": unexpected end of JSON input',
    'llama-server chat error: map[code:500 message:Failed to parse input at pos 184: <tool_call> type:server_error]',
    '{"error":{"code":500,"message":"The model produced output that does not match the expected peg-native format","type":"server_error"}}',
  ])('%s', (text) => {
    expect(http(500, text)).toMatchObject({ kind: 'malformed_call', status: 500, transient: false });
    expect(replyError(text, asked)).toMatchObject({ kind: 'malformed_call', transient: false });
  });

  it('keeps the model’s text, quotes and all', () => {
    expect(http(500, `error parsing tool call: raw='it', err='s', err=EOF`).raw).toBe(`it', err='s`);
    expect(http(500, 'empty function name').raw).toBe('empty function name');
  });

  it('generic errors count as malformed calls only if tools were offered and the request was valid', () => {
    expect(http(400, 'unexpected EOF').kind).toBe('http');
    expect(http(400, 'json: cannot unmarshal bool into Go struct field Tool.tools of type string').kind).toBe(
      'http',
    );
    expect(httpError(500, '{"error":"EOF"}', { model: 'm' }).kind).toBe('http');
    expect(http(500, 'Post "http://127.0.0.1:40000/completion": EOF').kind).toBe('http');
  });

  it('does not take other errors of llama-server for broken calls', () => {
    expect(replyError('llama-server chat error: map[code:500 message:Compute error.]', asked).kind).toBe(
      'http',
    );
  });
});

describe('overflow [OL3, OL22]', () => {
  it('reads the counts of JSON within the text', () => {
    const error = http(
      400,
      '{"error":{"code":400,"message":"request (351 tokens) exceeds the available context size (256 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":351,"n_ctx":256}}',
    );
    expect(error).toMatchObject({ kind: 'overflow', promptTokens: 351, contextTokens: 256 });
  });

  it('reads them from the sentence', () => {
    const error = http(
      400,
      'request (351 tokens) exceeds the available context size (256 tokens), try increasing it',
    );
    expect(error).toMatchObject({ kind: 'overflow', promptTokens: 351, contextTokens: 256 });
  });

  it('reads them from the sentence of the MLX runner', () => {
    const error = http(
      400,
      "input length (351 tokens) exceeds the model's maximum context length (256 tokens)",
    );
    expect(error).toMatchObject({
      kind: 'overflow',
      promptTokens: 351,
      contextTokens: 256,
      transient: false,
    });
  });

  it('reads them from a nested object', () => {
    expect(http(400, { type: 'exceed_context_size_error', n_prompt_tokens: 9, n_ctx: 8 })).toMatchObject({
      kind: 'overflow',
      promptTokens: 9,
      contextTokens: 8,
    });
  });

  it.each([
    'the input length exceeds the context length',
    'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length',
  ])('works without them: %s', (text) => {
    expect(http(400, text)).toMatchObject({
      kind: 'overflow',
      promptTokens: undefined,
      contextTokens: undefined,
    });
  });
});

it.each([
  [404, "model 'qwen3:8b' not found", 'model_missing'],
  [400, 'registry.ollama.ai/library/qwen3:8b does not support tools', 'no_tool_support'],
  [400, 'qwen3:8b does not support tools\nthinking', 'no_tool_support'],
  [400, '"qwen3:8b" does not support thinking', 'no_thinking_support'],
  [400, 'think value "low" is not supported for this model', 'no_thinking_levels'],
  [400, 'invalid think value: "max" (must be "high", "medium", "low", true, or false)', 'no_thinking_levels'],
  [
    400,
    'json: cannot unmarshal string into Go struct field ChatRequest.think of type bool',
    'no_thinking_levels',
  ],
  [400, '"bge" does not support chat', 'http'],
  [503, 'server busy, please try again.  maximum pending requests exceeded', 'busy'],
  [500, 'llama runner process has terminated: exit status 2', 'http'],
  [499, 'request canceled', 'http'],
] as const)('%i %s is %s', (status, text, kind) => {
  expect(http(status, text).kind).toBe(kind);
});

it('does not take the 503 of a proxy or of a cloud service for a full queue of Ollama [OL16]', () => {
  const page = '<html><head><title>503 Service Temporarily Unavailable</title></head></html>';
  expect(httpError(503, page, asked)).toMatchObject({
    kind: 'http',
    transient: true,
    hint: 'Look at the log of the Ollama server, or of the proxy in front of it.',
  });
  expect(http(503, 'upstream unavailable')).toMatchObject({
    kind: 'http',
    transient: true,
    hint: 'Look at the log of the Ollama server.',
  });
});

it('cuts the body at 500 characters without splitting a character [T5]', () => {
  const { message } = httpError(500, '😀'.repeat(600), {});
  expect(message.length).toBeLessThanOrEqual('Ollama HTTP 500: '.length + 500);
  expect(message.isWellFormed()).toBe(true);
});

it('does not retry a value of a model option that Ollama refuses, although it sends a 500', () => {
  expect(http(500, 'option "temperature" must be of type float32')).toMatchObject({
    kind: 'http',
    transient: false,
    hint: expect.stringContaining('model option'),
  });
});

it.each([
  [400, '{"error":{"code":400,"message":"JSON schema conversion failed:\\nUnrecognized schema: {}"}}'],
  [400, '{"error":{"code":400,"message":"Failed to initialize samplers: failed to parse grammar"}}'],
  [500, '{"error":{"code":500,"message":"JSON schema error at #: properties must be an object"}}'],
  [500, 'invalid JSON schema in format'],
])('does not retry a schema that the server cannot use, and names it: %i %s', (status, text) => {
  expect(http(status, text)).toMatchObject({
    kind: 'http',
    transient: false,
    hint: expect.stringContaining('the schema of a tool or of the answer'),
  });
});

it.each([
  'this model is missing data required for image input',
  'this model does not support image input',
  '{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}',
])('does not retry images that the model cannot see: %s', (text) => {
  expect(http(500, text)).toMatchObject({
    kind: 'http',
    transient: false,
    hint: expect.stringContaining('cannot see images'),
  });
});

it('says who limits the use of a cloud model, and does not retry it', () => {
  const limited = http(429, 'you have reached your session usage limit, please wait or upgrade to continue');
  expect(limited).toMatchObject({ kind: 'http', transient: false });
  expect(limited.hint).toContain('The service that runs this model limits');
});

it('does not retry a model that does not fit into memory', () => {
  expect(http(500, 'model requires more system memory (9.5 GiB) than is available (7.1 GiB)').transient).toBe(
    false,
  );
  expect(http(500, 'llama runner process has terminated: exit status 2').transient).toBe(true);
});

it.each([
  'llama-server reported out-of-memory during startup: cudaMalloc failed',
  'llama-server process has terminated: ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory',
  'llama-server process has terminated: ggml_vulkan: Device memory allocation of size 4096 failed: out of device memory',
  'mlx runner failed: not enough memory',
  'model requires 18.2 GiB but only 12.1 GiB are available (after 1.5 GiB overhead)',
  'error: insufficient memory',
  'hipMalloc failed',
])('does not retry what newer versions say of too little memory: %s', (text) => {
  expect(http(500, text)).toMatchObject({
    transient: false,
    hint: 'The model does not fit into memory. Choose a smaller one or a smaller window.',
  });
});

it.each([
  [400, '"bge" does not support chat', 'list completion'],
  [400, 'registry.ollama.ai/library/bge:latest does not support completion', 'list completion'],
  [500, 'this model is missing data required for image input', 'cannot see images'],
  [400, 'gemma3:1b does not support vision', 'cannot see images'],
  [500, 'timed out waiting for llama runner to start - progress 0.00 - ', 'OLLAMA_LOAD_TIMEOUT'],
  [500, 'timed out waiting for llama-server to start: context deadline exceeded', 'OLLAMA_LOAD_TIMEOUT'],
  [500, 'timeout waiting for mlx runner to start', 'OLLAMA_LOAD_TIMEOUT'],
  [500, 'mlx runner exited unexpectedly: signal: killed', 'crashed'],
  [500, 'mlx runner failed: MLX error: kernel not found (exit: exit status 1)', 'crashed'],
  [500, 'unable to load model: /root/.ollama/models/blobs/sha256-00', 'ollama pull qwen3:8b'],
  [500, 'open /root/.ollama/models/blobs/sha256-00: no such file or directory', 'ollama pull qwen3:8b'],
  [500, 'unsupported model format', 'ollama pull qwen3:8b'],
  [
    500,
    'failed to load model: this model may be incompatible with your version of Ollama. If you previously pulled this model, try updating it by running `ollama pull qwen3`',
    'ollama pull qwen3:8b',
  ],
  [500, 'llama runner process has terminated: exit status 2', 'crashed'],
  [500, 'llama runner process no longer running: -1 ', 'crashed'],
  [500, 'llama-server process has terminated: signal: killed', 'crashed'],
  [
    500,
    'model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details',
    'crashed',
  ],
  [401, 'unauthorized', 'ollama signin'],
] as const)('says what to do about %i %s', (status, text, hint) => {
  expect(http(status, text)).toMatchObject({ kind: 'http', hint: expect.stringContaining(hint) });
});

it.each([
  [413, '<h1>413 Request Entity Too Large</h1>', 'client_max_body_size'],
  [504, '<h1>504 Gateway Time-out</h1>', 'proxy_read_timeout'],
])('names the limit of a proxy that answered %i', (status, page, setting) => {
  expect(httpError(status, page, asked)).toMatchObject({
    kind: 'http',
    hint: expect.stringContaining(setting),
  });
});

it('retries what a proxy refuses because of too many requests, unlike the limit of a cloud service', () => {
  expect(httpError(429, '<h1>429 Too Many Requests</h1>', asked)).toMatchObject({
    kind: 'http',
    transient: true,
    hint: expect.stringContaining('A proxy in front of Ollama limits the number of requests'),
  });
});

it('says that cloud models are turned off on the server', () => {
  expect(http(403, 'ollama cloud is disabled: remote inference is unavailable')).toMatchObject({
    kind: 'http',
    transient: false,
    hint: expect.stringContaining('OLLAMA_NO_CLOUD'),
  });
});

it('does not send a person who meets a proxy to the sign-in of Ollama', () => {
  expect(httpError(401, '<h1>401 Authorization Required</h1>', asked).hint).toContain('in front of Ollama');
});

import { jsonObject } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import { ModelError, type ModelErrorOptions, OUT_OF_MEMORY_CODE } from './model-error.ts';

/** Characters of a reply's body that an error message shows (T5). */
export const BODY_EXCERPT = 500;

/** The parts of a request needed to interpret an error text. */
export interface AskedFor {
  model?: string;
  toolsOffered?: boolean;
}

/**
 * Errors of Ollama's own tool call parsers (harmony, qwen3, qwen3-coder, glm, laguna, ministral, olmo, lfm2 and others):
 * the model wrote a call that could not be parsed. They are replies, not outages, so the engine treats them like a
 * malformed call in the text (T22).
 */
const PARSER_ERRORS: readonly RegExp[] = [
  /^error parsing tool call\b/,
  /^(failed to parse XML: )?XML syntax error on line \d+/,
  /^failed to parse XML: /,
  /^expected element type <[^>]*> but have </,
  /^element <[^>]*> closed by </,
  /^failed to parse (JSON|arguments|function call|value for)\b/,
  /^(empty function name|mismatched arg_key and arg_value counts)/,
  /^tool '[^']*' not found$/,
  /^invalid (function call format|tool call:|argument:|argument format:|object entry:)/,
  /^no tool calls? found$/,
  /^unterminated string$/,
  /^(incomplete GLM tool call: |failed to parse Laguna JSON tool call\b|empty Laguna tool call name$)/,
  // From 0.30 on, where llama-server parses the calls (`llm/llama_server.go`, `Chat`, `accumulatedToolCalls`). Its own
  // parser's errors arrive as its body, or within a stream as the body's error in Go's notation.
  /^llama-server returned invalid tool call arguments\b/,
  /^(llama-server chat error: map\[code:\d+ message:|\{"error":\{"code":\d+,"message":")(Failed to parse input at pos \d|The model produced output that does not match the expected\b)/,
];

/**
 * These texts are generic, so they only count as malformed calls if tools were offered and the server, not the
 * request, is at fault.
 */
const PARSER_ERRORS_WITH_TOOLS: readonly RegExp[] = [
  /^(EOF|unexpected EOF|unexpected end of JSON input|invalid format)$/,
  /^invalid character .+ (looking for|after|in) /,
  /^json: cannot unmarshal /,
];

const OVERFLOW =
  /input length exceeds the context length|exceed_context_size_error|exceeds the available context size|exceeds the model's maximum context length|exceeded max context length|prompt is longer than the context length|prompt (is )?too long/i;
/** The counts in the errors of llama-server, and of the runner of MLX models (`x/mlxrunner/pipeline.go`). */
const PROMPT_COUNTS = [/"n_prompt_tokens"\s*:\s*(\d+)/, /(?:request|input length) \((\d+) tokens\)/];
const CONTEXT_COUNTS = [/"n_ctx"\s*:\s*(\d+)/, /context (?:size|length) \((\d+) tokens\)/];

/** As `llm/status.go` (`outOfMemorySubstrings`) and `x/mlxrunner/client.go` (`Load`) put it. */
const OUT_OF_MEMORY =
  /requires more system memory|requires [^\n]{1,40} but only [^\n]{1,40} (is|are) available|out[ -]of[ -](device[ -])?memory|OutOf(Device)?Memory|(cuda|hip)Malloc failed|(unable|failed) to allocate|allocation failed|(not enough|insufficient) memory/i;

/** From 0.17.4, which supports levels only for harmony models; and from other versions, for unknown levels. */
const NO_THINKING_LEVELS =
  /^think value .* is not supported|^invalid think value|cannot unmarshal string into .*\bthink\b/;

/** Sent with status 500 or 400, depending on version and path; a retry cannot succeed. */
const INVALID_NAME = /^(unqualified name|invalid model name)\b/;
const UNUSABLE_MODEL =
  /^template: |unknown model architecture|not supported by your version of Ollama|requires a newer version of Ollama/;

/** Errors of the model, its files or its process, and what to do about them. Some come with status 500 but never pass. */
const HINTS: readonly { pattern: RegExp; hint: (model: string) => string; transient?: false }[] = [
  {
    // `api/types.go`, `Options.FromMap`
    pattern: /^option ".*" must be of (type|an array)\b/,
    hint: () =>
      'Ollama does not accept the value of this model option. Correct it in the model options of the run.',
    transient: false,
  },
  {
    // Of llama-server, and of `llm/server.go` before it.
    pattern:
      /JSON schema (conversion failed|error at )|failed to parse grammar|^invalid JSON schema in format/,
    hint: () =>
      'The server cannot turn the schema of a tool or of the answer into a grammar. Simplify the schema, or leave the tool out.',
    transient: false,
  },
  {
    // Of Ollama's own runner, of the MLX runner, and of llama-server.
    pattern:
      /missing data required for image input|does not support (image|media) input|image input is not supported|does not support\b[\s\S]*\bvision\b/,
    hint: (model) =>
      `Model "${model}" cannot see images. Choose one whose capabilities list vision, or leave the images out.`,
    transient: false,
  },
  {
    pattern: /does not support (chat|generate|completion)\b/,
    hint: (model) =>
      `Model "${model}" cannot write text. Choose one whose capabilities list completion, for example: ollama pull qwen3`,
  },
  {
    // `internal/cloud/policy.go`
    pattern: /^ollama cloud is disabled\b/,
    hint: () =>
      'Cloud models are turned off on this Ollama (OLLAMA_NO_CLOUD, or disable_ollama_cloud in its server.json). Choose a local model.',
  },
  {
    pattern:
      /^(timed out waiting for (llama[ -]?runner|llama-server|server) to start|timeout waiting for mlx runner)/,
    hint: () =>
      'Ollama gave up loading the model. Choose a smaller one, or start Ollama with a longer OLLAMA_LOAD_TIMEOUT, such as 15m.',
  },
  {
    pattern:
      /^unable to load model\b|invalid file magic|unsupported model format|digest mismatch|\bblobs\b.*no such file|(no longer compatible|may be incompatible) with your version of Ollama/,
    hint: (model) => `The files of the model are damaged, incomplete or too old. Run: ollama pull ${model}`,
  },
  {
    pattern:
      /(runner|llama-server) (process )?(has terminated|no longer running|has unexpectedly stopped)|mlx runner (failed|exited unexpectedly)|resource limitations|error was encountered while running the model/,
    hint: () =>
      'The process that runs the model crashed, often for lack of memory. Choose a smaller model or a smaller window. The log of the Ollama server has the cause.',
  },
];

/** Limits of a proxy, by the status with which it answers in Ollama's place. */
const PROXY_LIMITS: Readonly<Record<number, string>> = {
  413: 'A proxy in front of Ollama limits the size of requests. Raise its limit (nginx: client_max_body_size), or shorten the conversation.',
  429: 'A proxy in front of Ollama limits the number of requests (nginx: limit_req). Raise its limit.',
  504: 'A proxy in front of Ollama did not wait long enough. Loading a model and reading a prompt take minutes: raise its timeout (nginx: proxy_read_timeout).',
};

/** A reply with a status other than 200 (T5): `Ollama HTTP {status}: {body}`, the body cut at 500 characters. */
export function httpError(status: number, body: string, asked: AskedFor): ModelError {
  const message = `Ollama HTTP ${status}: ${shortText(body.trim(), BODY_EXCERPT)}`;
  return modelError({ status, text: errorText(body), message, json: jsonObject(body) !== undefined }, asked);
}

/** An error that Ollama sent with status 200 instead of a reply or its next piece. */
export function replyError(text: string, asked: AskedFor): ModelError {
  return modelError(
    { text, message: `Ollama error in the reply: ${shortText(text, BODY_EXCERPT)}`, json: true },
    asked,
  );
}

/** The text of an `{"error": …}` object; `undefined` if the object is not an error. */
export function errorIn(object: Record<string, unknown>): string | undefined {
  if (typeof object.error === 'string') return object.error;
  if (object.error !== undefined && object.error !== null) return JSON.stringify(object.error);
  // Observed: harmony's parser error uses its own key.
  const misplaced = object['error parsing tool call'];
  return misplaced === undefined ? undefined : `error parsing tool call: ${String(misplaced)}`;
}

interface FoundError {
  status?: number;
  text: string;
  message: string;
  /** Whether it came as JSON, as Ollama sends errors. */
  json: boolean;
}

type Classified = Omit<ModelErrorOptions, 'status' | 'message'>;

function modelError(found: FoundError, asked: AskedFor): ModelError {
  const { status, message } = found;
  return new ModelError({ ...classify(found, asked), status, message });
}

/** Classifies an error by its status and text. The first match counts. */
function classify(found: FoundError, asked: AskedFor): Classified {
  const model = asked.model ?? 'NAME';
  if (found.status === 404) {
    return found.json
      ? { kind: 'model_missing', hint: `Run: ollama pull ${model}` }
      : { kind: 'http', hint: "The address answers, but not with Ollama's native API." };
  }
  return refusedRequest(found.text, model) ?? malformedCall(found, asked) ?? otherError(found, model);
}

/** Requests that Ollama refuses because of what they ask for, or because it is busy. */
function refusedRequest(text: string, model: string): Classified | undefined {
  if (/does not support\b[\s\S]*\btools\b/.test(text)) {
    return {
      kind: 'no_tool_support',
      hint: `Model "${model}" cannot call tools. Choose one whose capabilities list tools, for example: ollama pull qwen3`,
    };
  }
  if (NO_THINKING_LEVELS.test(text)) {
    return {
      kind: 'no_thinking_levels',
      hint: `Model "${model}" has no thinking levels. Turn thinking on or off instead.`,
    };
  }
  if (/does not support\b[\s\S]*\bthinking\b/.test(text)) {
    return {
      kind: 'no_thinking_support',
      hint: `Model "${model}" cannot think. Turn thinking off.`,
    };
  }
  if (OVERFLOW.test(text)) {
    return {
      kind: 'overflow',
      promptTokens: countIn(text, PROMPT_COUNTS),
      contextTokens: countIn(text, CONTEXT_COUNTS),
      hint: 'The conversation no longer fits the window. Shorten it or raise the window of the run.',
    };
  }
  if (/^server busy\b/.test(text)) {
    return {
      kind: 'busy',
      hint: "Ollama's queue is full. Try again when it is less busy.",
    };
  }
  return undefined;
}

function malformedCall({ status, text }: FoundError, asked: AskedFor): Classified | undefined {
  if (!isParserError(status, text, asked)) return undefined;
  return {
    kind: 'malformed_call',
    raw: rawIn(text) ?? text,
    hint: 'The model wrote a tool call that Ollama could not read.',
  };
}

/** Errors that a run handles alike: they differ in what to do about them, and in whether they can pass. */
function otherError({ status, text, json }: FoundError, model: string): Classified {
  if (OUT_OF_MEMORY.test(text)) {
    return {
      kind: 'http',
      code: OUT_OF_MEMORY_CODE,
      transient: false,
      hint: 'The model does not fit into memory. Choose a smaller one or a smaller window.',
    };
  }
  if (INVALID_NAME.test(text)) {
    return {
      kind: 'http',
      transient: false,
      hint: `"${model}" is not a model name. Names look like qwen3:8b or hf.co/user/model:tag.`,
    };
  }
  if (UNUSABLE_MODEL.test(text)) {
    return {
      kind: 'http',
      transient: false,
      hint: 'This Ollama cannot run the model. Update Ollama, or choose another model.',
    };
  }
  if (status === 401) {
    return {
      kind: 'http',
      hint: json
        ? 'Ollama is not signed in to the service that runs this model. Run: ollama signin'
        : 'Something in front of Ollama wants a sign-in. Check OLLAMA_HOST, or the settings of the proxy.',
    };
  }
  // Ollama itself refuses a Host header that it does not know in this way (`server/routes.go`, `allowedHostsMiddleware`).
  if (status === 403 && text === '') {
    return {
      kind: 'http',
      hint: 'Ollama refuses host names that it does not know. Have the proxy in front of it send the header “Host: localhost:11434”.',
    };
  }
  const known = HINTS.find(({ pattern }) => pattern.test(text));
  if (known) return { kind: 'http', hint: known.hint(model), transient: known.transient };
  if (status === 429 && json) {
    return {
      kind: 'http',
      // It passes after hours, if at all; the limit of a proxy after seconds.
      transient: false,
      hint: 'The service that runs this model limits how much you can use it. Wait, or choose another model.',
    };
  }
  const proxyLimit = status === undefined || json ? undefined : PROXY_LIMITS[status];
  return {
    kind: 'http',
    ...(status === 429 && { transient: true }),
    hint: json
      ? 'Look at the log of the Ollama server.'
      : (proxyLimit ?? 'Look at the log of the Ollama server, or of the proxy in front of it.'),
  };
}

function isParserError(status: number | undefined, text: string, asked: AskedFor): boolean {
  if (PARSER_ERRORS.some((pattern) => pattern.test(text))) return true;
  const ourRequestIsFine = status === undefined || status >= 500;
  return (
    ourRequestIsFine && asked.toolsOffered === true && PARSER_ERRORS_WITH_TOOLS.some((p) => p.test(text))
  );
}

/** harmony: `error parsing tool call: raw='{"path": …', err=…`. */
function rawIn(text: string): string | undefined {
  const start = text.indexOf("raw='");
  const end = text.lastIndexOf("', err=");
  return start >= 0 && end > start ? text.slice(start + 5, end) : undefined;
}

function countIn(text: string, patterns: readonly RegExp[]): number | undefined {
  const digits = patterns.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
  const count = Number(digits);
  return digits !== undefined && Number.isSafeInteger(count) ? count : undefined;
}

function errorText(body: string): string {
  const parsed = jsonObject(body);
  return (parsed && errorIn(parsed)) ?? body.trim();
}

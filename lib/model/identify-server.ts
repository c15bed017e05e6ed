import { readExcerpt } from './ollama-body.ts';
import type { OllamaConnection } from './ollama-connection.ts';
import { exchange } from './ollama-http.ts';

/** Time limit for probing a program on the port that is not Ollama, once per path. */
const ASK_WITHIN_MS = 1000;
const EXCERPT_BYTES = 64 * 1024;

interface Answer {
  server: string;
  body: string;
}

/** Signatures of other model servers, most reliable first. */
const SIGNS: readonly { name: string; isSeenIn: (answer: Answer) => boolean }[] = [
  // llama.cpp, tools/server: the `Server` header of every answer, and `owned_by` of its models.
  { name: "llama.cpp's server", isSeenIn: ({ server }) => /llama\.cpp/i.test(server) },
  { name: "llama.cpp's server", isSeenIn: ({ body }) => isOwnedBy(body, 'llamacpp') },
  // LM Studio answers a path that it does not have with status 200 and this text.
  { name: 'LM Studio', isSeenIn: ({ body }) => body.includes('Unexpected endpoint or method') },
  { name: 'LM Studio', isSeenIn: ({ body }) => isOwnedBy(body, 'organization_owner') },
  { name: 'vLLM', isSeenIn: ({ body }) => isOwnedBy(body, 'vllm') },
  { name: 'SGLang', isSeenIn: ({ body }) => isOwnedBy(body, 'sglang') },
  {
    name: 'a server with the OpenAI API',
    // Ollama also serves that path, and a proxy may hide its other paths.
    isSeenIn: ({ body }) => /"object"\s*:\s*"list"/.test(body) && !isOwnedBy(body, 'library'),
  },
];

/**
 * Identifies another model server that responds in place of Ollama, without requesting a reply from a model.
 *
 * @returns `undefined` for an unrecognized program
 */
export async function identifyServer(
  connection: OllamaConnection,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const answers = await Promise.all(
    ['/v1/models', '/'].map((path) => ask(connection, path, signal).catch(() => undefined)),
  );
  const seen = answers.filter((answer) => answer !== undefined);
  return SIGNS.find(({ isSeenIn }) => seen.some(isSeenIn))?.name;
}

/** Accepts any response, whatever its status. */
async function ask(
  { host, transport }: OllamaConnection,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const limit = AbortSignal.timeout(ASK_WITHIN_MS);
  const { response, close } = exchange(transport, { url: `${host.url}${path}`, method: 'GET' });
  const over = signal ? AbortSignal.any([signal, limit]) : limit;
  over.addEventListener('abort', close, { once: true });
  try {
    const { header, body } = await response;
    return { server: header('server') ?? '', body: await readExcerpt(body, EXCERPT_BYTES) };
  } finally {
    over.removeEventListener('abort', close);
    close();
  }
}

function isOwnedBy(body: string, owner: string): boolean {
  return new RegExp(`"owned_by"\\s*:\\s*"${owner}"`).test(body);
}

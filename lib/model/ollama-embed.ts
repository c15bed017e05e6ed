import { keepAliveToSend } from './keep-alive.ts';
import { ModelError } from './model-error.ts';
import { parseError } from './ollama-body.ts';
import { callOllama, type OllamaConnection } from './ollama-connection.ts';
import { embedReply } from './ollama-wire.ts';

/**
 * The embeddings of the texts, in order: POST `/api/embed`. Text beyond the embedding model's window is ignored.
 *
 * @throws {ModelError}
 */
export async function embed(
  connection: OllamaConnection,
  request: { model: string; texts: readonly string[]; keepAlive: string | number },
  context: { signal: AbortSignal; timeoutMs: number },
): Promise<number[][]> {
  const { model, texts, keepAlive } = request;
  const onTimeout = () =>
    new ModelError({
      kind: 'timeout',
      message: `${model} returned no embeddings within ${context.timeoutMs} ms.`,
      hint: 'Choose a smaller embedding model.',
    });
  const reply: unknown = await callOllama(connection, { ...context, onTimeout, asked: { model } }, (call) =>
    call.client.embed({ model, input: [...texts], truncate: true, keep_alive: keepAliveToSend(keepAlive) }),
  );
  const read = embedReply.safeParse(reply);
  if (read.success) return read.data.embeddings;
  throw parseError(`/api/embed: ${read.error.issues[0]?.message ?? 'unexpected shape'}`, '', read.error);
}

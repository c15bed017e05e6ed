import type { ChatRequest } from './chat-model.ts';
import { ModelError } from './model-error.ts';
import { callOllama, type OllamaConnection } from './ollama-connection.ts';
import { renderReply } from './ollama-wire.ts';
import { wireRequest } from './wire-request.ts';

/**
 * The prompt that Ollama makes of a request, tool block and control tokens included, without an answer of the model
 * (OL5). Loads the model with the request's options when it is not in memory with them.
 *
 * @throws {ModelError} as a call does; `bad_response` when the server does not know this question
 */
export async function renderPrompt(
  connection: OllamaConnection,
  request: ChatRequest,
  context: { signal: AbortSignal; timeoutMs: number },
): Promise<string> {
  const onTimeout = () =>
    new ModelError({
      kind: 'timeout',
      message: `Ollama did not render the prompt within ${context.timeoutMs / 1000} s.`,
      hint: 'It may be busy with a run, or the model takes long to load. Try again later.',
    });
  const body = { ...wireRequest(request), stream: false as const, _debug_render_only: true };
  const reply = await callOllama(
    connection,
    { ...context, onTimeout, asked: { model: request.model, toolsOffered: request.tools.length > 0 } },
    ({ client }) => client.chat(body),
  );
  const read = renderReply.safeParse(reply);
  if (read.success) return read.data._debug_info.rendered_template;
  throw new ModelError({
    kind: 'bad_response',
    message: 'This Ollama does not show the prompt that it makes of a request.',
    hint: 'Newer versions do. Messages and request are shown all the same.',
    transient: false,
  });
}

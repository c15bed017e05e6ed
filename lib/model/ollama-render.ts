import type { ChatRequest, RemoteModel } from './chat-model.ts';
import { ModelError } from './model-error.ts';
import { callOllama, type OllamaConnection } from './ollama-connection.ts';
import { show } from './ollama-models.ts';
import { renderReply } from './ollama-wire.ts';
import { wireRequest } from './wire-request.ts';

/**
 * The prompt that Ollama renders for a request, including tool block and control tokens, without generating a reply
 * (OL5). Loads the model with the request's options if needed.
 *
 * @throws {ModelError} as for a call; `bad_response` if the server does not support this, or forwards it to another
 *   machine
 */
export async function renderPrompt(
  connection: OllamaConnection,
  request: ChatRequest,
  context: { signal: AbortSignal; timeoutMs: number },
): Promise<string> {
  const { remote } = await show(connection, request.model, context.signal);
  if (remote) throw renderedElsewhere(request.model, remote);
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
    message: 'This version of Ollama cannot show the rendered prompt.',
    hint: 'Newer versions can. The messages and the request are still shown.',
    transient: false,
  });
}

function renderedElsewhere(model: string, { host }: RemoteModel): ModelError {
  return new ModelError({
    kind: 'bad_response',
    message: `${model} runs at ${host}: its prompt is rendered there.`,
    hint: 'The messages and the request are still shown.',
    transient: false,
  });
}

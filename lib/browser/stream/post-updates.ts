import { createParser } from 'eventsource-parser';
import { postForStream } from '../api.ts';

/**
 * `POST` a request and read the updates of its work, which the server sends as server-sent events of JSON.
 *
 * @param options.onUpdate an exception in it ends the reading
 * @throws {ApiError} if the server refuses the request; the error of the connection if that breaks
 */
export async function postUpdates<Update>(
  path: string,
  body: unknown,
  { signal, onUpdate }: { signal: AbortSignal; onUpdate: (update: Update) => void },
): Promise<void> {
  const response = await postForStream(path, body, signal);
  if (!response.body) return;
  const parser = createParser({ onEvent: ({ data }) => onUpdate(JSON.parse(data)) });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parser.feed(decoder.decode(part.value, { stream: true }));
  }
}

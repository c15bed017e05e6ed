import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Reads an event stream to its end and yields each message as it arrives, including those before the connection breaks. */
export async function readMessages(
  answer: Response,
  onMessage: (message: EventSourceMessage) => void,
): Promise<void> {
  const parser = createParser({ onEvent: onMessage });
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
}

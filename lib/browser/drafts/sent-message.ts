import { randomKey } from '../random-key.ts';
import type { DraftImage } from './draft-images.ts';
import { keepText, keptText } from './kept-text.ts';

/** A message on its way: sent, but not yet confirmed by an answer or by the log. */
export interface SentMessage {
  /** Of its request. The same message is sent again with the same key, so that the model gets it once. */
  readonly key: string;
  readonly text: string;
  readonly images: readonly DraftImage[];
}

const NO_IMAGES: readonly DraftImage[] = [];

/** The message to send: the one on its way if nothing has changed since, else a new one with its own key. */
export function messageToSend(
  onItsWay: SentMessage | undefined,
  { text, images }: Pick<SentMessage, 'text' | 'images'>,
): SentMessage {
  const isSame =
    onItsWay?.text === text &&
    onItsWay.images.length === images.length &&
    onItsWay.images.every((image, index) => image === images[index]);
  return isSame ? onItsWay : { key: randomKey(), text, images };
}

/** The text of the box without a message that has been sent: what was typed meanwhile stays. */
export function withoutSent(typed: string, { text }: SentMessage): string {
  const now = typed.trimStart();
  return now.startsWith(text) ? now.slice(text.length).trimStart() : typed;
}

/** Keeps a message on its way for this tab, even across a reload. One with images is not kept, like its draft. */
export function keepSent(runId: string, message: SentMessage | undefined): void {
  const kept = message && message.images.length === 0 ? `${message.key} ${message.text}` : '';
  keepText(nameOf(runId), kept);
}

/** The kept message on its way. */
export function keptSent(runId: string): SentMessage | undefined {
  const kept = keptText(nameOf(runId));
  const end = kept.indexOf(' ');
  return end < 1 ? undefined : { key: kept.slice(0, end), text: kept.slice(end + 1), images: NO_IMAGES };
}

function nameOf(runId: string): string {
  return `sent.${runId}`;
}

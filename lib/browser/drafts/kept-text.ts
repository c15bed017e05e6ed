import { storedText, storeText } from '../prefs/stored-text.ts';

/** Keeps text that was typed but not sent, for this tab. An empty text removes the draft. */
export function keepText(name: string, text: string): void {
  storeText('session', `draft.${name}`, text);
}

/** The kept text; empty if there is none. */
export function keptText(name: string): string {
  return storedText('session', `draft.${name}`) ?? '';
}

import { storedText, storeText } from './stored-text.ts';

type Choice = 'density' | 'model' | 'notify' | 'plots' | 'raw-text' | 'run-view';

/** Small choices kept in this browser. */
export function remember(name: Choice, value: string): void {
  storeText('local', name, value);
}

/** The remembered choice, if any. */
export function remembered(name: Choice): string | undefined {
  return storedText('local', name);
}

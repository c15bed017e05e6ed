type Choice = 'model' | 'notify' | 'plots' | 'raw-text' | 'run-view';

/** Small choices kept in this browser. Storage may be switched off; then nothing is remembered, and nothing breaks. */
export function remember(name: Choice, value: string): void {
  try {
    localStorage.setItem(`loupe.${name}`, value);
  } catch (error) {
    console.info('This browser keeps no settings:', error);
  }
}

/** The remembered choice, if any. */
export function remembered(name: Choice): string | undefined {
  try {
    return localStorage.getItem(`loupe.${name}`) ?? undefined;
  } catch {
    // Storage is switched off: the same as nothing remembered.
    return undefined;
  }
}

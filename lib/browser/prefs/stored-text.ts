/** `local` is kept by the browser, `session` by the tab. */
type Place = 'local' | 'session';

/** Stores a text in this browser. Storage may be switched off or full; then nothing is stored, and nothing breaks. */
export function storeText(place: Place, name: string, text: string): void {
  try {
    storageOf(place).setItem(keyOf(name), text);
  } catch (error) {
    console.info('This browser stores nothing:', error);
  }
}

/** The stored text; `undefined` if there is none, or storage is switched off. */
export function storedText(place: Place, name: string): string | undefined {
  try {
    return storageOf(place).getItem(keyOf(name)) ?? undefined;
  } catch {
    return undefined;
  }
}

function storageOf(place: Place): Storage {
  return place === 'local' ? localStorage : sessionStorage;
}

function keyOf(name: string): string {
  return `loupe.${name}`;
}

/** The key that must be unique among things of one kind: their name, ignoring case. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

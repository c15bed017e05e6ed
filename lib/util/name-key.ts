/** What two things of one kind cannot share: their name without regard to case. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/**
 * A key that no other request has. Not `crypto.randomUUID`, which pages that another machine serves unencrypted
 * (`--host`) don't have.
 */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

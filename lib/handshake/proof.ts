import { createHmac, scryptSync, timingSafeEqual } from 'node:crypto';
import { BASE64URL_32_BYTES } from '../util/byte-patterns.ts';

/** The values that both sides sign with the operator token. */
export interface Challenge {
  /** Chosen by the client: 32 random bytes in base64url. */
  clientNonce: string;
  /** Chosen by the server. */
  serverNonce: string;
  /** The server's address and port. A proof relayed by another program names a different one. */
  listener: string;
}

export const CLIENT_NONCE = BASE64URL_32_BYTES;

/** Prefix of a proof sent as a bearer; no operator token starts with it by chance. */
const PREFIX = 'loupe-proof';

/**
 * Derives the key of the proofs. Any client can obtain a proof and test tokens against it offline, so the derivation is
 * slow, to protect a LOUPE_TOKEN chosen by a person.
 */
export function proofKey(token: string): Buffer {
  return scryptSync(token, 'loupe handshake 1', 32);
}

/** Proves to a client that this server knows the token. */
export function serverProof(key: Buffer, challenge: Challenge): string {
  return proof(key, 'server', challenge);
}

/** The value that a client sends as `Authorization: Bearer …` instead of the token. */
export function clientBearer(key: Buffer, challenge: Challenge): string {
  const { clientNonce, serverNonce } = challenge;
  return `${PREFIX}.${clientNonce}.${serverNonce}.${proof(key, 'client', challenge)}`;
}

/** The nonces in a bearer; `undefined` if it is not a proof. */
export function noncesOf(bearer: string): Pick<Challenge, 'clientNonce' | 'serverNonce'> | undefined {
  const [prefix, clientNonce = '', serverNonce = '', ...rest] = bearer.split('.');
  return prefix === PREFIX && rest.length === 1 ? { clientNonce, serverNonce } : undefined;
}

/** Compares two secrets in a time that does not depend on where they differ. */
export function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function proof(key: Buffer, role: 'server' | 'client', challenge: Challenge): string {
  const { clientNonce, serverNonce, listener } = challenge;
  const text = JSON.stringify(['loupe 1', role, clientNonce, serverNonce, listener]);
  return createHmac('sha256', key).update(text).digest('base64url');
}

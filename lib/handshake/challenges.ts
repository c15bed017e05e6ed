import { createHmac, randomBytes } from 'node:crypto';
import type { HandshakeReply } from '../api/replies.ts';
import { type Challenge, clientBearer, noncesOf, proofKey, sameText, serverProof } from './proof.ts';

/** How long a client's proof is valid, in milliseconds. */
const LIFETIME_MS = 60 * 60_000;

/**
 * The server's side of the handshake. It stores nothing per client: the nonce contains its own time, signed with a key of
 * this process, so handshakes cannot evict each other and proofs expire with the process.
 */
export class Challenges {
  readonly #token: string;
  readonly #now: () => number;
  readonly #nonceKey = randomBytes(32);
  #key: Buffer | undefined;

  constructor(options: { token: string; now: () => number }) {
    this.#token = options.token;
    this.#now = options.now;
  }

  /** Cached, because the derivation takes about 50 ms. */
  get #proofKey(): Buffer {
    this.#key ??= proofKey(this.#token);
    return this.#key;
  }

  answer(clientNonce: string, listener: string): HandshakeReply {
    const serverNonce = this.#nonce(clientNonce, Math.floor(this.#now()));
    const challenge = { clientNonce, serverNonce, listener };
    return { program: 'loupe', nonce: serverNonce, listener, proof: serverProof(this.#proofKey, challenge) };
  }

  /** Whether a bearer proves knowledge of the operator token, based on a nonce of this process. */
  accepts(bearer: string, listener: string): boolean {
    const nonces = noncesOf(bearer);
    if (!nonces) return false;
    const issuedAt = Number.parseInt(nonces.serverNonce, 36);
    const own = this.#nonce(nonces.clientNonce, issuedAt);
    if (!sameText(nonces.serverNonce, own) || this.#now() - issuedAt > LIFETIME_MS) return false;
    const challenge: Challenge = { ...nonces, listener };
    return sameText(bearer, clientBearer(this.#proofKey, challenge));
  }

  #nonce(clientNonce: string, issuedAt: number): string {
    const mac = createHmac('sha256', this.#nonceKey).update(`${clientNonce} ${issuedAt}`);
    return `${issuedAt.toString(36)}-${mac.digest('base64url')}`;
  }
}

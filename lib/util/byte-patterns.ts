/** A SHA-256 in hexadecimal digits. */
export const SHA256_HEX = /^[0-9a-f]{64}$/;

/** 32 bytes in base64url, as tokens, tickets and nonces are written. */
export const BASE64URL_32_BYTES = /^[A-Za-z0-9_-]{43}$/;

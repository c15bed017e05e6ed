/**
 * The header with the half of a sign-in that stays with the origin; the other half is the cookie (docs/decisions/0034).
 */
export const KEY_HEADER = 'x-loupe-key';

/** The local storage key of that half. */
export const STORED_KEY = 'loupe.key';

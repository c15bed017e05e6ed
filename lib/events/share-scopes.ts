/** How much of a run a link or an exported file shows, from least to most. */
export const SHARE_SCOPES = ['summary', 'without_results', 'everything'] as const;
export type ShareScope = (typeof SHARE_SCOPES)[number];

/** Replaces a text that the scope withholds. */
export const WITHHELD = '‹withheld›';

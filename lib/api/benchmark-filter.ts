/** Which results of a benchmark are listed: `gained` and `lost` are those that reading made right or wrong. */
export const RESULT_FILTERS = ['all', 'gained', 'lost', 'wrong', 'failed'] as const;
export type ResultFilter = (typeof RESULT_FILTERS)[number];

/** Cases in one reply. */
export const MAX_LISTED_CASES = 500;

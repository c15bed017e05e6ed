/** One matching line. */
export interface Match {
  path: string;
  line: number;
  /** The line, or at least the part around the match in a long line. */
  text: string;
  /** Where the match begins in the text. */
  at: number;
  /** Whether the line begins before the text. */
  isCutBefore?: boolean;
}

export interface Found {
  matches: Match[];
  /** There were more matches, or the search ended early. */
  incomplete: boolean;
  /** Some folders were not searched; the note says which. */
  isPartial?: boolean;
  /** A note for the model on how the search was done. */
  note?: string;
}

export interface SearchRequest {
  pattern: string;
  /** Path steps of a validated folder or file. */
  steps: readonly string[];
  maxResults: number;
}

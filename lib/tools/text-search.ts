/** One matching line. */
export interface Match {
  path: string;
  line: number;
  text: string;
}

export interface Found {
  matches: Match[];
  /** More were there, or the search was ended before it was through. */
  incomplete: boolean;
  /** What the model should know about the way it was searched. */
  note?: string;
}

export interface SearchRequest {
  pattern: string;
  /** Steps of a folder or file that was checked to be one. */
  steps: readonly string[];
  maxResults: number;
}

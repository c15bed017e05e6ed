import type { ForkPlace } from '../../api/fork-place.ts';

/** What a fork is opened with: where, and what of it is to be changed. */
export interface ForkOpening {
  readonly place: ForkPlace;
  /** Where the fork is, in words: `before iteration 3`. */
  readonly words: string;
  /** What the person came to change; it is open at once. */
  readonly focus?: 'message' | 'result' | 'reply' | 'arguments' | 'settings';
}

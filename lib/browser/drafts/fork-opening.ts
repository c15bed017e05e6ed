import type { ForkPlace } from '../../api/fork-place.ts';

/** How the fork dialog opens: the fork point, and what to change. */
export interface ForkOpening {
  readonly place: ForkPlace;
  /** The fork point in words: `before iteration 3`. */
  readonly words: string;
  /** The part that the person wants to change; it is open from the start. */
  readonly focus?: 'message' | 'result' | 'reply' | 'arguments' | 'settings';
}

import { notStarted } from '../errors/not-started.ts';
import type { Ratings } from '../models/ratings.ts';

const KEY = Symbol.for('loupe.ratings');
const place: typeof globalThis & { [KEY]?: Ratings } = globalThis;

/** Sets the ratings of this process. Stored on `globalThis`, because Next loads a second copy of every module. */
export function setRatings(ratings: Ratings): void {
  place[KEY] = ratings;
}

/** @throws {AppError} `not_started` */
export function getRatings(): Ratings {
  return place[KEY] ?? notStarted();
}

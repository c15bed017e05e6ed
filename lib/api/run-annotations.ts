import { MAX_SCORE } from '../events/limits.ts';

/** A person's annotations of a run. They are kept apart from the log, which only records what happened. */
export interface RunAnnotations {
  /** Replaces the run's own title in lists. */
  title?: string;
  pinned?: true;
  /** Hidden from the run list by default. */
  archived?: true;
  /** Sorted and distinct. */
  tags?: readonly string[];
  note?: string;
  /** A whole number from 0 to `MAX_SCORE`. */
  score?: number;
}

/** A change of annotations; missing fields stay as they are, and `null` removes a value. */
export interface AnnotationChange {
  title?: string | null;
  pinned?: boolean;
  archived?: boolean;
  /** Replaces all tags. */
  tags?: readonly string[];
  add_tags?: readonly string[];
  remove_tags?: readonly string[];
  note?: string | null;
  score?: number | null;
}

export const THUMBS_DOWN = 0;
export const THUMBS_UP = MAX_SCORE;

/** The annotations after a change; `undefined` if none are left. Pure. */
export function annotated(
  before: RunAnnotations | undefined,
  change: AnnotationChange,
): RunAnnotations | undefined {
  const removed = new Set(change.remove_tags);
  const tags = [...(change.tags ?? before?.tags ?? []), ...(change.add_tags ?? [])];
  const kept = [...new Set(tags)].filter((tag) => !removed.has(tag)).sort();
  const title = changed(before?.title, change.title);
  const note = changed(before?.note, change.note);
  const score = changed(before?.score, change.score);
  const after: RunAnnotations = {
    ...(title === undefined ? {} : { title }),
    ...((change.pinned ?? before?.pinned) ? { pinned: true } : {}),
    ...((change.archived ?? before?.archived) ? { archived: true } : {}),
    ...(kept.length > 0 ? { tags: kept } : {}),
    ...(note === undefined ? {} : { note }),
    ...(score === undefined ? {} : { score }),
  };
  return Object.keys(after).length > 0 ? after : undefined;
}

function changed<Value>(before: Value | undefined, change: Value | null | undefined): Value | undefined {
  if (change === undefined) return before;
  return change === null || change === '' ? undefined : change;
}

import type { AnnotationChange } from '../../api/run-annotations.ts';
import type { RunSummary } from '../../api/run-summary.ts';

/** The fields of a run's details dialog. */
export interface DetailsDraft {
  readonly title: string;
  readonly tags: readonly string[];
  readonly note: string;
  readonly score: number | undefined;
  readonly pinned: boolean;
  readonly archived: boolean;
}

/** The fields as they open. */
export function detailsOf({ title, annotations = {} }: RunSummary): DetailsDraft {
  const { tags = [], note = '', score, pinned = false, archived = false } = annotations;
  return { title, tags, note, score, pinned, archived };
}

/**
 * The changes to a run: only fields that a person changed, so that changes made in another tab meanwhile are kept.
 * `undefined` if there are none. Pure.
 *
 * @param opened the fields as they opened
 */
export function detailsChange(opened: DetailsDraft, draft: DetailsDraft): AnnotationChange | undefined {
  const { title, tags, note, score, pinned, archived } = draft;
  const sameTags = tags.length === opened.tags.length && tags.every((tag) => opened.tags.includes(tag));
  const change: AnnotationChange = {
    ...(title === opened.title ? {} : { title: title.trim() === '' ? null : title }),
    ...(sameTags ? {} : { tags }),
    ...(note === opened.note ? {} : { note }),
    ...(score === opened.score ? {} : { score: score ?? null }),
    ...(pinned === opened.pinned ? {} : { pinned }),
    ...(archived === opened.archived ? {} : { archived }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

import { z } from 'zod';
import {
  MAX_NOTE_CHARS,
  MAX_SCORE,
  MAX_SELECTED_RUNS,
  MAX_TAG_CHARS,
  MAX_TAGS,
  MAX_TITLE_CHARS,
} from '../events/limits.ts';
import { VISIBLE_LINE } from '../util/visible-line.ts';
import type { AnnotationChange } from './run-annotations.ts';

const NOT_A_TAG = 'A tag must not contain commas or control characters.';

/** A label such as `baseline`; spaces inside are kept, and a comma separates tags where people type them. */
const tag = z
  .string()
  .trim()
  .min(1, 'A tag must not be empty.')
  .max(MAX_TAG_CHARS)
  .regex(VISIBLE_LINE, NOT_A_TAG)
  .regex(/^[^,]*$/, NOT_A_TAG);
const tags = z.array(tag).max(MAX_TAGS);
const line = z
  .string()
  .trim()
  .max(MAX_TITLE_CHARS)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'It must be one line without control characters.');
const note = z
  .string()
  .trim()
  .max(MAX_NOTE_CHARS)
  .refine(
    (text) => text.isWellFormed() && !text.includes('\0'),
    'It must be valid text without NUL characters.',
  );
const score = z.int().min(0).max(MAX_SCORE);

/** Body of `PATCH /api/runs/{id}`: missing fields stay as they are; `null` or an empty text removes a value. */
export const annotateRunRequest = z
  .strictObject({
    title: line.nullable().optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
    tags: tags.optional(),
    add_tags: tags.optional(),
    remove_tags: tags.optional(),
    note: note.nullable().optional(),
    score: score.nullable().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'Name at least one field to change.')
  .superRefine(refuseAddedAndRemoved);

/** Reports a tag that a change both adds and removes. */
function refuseAddedAndRemoved(
  { add_tags: added = [], remove_tags: removed = [] }: AnnotationChange,
  context: z.RefinementCtx,
): void {
  const both = added.find((name) => removed.includes(name));
  if (both === undefined) return;
  context.addIssue({
    code: 'custom',
    path: ['add_tags'],
    message: `The tag "${both}" is both added and removed. Choose one.`,
  });
}

const runIds = z.array(z.string().min(1).max(64)).min(1, 'Name at least one run.').max(MAX_SELECTED_RUNS);

/** Body of `POST /api/selection/annotate`: one change for many runs. */
export const annotateSelectionRequest = z
  .strictObject({
    runs: runIds,
    add_tags: tags.optional(),
    remove_tags: tags.optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
  })
  .superRefine(refuseAddedAndRemoved);

/** Body of `POST /api/selection/delete` and `/restore`. */
export const selectionRequest = z.strictObject({ runs: runIds });

/** The annotations of a run as stored and in run files. */
export const runAnnotations = z.strictObject({
  title: line.min(1).optional(),
  pinned: z.literal(true).optional(),
  archived: z.literal(true).optional(),
  tags: tags.min(1).optional(),
  note: note.min(1).optional(),
  score: score.optional(),
});

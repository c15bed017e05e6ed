/** Scores of one text by the IDs of the items. */
export type TextScores = Readonly<Record<string, number>>;

/**
 * Scores that were chosen and not saved, by the runs whose texts they are about: which text is next follows the name that is
 * entered, and what was saved in other tabs.
 */
export type UnsavedScores = ReadonlyMap<string, TextScores>;

/** The scores that were chosen for a text. Pure. */
export function scoresOf(unsaved: UnsavedScores, runId: string | undefined): TextScores {
  return (runId === undefined ? undefined : unsaved.get(runId)) ?? {};
}

/** With the score of an item for a text. Pure. */
export function withScore(
  unsaved: UnsavedScores,
  runId: string,
  { item, score }: { item: string; score: number },
): UnsavedScores {
  return new Map(unsaved).set(runId, { ...scoresOf(unsaved, runId), [item]: score });
}

/** Without the scores of a text, because they are saved. Pure. */
export function withoutScores(unsaved: UnsavedScores, runId: string): UnsavedScores {
  return new Map([...unsaved].filter(([id]) => id !== runId));
}

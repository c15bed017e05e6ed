import type { DraftProblems, RunDraft } from '#lib/browser/drafts/run-draft.ts';

/** What each part of the new-run form gets. */
export interface FormPart {
  draft: RunDraft;
  set: <K extends keyof RunDraft>(field: K, value: RunDraft[K]) => void;
  problems: DraftProblems;
}

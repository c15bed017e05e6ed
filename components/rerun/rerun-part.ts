import type { RerunDraft } from '#lib/browser/drafts/rerun-draft.ts';

/** Props of every part of the editor. */
export interface RerunPart {
  draft: RerunDraft;
  /** By field, as `readRerunDraft` names them. */
  problems: Readonly<Record<string, string>>;
  onChange: (changes: Partial<RerunDraft>) => void;
}

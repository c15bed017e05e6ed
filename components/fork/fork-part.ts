import type { ForkDraftReply } from '#lib/api/fork-run.ts';
import type { ForkDraft } from '#lib/browser/drafts/fork-draft.ts';

/** Props of every part of the dialog. */
export interface ForkPart {
  point: ForkDraftReply;
  /** The text that the person came for. */
  focused: string | undefined;
  draft: ForkDraft;
  problems: Readonly<Record<string, string>>;
  onChange: (changes: Partial<ForkDraft>) => void;
}

'use client';

import { ArrowRight } from 'lucide-react';
import { draftDefaults, type RunDraft } from '#lib/browser/drafts/run-draft.ts';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { useDraft } from './run-form.ts';
import { TakesTurnsNote } from './takes-turns-note.tsx';

/** The foot of the form: the run in one line, and the button that starts it. */
export function StartBar({
  busy,
  problem,
}: {
  busy: boolean;
  problem: { message: string; hint?: string } | undefined;
}) {
  const draft = useDraft();
  return (
    <div className="sticky bottom-0 -mx-3 border-t bg-canvas px-3 py-3 sm:-mx-6 sm:px-6">
      {problem && (
        <div className="mb-3">
          <ErrorNote error={problem} />
        </div>
      )}
      {goesOnUntilStopped(draft) && <TakesTurnsNote model={draft.model} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="foreign min-w-0 flex-1 text-sm text-ink-3 max-sm:basis-full">
          <span className="font-mono text-xs text-ink-2">
            {draft.model ? <ShortName text={draft.model} max={60} /> : 'no model'}
          </span>
          {[kindFacts(draft.kind).usesFiles && folderWords(draft), lengthWords(draft)]
            .filter(Boolean)
            .map((words) => ` · ${words}`)}
        </p>
        <Link
          href="/"
          className="reach ml-auto px-2 text-sm text-ink-2 underline-offset-4 hover:text-ink hover:underline"
        >
          Cancel
        </Link>
        <Button type="submit" kind="primary" disabled={busy}>
          {busy ? 'Starting' : KIND_WORDS[draft.kind].start}
          <ArrowRight className="size-4" aria-hidden="true" />
        </Button>
      </div>
    </div>
  );
}

/** Whether the run works on without anyone; a session does so on autopilot only. */
function goesOnUntilStopped({ kind, untilStopped, autopilot }: RunDraft): boolean {
  const { endsBy } = kindFacts(kind);
  return (endsBy === 'stop' && autopilot) || (endsBy === 'max_cycles' && untilStopped);
}

function folderWords({ workspaceKind, workspace, workspace_copy }: RunDraft): string {
  if (workspaceKind === 'fresh') return 'a fresh folder';
  if (workspace.trim() === '') return 'no folder yet';
  return `${workspace_copy ? 'a copy of ' : ''}${shortLine(workspace)}`;
}

/** The limit of the run's length; empty for a single reply. */
function lengthWords(draft: RunDraft): string | undefined {
  if (goesOnUntilStopped(draft)) return 'until it is stopped';
  const { endsBy } = kindFacts(draft.kind);
  if (endsBy === 'stop') return 'until you end it';
  if (endsBy === 'max_cycles') return counted(draft.max_cycles || draftDefaults(draft).max_cycles, 'cycle');
  return endsBy === 'max_iterations'
    ? `at most ${counted(draft.max_iterations || draftDefaults(draft).max_iterations, 'iteration')}`
    : undefined;
}

/** A number as it was typed, or its default, with its noun. */
function counted(value: string | number | null, noun: string): string {
  return `${value} ${Number(value) === 1 ? noun : `${noun}s`}`;
}

import type { SharedNote } from '#lib/api/player-source.ts';
import { formatMoment, plural } from '#lib/browser/words/format.ts';
import { Mark } from '../ui/mark.tsx';

const scopes: Record<NonNullable<SharedNote['scope']>, string | undefined> = {
  everything: undefined,
  without_results: 'without tool results',
  summary: 'summary only',
};

/** The origin of a shared page and what is left out. */
export function SharedBar({ note }: { note: SharedNote | undefined }) {
  const words = [
    note?.scope && scopes[note.scope],
    note?.redacted !== undefined &&
      (note.redacted === 0 ? 'nothing to mask' : `${plural(note.redacted, 'value')} masked`),
    note?.frozen_at !== undefined && `snapshot of ${formatMoment(note.frozen_at)}`,
    note?.expires_at !== undefined && `link expires ${formatMoment(note.expires_at)}`,
  ].filter(Boolean);
  return (
    <header className="flex items-center gap-x-2 border-b bg-sunken px-3 py-1.5 text-xs text-ink-3 sm:px-6">
      <Mark className="size-4 shrink-0 text-brass" />
      <span className="min-w-0">
        <span className="font-semibold text-ink-2">Loupe</span> · read only
        {words.length > 0 && ` · ${words.join(' · ')}`}
      </span>
    </header>
  );
}

import { formatMoment } from '#lib/browser/words/format.ts';

/** Shown above an imported run, which is read-only. */
export function ImportedBar({ at, ended }: { at: number; ended: boolean }) {
  return (
    <p className="border-b bg-sunken px-3 py-1.5 text-sm text-ink-2 sm:px-6" role="note">
      Imported {formatMoment(at)}. It is read-only.
      {!ended && ' Its log ends before the run did.'}
    </p>
  );
}

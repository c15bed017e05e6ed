import { formatCount } from '#lib/browser/words/format.ts';

/** Says that a filter leaves rows out: on paper, and if no row is left. */
export function LeftOutRows({
  shown,
  all,
  onShowAll,
}: {
  shown: number;
  all: number;
  onShowAll: () => void;
}) {
  return (
    <>
      {shown !== all && (
        <p className="hidden pt-2 text-sm text-ink-2 print:block">
          {formatCount(shown)} of {formatCount(all)} rows: the others are filtered out.
        </p>
      )}
      {shown === 0 && all > 0 && (
        <p role="status" className="mx-auto max-w-page px-3 py-10 text-ink-2 sm:px-6 md:pl-20">
          No rows match.{' '}
          <button
            type="button"
            className="font-medium text-brass underline-offset-4 hover:underline"
            onClick={onShowAll}
          >
            Show all rows
          </button>
        </p>
      )}
    </>
  );
}

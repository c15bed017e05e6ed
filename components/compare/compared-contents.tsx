'use client';

import { MAX_FETCHED_CHARS } from '#lib/browser/content/limits.ts';
import {
  type ContentPlace,
  contentsToCompare,
  type FileContents,
  type FileSide,
} from '#lib/browser/state/compared-contents.ts';
import { wholeTextsAt } from '#lib/browser/stream/whole-texts.ts';
import { formatBytes } from '#lib/browser/words/format.ts';
import { useReading } from '../hooks/use-api.ts';
import { FileDiff } from '../ui/content/file-diff.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

/** The final contents of a file in two runs as a diff, read from their logs. */
export function ComparedContents({ path, a, b }: { path: string; a: FileSide; b: FileSide }) {
  const { note, texts } = contentsToCompare(a, b);
  const sides = [texts?.before, texts?.after].filter((place) => place !== undefined);
  const isTooLarge = sides.some(({ chars }) => chars > MAX_FETCHED_CHARS);
  return (
    <>
      <p className="text-sm text-ink-2">{note}</p>
      {texts && !isTooLarge && <Diff path={path} texts={texts} />}
      {isTooLarge && (
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-3">
          The contents are too large to be compared here.
          {sides.map(({ runId, seq, path: at, chars }) => (
            <DownloadLink
              key={`${runId} ${seq}`}
              href={wholeTexts(runId).fileUrl(seq, at)}
              className="reach font-medium text-brass underline-offset-2 hover:underline"
            >
              Download {runId === a.run.id ? a.letter : b.letter} ({formatBytes(chars)})
            </DownloadLink>
          ))}
        </p>
      )}
    </>
  );
}

function Diff({ path, texts }: { path: string; texts: NonNullable<FileContents['texts']> }) {
  const before = useContent(texts.before);
  const after = useContent(texts.after);
  const error = before.error ?? after.error;
  if (error) return <ErrorNote error={error} />;
  if (after.data === undefined || (texts.before && before.data === undefined)) {
    return (
      <p className="text-sm text-ink-3" aria-busy="true">
        Loading…
      </p>
    );
  }
  return (
    <FileDiff
      path={path}
      before={before.data ?? (texts.isBeforeUnknown ? '' : undefined)}
      after={after.data}
    />
  );
}

/** A content from the log of its run, which never changes. */
function useContent(place: ContentPlace | undefined) {
  return useReading<string>({
    key: place ? ['compared content', place.runId, place.seq, place.path] : [],
    read: place && (async () => String(await wholeTexts(place.runId).value(place.seq, place.path))),
  });
}

function wholeTexts(runId: string) {
  return wholeTextsAt(() => `/api/runs/${encodeURIComponent(runId)}`);
}

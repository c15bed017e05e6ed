import type { KnownChange } from '#lib/browser/state/file-versions.ts';
import { FileDiff } from '../../ui/content/file-diff.tsx';
import { EventLink } from '../../ui/event-link.tsx';

/** A change to a file as a diff, and where its earlier content comes from. */
export function FileChange({ change, onGo }: { change: KnownChange; onGo: (seq: number) => void }) {
  const { path, before, after, beforeSeq, commandSince } = change;
  return (
    <div className="min-w-0">
      <FileDiff path={path} before={before} after={after} />
      {beforeSeq !== undefined && (
        <p className="mt-1 font-sans text-xs text-ink-3">
          Compared with the content at{' '}
          <EventLink seq={beforeSeq} onGo={onGo} className="tnum">
            #{beforeSeq}
          </EventLink>
          {commandSince && '. Commands ran since and may have changed the file'}.
        </p>
      )}
    </div>
  );
}

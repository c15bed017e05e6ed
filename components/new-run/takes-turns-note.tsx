'use client';

import type { RunListReply } from '#lib/api/replies.ts';
import { takesTurnsWith } from '#lib/browser/stream/taking-turns.ts';
import { useApi } from '../hooks/use-api.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';

/** A warning that two endless runs with different models would keep reloading them. */
export function TakesTurnsNote({ model }: { model: string }) {
  const { data } = useApi<RunListReply>('/api/runs?limit=50', 5000);
  const other = takesTurnsWith(data?.runs ?? [], model);
  if (!other) return null;
  return (
    <p role="note" className="mb-3 rounded-md border border-warn/40 bg-warn-wash px-3 py-2 text-sm">
      <Link
        href={`/runs/${encodeURIComponent(other.id)}`}
        className="foreign font-medium underline underline-offset-2"
      >
        <ShortName text={other.title} />
      </Link>{' '}
      runs until it is stopped, with{' '}
      <span className="font-mono text-xs">
        <ShortName text={other.model} />
      </span>
      . The two will take turns, and Ollama loads a model at each change. Choose the same model, or stop that
      run first.
    </p>
  );
}

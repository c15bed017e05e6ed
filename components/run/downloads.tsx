'use client';

import { useState } from 'react';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import type { RunMode } from '#lib/events/config.ts';
import { DownloadLink } from '../ui/download-link.tsx';

interface File {
  href: string;
  name: string;
  /** What it holds, in one line. */
  holds: string;
}

/** A run as files, each with what is in it: to read anywhere, to paste, and to work with. */
export function Downloads({ runId, mode }: { runId: string; mode: RunMode | undefined }) {
  const [masked, setMasked] = useState(true);
  const path = `/api/runs/${encodeURIComponent(runId)}`;
  const raw = masked ? '' : '?redact=0';
  const asked = masked ? '&redact=1' : '';
  const readable: File[] = [
    {
      href: `${path}/export.html${raw}`,
      name: 'HTML page',
      holds: 'The run with its player in one file that opens offline.',
    },
    {
      href: `${path}/export.md${raw}`,
      name: 'Markdown summary',
      holds: 'Task, figures, one line per call, outcome and answer.',
    },
  ];
  const logs: File[] = [
    {
      href: `${path}/export?format=run`,
      name: 'Run file',
      holds: 'The complete log as JSON Lines, for import into another Loupe. Nothing is masked.',
    },
    {
      href: `${path}/export?format=bundle`,
      name: 'Bug bundle',
      holds: 'For a bug report: log, versions, model and settings. Always masked. Can be imported.',
    },
    {
      href: `${path}/export?format=scenario${raw.replace('?', '&')}`,
      name: 'Scenario',
      holds: 'The replies of this run, for replay without the model (npm run fake).',
    },
    {
      href: `${path}/export?format=spans${raw.replace('?', '&')}`,
      name: 'OpenTelemetry spans',
      holds: 'Spans following the generative AI conventions, as OTLP JSON. No texts.',
    },
  ];
  const log = mode && KIND_WORDS[mode].log;
  if (log) logs.push({ href: `${path}/log?format=${mode}${asked}`, ...log });
  return (
    <section aria-label="Files" className="grid gap-2 border-t pt-3 print:hidden">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="caption">Export</h3>
        <label className="reach flex items-center gap-2 text-sm text-ink-2">
          <input
            type="checkbox"
            className="size-4 accent-brass-fill"
            checked={masked}
            onChange={(event) => setMasked(event.target.checked)}
          />
          Mask secrets, addresses and paths
        </label>
      </div>
      <ul className="grid gap-1.5">
        {[...readable, ...logs].map((file) => (
          <li
            key={file.name}
            className="grid grid-cols-1 gap-x-4 sm:grid-cols-[9.5rem_minmax(0,1fr)] sm:items-baseline"
          >
            <DownloadLink
              href={file.href}
              className="reach w-fit text-sm font-medium text-brass underline-offset-4 hover:underline"
            >
              {file.name}
            </DownloadLink>
            <span className="text-sm text-ink-3">{file.holds}</span>
          </li>
        ))}
      </ul>
      {!masked && (
        <p role="status" className="text-sm text-warn">
          The page and the summary will contain everything the run saw, unmasked.
        </p>
      )}
    </section>
  );
}

'use client';

import { useState } from 'react';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import type { RunMode } from '#lib/events/config.ts';
import { cx } from '../ui/cx.ts';
import { DownloadLink } from '../ui/download-link.tsx';
import { Menu, menuItem } from '../ui/menu.tsx';

interface File {
  href: string;
  name: string;
  /** Its content, in one line. */
  holds: string;
}

/** A menu with the run as files: to read anywhere, to paste, and to work with. */
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
    <Menu label="Export" className="w-96">
      <label className="flex items-center gap-2 px-3 py-1.5 text-sm text-ink-2">
        <input
          type="checkbox"
          className="size-4 accent-brass-fill"
          checked={masked}
          onChange={(event) => setMasked(event.target.checked)}
        />
        Mask secrets, addresses and paths
      </label>
      {!masked && (
        <p role="status" className="px-3 pb-1 text-sm text-warn">
          The page and the summary will contain everything the run saw, unmasked.
        </p>
      )}
      <ul className="border-t pt-1">
        {[...readable, ...logs].map((file) => (
          <li key={file.name}>
            <DownloadLink href={file.href} className={cx(menuItem, 'grid gap-0')}>
              <span className="font-medium">{file.name}</span>
              <span className="text-sm text-ink-3">{file.holds}</span>
            </DownloadLink>
          </li>
        ))}
      </ul>
    </Menu>
  );
}

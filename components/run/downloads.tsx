import type { RunMode } from '#lib/events/config.ts';

const link = 'text-sm font-medium text-brass underline-offset-4 hover:underline';

/** The log of a run as files: its events, and the log that a session or an exploration is known by (S19, X14-X16). */
export function Downloads({ runId, mode }: { runId: string; mode: RunMode | undefined }) {
  const path = `/api/runs/${encodeURIComponent(runId)}/log`;
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1 print:hidden">
      <a href={path} download className={link}>
        Download the log
      </a>
      {(mode === 'session' || mode === 'explore') && (
        <a href={`${path}?format=${mode}`} download className={link}>
          {mode === 'session' ? 'Session log' : 'Exploration log'}
        </a>
      )}
    </span>
  );
}

'use client';

import { useState } from 'react';
import type { McpServersReply } from '#lib/api/mcp.ts';
import { IDLE_MS, RUNNING_MS } from '../hooks/poll-intervals.ts';
import { useApi } from '../hooks/use-api.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { CustomTools } from './custom-tools.tsx';
import { ReadConfigDialog } from './read-config-dialog.tsx';
import { ServerCard } from './server-card.tsx';
import { ServerDialog } from './server-dialog.tsx';

/** The servers of the Model Context Protocol, and the tools that they give to runs. */
export function ToolsPage() {
  const { data, error, reload } = useApi<McpServersReply>('/api/mcp/servers', (last) =>
    last?.servers.some(({ state }) => state === 'starting') ? RUNNING_MS : IDLE_MS,
  );
  const [opened, setOpened] = useState<'read' | 'new'>();
  const close = () => setOpened(undefined);
  const names = data?.servers.map(({ name }) => name) ?? [];
  return (
    <ListPage
      title="Tools"
      about="Tools beyond the built-in ones: from Model Context Protocol (MCP) servers, and your own commands. Choose them when you start a run."
      actions={
        <>
          <Button size="sm" className="max-sm:h-11" onClick={() => setOpened('read')}>
            Paste or import
          </Button>
          <Button size="sm" className="max-sm:h-11" onClick={() => setOpened('new')}>
            New server
          </Button>
        </>
      }
      loading={!data && !error}
      error={!data && error}
      onRetry={reload}
    >
      {data && !data.programs.available && (
        <div className="mt-6">
          <ErrorNote
            error={{
              message: `Servers cannot be started as programs here: ${data.programs.reason ?? ''}`,
              hint: data.programs.hint ?? 'Servers at an address work.',
            }}
          />
        </div>
      )}
      {data?.problems.map((problem) => (
        <div key={problem.message} className="mt-6">
          <ErrorNote error={problem} />
        </div>
      ))}
      {data?.servers.length === 0 && data.problems.length === 0 && (
        <section aria-label="No servers" className="mt-6 rounded-lg border bg-surface p-4">
          <p className="max-w-read text-ink-2">
            No servers yet. Add one with New server, or, if another app has an <code>mcpServers</code> block,
            with Paste or import. You see what each server can reach before it starts.
          </p>
        </section>
      )}
      {data && data.servers.length > 0 && (
        <div className="mt-6 grid gap-6">
          {data.servers.map((server) => (
            <ServerCard key={server.name} server={server} onChange={reload} />
          ))}
        </div>
      )}
      {data && (
        <p className="mt-6 text-sm text-ink-3">
          The servers are stored in <code className="break-all">{data.path}</code>.
        </p>
      )}
      {/* Read at once, but not shown before the servers, which would push them down. */}
      <div hidden={!data && !error}>
        <CustomTools />
      </div>
      {opened === 'read' && <ReadConfigDialog taken={names} onClose={close} onAdded={reload} />}
      {opened === 'new' && <ServerDialog onClose={close} onSaved={reload} />}
    </ListPage>
  );
}

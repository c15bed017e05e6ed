'use client';

import { type ChangeEvent, useRef, useState } from 'react';
import type { ReadMcpConfigReply, ReadMcpServer } from '#lib/api/mcp.ts';
import { postJson } from '#lib/browser/api.ts';
import { MAX_SERVER_CONFIG_CHARS } from '#lib/events/limits.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Field } from '../ui/form/fields.tsx';
import { ServerDialog } from './server-dialog.tsx';
import { ToolsDialog } from './tools-dialog.tsx';

/** Reads the `mcpServers` block of another host. Each server is reviewed in the form before it is added. */
export function ReadConfigDialog({
  taken,
  onClose,
  onAdded,
}: {
  /** The names that servers have already. */
  taken: readonly string[];
  onClose: () => void;
  onAdded: () => Promise<void>;
}) {
  const file = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [read, setRead] = useState<ReadMcpConfigReply>();
  const [looking, setLooking] = useState<ReadMcpServer>();
  const { busy, problem, setProblem, run } = useRequest();
  const send = (content: string) => {
    if (content.length > MAX_SERVER_CONFIG_CHARS) {
      setProblem({ message: 'The text is too long for a configuration.' });
      return;
    }
    void run(async () => setRead(await postJson<ReadMcpConfigReply>('/api/mcp/read', { text: content })));
  };
  const chosen = async (event: ChangeEvent<HTMLInputElement>) => {
    const content = await event.target.files?.[0]?.text();
    if (content === undefined) return;
    setText(content.slice(0, MAX_SERVER_CONFIG_CHARS));
    send(content);
  };
  if (looking) {
    return <ServerDialog read={looking} onClose={() => setLooking(undefined)} onSaved={onAdded} />;
  }
  return (
    <ToolsDialog title="Paste or import servers" onClose={onClose}>
      <Field label="Configuration" hint="The mcpServers block of another app. Nothing starts yet.">
        {(props) => (
          <textarea
            {...props}
            className="field min-h-40 font-mono text-sm"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" disabled={busy || text.trim() === ''} onClick={() => send(text)}>
          Read
        </Button>
        <Button disabled={busy} onClick={() => file.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={file}
          type="file"
          accept=".json"
          aria-label="Configuration file"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => void chosen(event)}
        />
      </div>
      {problem && <ErrorNote error={problem} />}
      {read?.problems.map((each) => (
        <ErrorNote key={each} error={{ message: each }} />
      ))}
      {read && read.servers.length > 0 && (
        <ul aria-label="Servers found" className="divide-y border-y">
          {read.servers.map((server) => {
            const action = taken.includes(server.name) ? 'Added' : 'Review and add';
            return (
              <li key={server.name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
                <FoundServer server={server} />
                <Button
                  size="sm"
                  className="ml-auto max-sm:h-11"
                  disabled={taken.includes(server.name)}
                  aria-label={`${action} ${server.name}`}
                  onClick={() => setLooking(server)}
                >
                  {action}
                </Button>
              </li>
            );
          })}
        </ul>
      )}
    </ToolsDialog>
  );
}

function FoundServer({ server: { name, renamed_from, server, ignored } }: { server: ReadMcpServer }) {
  const about = server.type === 'http' ? server.url : [server.command, ...server.args].join(' ');
  return (
    <div className="min-w-0">
      <p>
        <code className="font-semibold">{name}</code>
        {renamed_from && (
          <span className="foreign text-sm text-ink-3">
            {' '}
            was <ForeignText text={renamed_from} />
          </span>
        )}
      </p>
      <p className="foreign truncate text-sm text-ink-3">
        <ForeignText text={about} />
      </p>
      {ignored.length > 0 && (
        <p className="foreign text-sm text-ink-3">
          Left out: <ForeignText text={ignored.join(', ')} />
        </p>
      )}
    </div>
  );
}

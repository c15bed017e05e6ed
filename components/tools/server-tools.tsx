'use client';

import { type ReactNode, useState } from 'react';
import type { McpServerReply, McpToolReply } from '#lib/api/mcp.ts';
import { postJson } from '#lib/browser/api.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { annotationWords, TOOL_STATES } from '#lib/browser/words/server-words.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { plural } from '#lib/util/numbers.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { FoldMark } from '../ui/fold-mark.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { serverPath } from './server-path.ts';
import { ToolDetails } from './tool-details.tsx';

/** The tools of a server; those that a person must review come first. */
export function ServerTools({ server, onChange }: { server: McpServerReply; onChange: () => void }) {
  const { name, tools } = server;
  const [open, setOpen] = useState<string>();
  const { busy, problem, run } = useRequest();
  const waiting = tools.filter(({ status }) => status === 'new' || status === 'changed');
  const gone = tools.filter(({ was_accepted }) => was_accepted);
  const accept = (chosen: readonly McpToolReply[]) =>
    void run(async () => {
      await postJson(`${serverPath(name)}/accept`, {
        tools: chosen.map((tool) => ({ name: tool.name, hash: tool.hash })),
      });
      onChange();
    });
  return (
    <div className="mt-4 min-w-0">
      {waiting.length > 0 && (
        <ReviewNote
          action={`Accept ${plural(waiting.length, 'tool')}`}
          primary
          busy={busy}
          onAct={() => accept(waiting)}
        >
          {waiting.some(({ status }) => status === 'changed')
            ? 'Tools changed since you accepted them. Read what the server says now: models will read it, too.'
            : 'Models read the names and descriptions of tools and follow them. Read them before you accept them.'}
        </ReviewNote>
      )}
      {gone.length > 0 && (
        <ReviewNote action={`Remove ${plural(gone.length, 'tool')}`} busy={busy} onAct={() => accept([])}>
          You accepted tools that are now missing or unusable. Runs with them do not start until you remove
          them.
        </ReviewNote>
      )}
      {problem && <ErrorNote error={problem} />}
      <ul aria-label={`Tools of ${name}`} className="divide-y border-y">
        {tools.map((tool) => (
          <li key={`${tool.status} ${tool.name}`} className="min-w-0 py-2">
            <ToolLine
              tool={tool}
              open={open === tool.name}
              onToggle={() => setOpen(open === tool.name ? undefined : tool.name)}
            />
            {open === tool.name && (
              <ToolDetails
                server={server}
                tool={tool}
                busy={busy}
                onAccept={() => accept([tool])}
                onChange={onChange}
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Tools that a person must decide about, with a button. */
function ReviewNote({
  action,
  primary = false,
  busy,
  onAct,
  children,
}: {
  action: string;
  primary?: boolean;
  busy: boolean;
  onAct: () => void;
  children: ReactNode;
}) {
  return (
    <div className="mb-2 flex flex-wrap items-center justify-between gap-2 rounded-md border border-warn/50 bg-warn-wash px-3 py-2">
      <p className="max-w-read text-sm">{children}</p>
      <Button
        size="sm"
        {...(primary && { kind: 'primary' })}
        className="max-sm:h-11"
        disabled={busy}
        onClick={onAct}
      >
        {action}
      </Button>
    </div>
  );
}

function ToolLine({ tool, open, onToggle }: { tool: McpToolReply; open: boolean; onToggle: () => void }) {
  const { label, tone, help } = TOOL_STATES[tool.status];
  return (
    <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className="reach foreign min-w-0 text-left font-mono text-sm font-semibold hover:text-brass max-sm:min-h-11"
      >
        <FoldMark open={open} className="mr-2" />
        <ShortName text={tool.name} max={64} />
      </button>
      <Badge tone={tone} title={help}>
        {label}
      </Badge>
      {annotationWords(tool.annotations).map((word) => (
        <Badge key={word} title="According to the server">
          {word}
        </Badge>
      ))}
      {!open && (
        <span
          className="foreign min-w-0 flex-1 truncate text-sm text-ink-3 max-sm:order-last max-sm:basis-full"
          title={plainVisibleLine(tool.description)}
        >
          <ForeignText text={tool.description.split('\n', 1)[0] ?? ''} />
        </span>
      )}
      {tool.estimated_tokens > 0 && (
        <span className="tnum ml-auto font-mono text-xs text-ink-3">
          ≈{formatCount(tool.estimated_tokens)} tokens
        </span>
      )}
    </div>
  );
}

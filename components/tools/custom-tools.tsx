'use client';

import { useId, useState } from 'react';
import type { CommandToolReply, CommandToolsReply } from '#lib/api/command-tool.ts';
import { deleteJson } from '#lib/browser/api.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { CUSTOM_GROUP } from '#lib/events/mcp-names.ts';
import { ON_RETURN, useApi } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Problem } from '../shell/problem.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { CommandToolDialog } from './command-tool-dialog.tsx';
import { TryOnModels } from './try-on-models.tsx';

/** The commands that a person registered as tools. */
export function CustomTools() {
  const { data, error, reload } = useApi<CommandToolsReply>('/api/command-tools', ON_RETURN);
  const [opened, setOpened] = useState<CommandToolReply | 'new'>();
  const title = useId();
  return (
    <section aria-labelledby={title} className="mt-10 border-t pt-8">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <h2 id={title} className="text-lg font-semibold tracking-[-0.012em]">
            Custom tools
          </h2>
          <p className="mt-1 max-w-read text-ink-2">
            Your own commands as tools. Arguments go straight to the program, never through a shell. It is
            confined like every command and has no network access.
          </p>
        </div>
        <Button size="sm" className="max-sm:h-11" onClick={() => setOpened('new')}>
          New tool
        </Button>
      </div>
      {error && (
        <div className="mt-4">
          <Problem error={error} onRetry={reload} />
        </div>
      )}
      {data && !data.programs.available && (
        <div className="mt-4">
          <ErrorNote
            error={{
              message: `Commands cannot run here: ${data.programs.reason ?? ''}`,
              hint: data.programs.hint,
            }}
          />
        </div>
      )}
      {data && !data.programs.confined && (
        <p className="mt-4 text-sm text-warn">
          Commands run unconfined here, as you, so each call needs your approval. A tool that only reads could
          write, too.
        </p>
      )}
      {data?.tools.length === 0 && (
        <div className="mt-4 rounded-lg border bg-surface p-4">
          <p className="max-w-read text-ink-2">
            No custom tools yet. A tool is a name, a description that models choose it by, parameters, and a
            command.
          </p>
        </div>
      )}
      {data && data.tools.length > 0 && (
        <ul aria-label="Custom tools" className="mt-4 grid gap-3">
          {data.tools.map((tool) => (
            <CustomTool key={tool.name} tool={tool} onEdit={() => setOpened(tool)} onChange={reload} />
          ))}
        </ul>
      )}
      {data && data.tools.length > 0 && data.programs.available && (
        <TryOnModels server={CUSTOM_GROUP} label="Try custom tools on local models" />
      )}
      {data && (
        <p className="mt-4 text-sm text-ink-3">
          The tools are stored in <code className="break-all">{data.path}</code>.
        </p>
      )}
      {opened && (
        <CommandToolDialog
          former={opened === 'new' ? undefined : opened}
          current={opened === 'new' ? undefined : data?.tools.find(({ name }) => name === opened.name)}
          onClose={() => setOpened(undefined)}
          onSaved={reload}
        />
      )}
    </section>
  );
}

function CustomTool({
  tool: { name, offered, description, command, stdin, access, estimated_tokens: tokens },
  onEdit,
  onChange,
}: {
  tool: CommandToolReply;
  onEdit: () => void;
  onChange: () => void;
}) {
  const [removing, setRemoving] = useState(false);
  const { busy, problem, run } = useRequest();
  const remove = () =>
    void run(async () => {
      await deleteJson(`/api/command-tools/${encodeURIComponent(name)}`);
      onChange();
    });
  return (
    <li className="min-w-0 rounded-lg border bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="font-mono font-semibold break-all" title={`Models see it as ${offered}`}>
          {name}
        </h3>
        {access === 'read' && <Badge title="The workspace is mounted read-only">reads</Badge>}
        <span className="tnum text-sm text-ink-3">about {formatCount(tokens)} tokens</span>
        <span className="ml-auto flex flex-wrap items-center gap-1.5">
          {removing ? (
            <>
              <Button
                size="sm"
                kind="danger"
                className="max-sm:h-11"
                disabled={busy}
                aria-label={`Remove ${name}`}
                onClick={remove}
              >
                Remove
              </Button>
              <Button
                size="sm"
                kind="quiet"
                className="max-sm:h-11"
                aria-label={`Keep ${name}`}
                onClick={() => setRemoving(false)}
              >
                Keep
              </Button>
            </>
          ) : (
            <>
              <Button size="sm" className="max-sm:h-11" aria-label={`Edit or try ${name}`} onClick={onEdit}>
                Edit or try
              </Button>
              <Button
                size="sm"
                kind="quiet"
                className="max-sm:h-11"
                aria-label={`Remove ${name}`}
                onClick={() => setRemoving(true)}
              >
                Remove
              </Button>
            </>
          )}
        </span>
      </div>
      <p className="mt-1 max-w-read text-ink-2">
        <ForeignText text={description} />
      </p>
      <p className="mt-1 font-mono text-xs break-all text-ink-3">
        <ForeignText text={command.join(' ')} />
        {stdin === 'json' && ' ← JSON'}
      </p>
      {problem && (
        <div className="mt-3">
          <ErrorNote error={problem} />
        </div>
      )}
    </li>
  );
}

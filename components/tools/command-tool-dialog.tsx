'use client';

import { type FormEvent, useState } from 'react';
import type { CommandToolReply, TryCommandToolReply } from '#lib/api/command-tool.ts';
import { postJson } from '#lib/browser/api.ts';
import {
  type CommandToolProblems,
  commandToolDraftOf,
  commandToolOf,
  emptyCommandToolDraft,
} from '#lib/browser/drafts/command-tool-draft.ts';
import type { CommandTool } from '#lib/events/command-tool.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { CommandToolFields } from './command-tool-fields.tsx';
import { ToolsDialog } from './tools-dialog.tsx';
import { TryTool } from './try-tool.tsx';

/** Adds a custom tool or changes one, and tries it before it is saved. */
export function CommandToolDialog({
  former,
  onClose,
  onSaved,
}: {
  former: CommandToolReply | undefined;
  onClose: () => void;
  onSaved: () => void;
}) {
  const [draft, setDraft] = useState(() => (former ? commandToolDraftOf(former) : emptyCommandToolDraft));
  const [problems, setProblems] = useState<CommandToolProblems>({});
  const [tried, setTried] = useState<CommandTool>();
  const { busy, problem, run } = useRequest();
  const read = () => {
    const result = commandToolOf(draft);
    setProblems(result.ok ? {} : result.problems);
    return result.ok ? result.tool : undefined;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const tool = read();
    if (!tool) return;
    void run(async () => {
      await postJson('/api/command-tools', { tool, ...(former && { replaces: former.name }) });
      onSaved();
      onClose();
    });
  };
  return (
    <ToolsDialog title={former ? `Edit ${former.name}` : 'New custom tool'} wide onClose={onClose}>
      <form className="grid gap-4" onSubmit={submit} noValidate>
        <CommandToolFields draft={draft} problems={problems} onChange={setDraft} />
        {problem && <ErrorNote error={problem} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button kind="quiet" onClick={() => setTried(read())}>
            Try it
          </Button>
          <Button type="submit" kind="primary" disabled={busy}>
            {former ? 'Save' : 'Add tool'}
          </Button>
        </div>
      </form>
      {tried && (
        <TryTool
          key={JSON.stringify(tried)}
          name={tried.name}
          schema={tried.parameters}
          note="It runs in an empty folder, which is removed afterwards."
          onCall={(args) =>
            postJson<TryCommandToolReply>('/api/command-tools/try', { tool: tried, arguments: args })
          }
        />
      )}
    </ToolsDialog>
  );
}

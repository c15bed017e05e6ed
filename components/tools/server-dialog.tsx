'use client';

import { type FormEvent, useRef, useState } from 'react';
import type { McpServerReply, McpServerRequest } from '#lib/api/mcp.ts';
import { postJson } from '#lib/browser/api.ts';
import {
  emptyServerDraft,
  type ServerProblems,
  serverDraftOf,
  serverOf,
} from '#lib/browser/drafts/server-draft.ts';
import { useRequest } from '../hooks/use-request.ts';
import { useWhileMounted } from '../hooks/use-while-mounted.ts';
import { Button } from '../ui/button.tsx';
import { DialogFooter } from '../ui/dialog-footer.tsx';
import { focusFirstError } from '../ui/form/draft-form.ts';
import { ServerFields } from './server-fields.tsx';
import { serverPath } from './server-path.ts';
import { CHANGED_HINT, ToolsDialog } from './tools-dialog.tsx';

/** Adds a server or changes one. */
export function ServerDialog({
  former,
  read,
  onClose,
  onSaved,
}: {
  /** The server that is changed. */
  former?: McpServerReply;
  /** An initial configuration from another host. */
  read?: { name: string; server: McpServerRequest };
  onClose: () => void;
  onSaved: () => Promise<void>;
}) {
  const begin = former ?? read;
  const [draft, setDraft] = useState(() =>
    begin ? serverDraftOf(begin.name, begin.server) : emptyServerDraft,
  );
  // The page may load another configuration while the form is open.
  const [opened] = useState(former?.hash);
  const [problems, setProblems] = useState<ServerProblems>({});
  const { busy, problem, run } = useRequest();
  const wasChanged = problem?.code === 'mcp_server_changed';
  // After a refusal, the person has been told what the next attempt replaces.
  const base = wasChanged ? former?.hash : opened;
  const form = useRef<HTMLFormElement>(null);
  const close = useWhileMounted(onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const result = serverOf(draft);
    setProblems(result.ok ? {} : result.problems);
    if (!result.ok) return focusFirstError(form.current);
    const { name, server } = result;
    void run(async () => {
      // Reloads also after a refusal: another tab may have changed the server.
      if (former) await postJson(serverPath(former.name), { server, base }).finally(onSaved);
      else {
        await postJson('/api/mcp/servers', { name, server });
        onSaved();
      }
      close();
    });
  };
  return (
    <ToolsDialog title={former ? `Edit ${former.name}` : 'New server'} onClose={onClose}>
      <form ref={form} className="grid gap-4" onSubmit={submit} noValidate>
        <ServerFields draft={draft} problems={problems} isNew={!former} onChange={setDraft} />
        <DialogFooter problem={wasChanged ? { message: problem.message, hint: CHANGED_HINT } : problem}>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" disabled={busy}>
            {former ? 'Save' : 'Add server'}
          </Button>
        </DialogFooter>
      </form>
    </ToolsDialog>
  );
}

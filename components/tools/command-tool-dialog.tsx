'use client';

import { type FormEvent, useId, useRef, useState } from 'react';
import type { CommandToolReply, TryCommandToolReply } from '#lib/api/command-tool.ts';
import { postJson } from '#lib/browser/api.ts';
import {
  type CommandToolProblems,
  commandToolDraftOf,
  commandToolOf,
  emptyCommandToolDraft,
} from '#lib/browser/drafts/command-tool-draft.ts';
import { focusSoon } from '#lib/browser/focus-soon.ts';
import type { CommandTool } from '#lib/events/command-tool.ts';
import { useRequest } from '../hooks/use-request.ts';
import { useWhileMounted } from '../hooks/use-while-mounted.ts';
import { Button } from '../ui/button.tsx';
import { DialogFooter } from '../ui/dialog-footer.tsx';
import { focusFirstError } from '../ui/form/draft-form.ts';
import { CommandToolFields } from './command-tool-fields.tsx';
import { CHANGED_HINT, ToolsDialog } from './tools-dialog.tsx';
import { TryTool } from './try-tool.tsx';

/** What to do when another tab has saved or removed the tool: this page has read it again, and keeps what was typed. */
const CONFLICTS: Partial<Record<string, string>> = {
  command_tool_changed: CHANGED_HINT,
  command_tool_not_found: 'It was renamed or removed. Save again to add yours as a new tool.',
};

/** Adds a custom tool or changes one, and tries it before it is saved. */
export function CommandToolDialog({
  former,
  current,
  onClose,
  onSaved,
}: {
  /** The tool that is changed, as it was when the dialog opened. */
  former: CommandToolReply | undefined;
  /** The tool of that name as the page last read it. */
  current: CommandToolReply | undefined;
  onClose: () => void;
  onSaved: () => Promise<void>;
}) {
  const [draft, setDraft] = useState(() => (former ? commandToolDraftOf(former) : emptyCommandToolDraft));
  const [problems, setProblems] = useState<CommandToolProblems>({});
  const [tried, setTried] = useState<CommandTool>();
  const { busy, problem, run } = useRequest();
  const conflict = former && problem?.code !== undefined ? CONFLICTS[problem.code] : undefined;
  // After a conflict, the person has been told what the next attempt replaces.
  const replaced = conflict ? current : former;
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const trial = useRef<HTMLDivElement>(null);
  const close = useWhileMounted(onClose);
  const read = () => {
    const result = commandToolOf(draft);
    setProblems(result.ok ? {} : result.problems);
    if (!result.ok) focusFirstError(form.current);
    return result.ok ? result.tool : undefined;
  };
  const startTrying = () => {
    const tool = read();
    setTried(tool);
    // It opens below what is in view.
    if (tool) focusSoon(() => trial.current?.querySelector<HTMLElement>('input, select, textarea, button'));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const tool = read();
    if (!tool) return;
    void run(async () => {
      // Reloads also after a refusal: another tab may have changed the tool.
      await postJson('/api/command-tools', {
        tool,
        ...(replaced && { replaces: replaced.name, base: replaced.hash }),
      }).finally(onSaved);
      close();
    });
  };
  return (
    <ToolsDialog title={former ? `Edit ${former.name}` : 'New custom tool'} wide onClose={onClose}>
      <form ref={form} id={id} className="grid gap-4" onSubmit={submit} noValidate>
        <CommandToolFields draft={draft} problems={problems} onChange={setDraft} />
      </form>
      {tried && (
        <div ref={trial}>
          <TryTool
            key={JSON.stringify(tried)}
            name={tried.name}
            schema={tried.parameters}
            note="It runs in an empty folder, which is removed afterwards."
            onCall={(args) =>
              postJson<TryCommandToolReply>('/api/command-tools/try', { tool: tried, arguments: args })
            }
          />
        </div>
      )}
      <DialogFooter problem={problem && conflict ? { message: problem.message, hint: conflict } : problem}>
        <Button className="mr-auto" onClick={startTrying}>
          Try it
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" form={id} kind="primary" disabled={busy}>
          {former ? 'Save' : 'Add tool'}
        </Button>
      </DialogFooter>
    </ToolsDialog>
  );
}

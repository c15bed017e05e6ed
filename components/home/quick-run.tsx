'use client';

import { ArrowRight } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useEffect, useMemo, useState } from 'react';
import type { InstalledModel } from '#lib/api/replies.ts';
import { handOver, linkedTask } from '#lib/browser/drafts/handed-over.ts';
import { emptyDraft, type FolderChoice, requestOf } from '#lib/browser/drafts/run-draft.ts';
import { remembered } from '#lib/browser/prefs/remembered.ts';
import { callsTools, canRun, preferredModel, sortedModels } from '#lib/browser/state/models.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { CopySwitch } from '../folders/copy-switch.tsx';
import { FolderChip } from '../folders/folder-chip.tsx';
import { useFolderDialog } from '../folders/use-folder-dialog.tsx';
import { useFolderDrop } from '../folders/use-folder-drop.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { useTypedEarly } from '../hooks/use-typed-early.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Link } from '../ui/link.tsx';
import { NotOfferedNote } from '../ui/not-offered-note.tsx';
import { startRun } from './start-run.ts';

const { workspaceKind, workspace, workspace_copy } = emptyDraft;
const NO_MODELS: readonly InstalledModel[] = [];
const FRESH: FolderChoice = { workspaceKind, workspace, workspace_copy };

/** Starts a task, or a session with a first message, with a model and defaults; with a link to the full form. */
export function QuickRun({
  models: installed = NO_MODELS,
}: {
  /** `undefined` until the server has listed them. */
  models: readonly InstalledModel[] | undefined;
}) {
  const router = useRouter();
  const [task, setTask] = useState('');
  const field = useTypedEarly(setTask);
  const [model, setModel] = useState('');
  const [folder, setFolder] = useState<FolderChoice>(FRESH);
  const take = (choice: Partial<FolderChoice>) => setFolder((before) => ({ ...before, ...choice }));
  const { open, dialog } = useFolderDialog({ choice: folder, onChoose: take, offersFresh: true });
  const { over, handlers } = useFolderDrop((dropped) => {
    if ('path' in dropped) take({ workspaceKind: 'folder', workspace: dropped.path });
    else open(dropped.name);
  });
  const models = useMemo(() => sortedModels(installed.filter(canRun)), [installed]);
  const { busy, problem, setProblem, run } = useRequest();
  useEffect(() => {
    setModel((chosen) =>
      models.some((each) => each.name === chosen) ? chosen : preferredModel(models, remembered('model')),
    );
  }, [models]);
  const chosen = models.find((each) => each.name === model);
  const note = chosen && noteOn(chosen);

  const start = (kind: 'task' | 'session') => {
    // Ctrl+Enter submits although the button is disabled.
    if (busy) return;
    const draft = requestOf({ ...emptyDraft, ...folder, kind, task, model });
    if (!draft.ok) {
      const [message] = Object.values(draft.problems);
      setProblem(message === undefined ? undefined : { message });
      return;
    }
    void run(async () => {
      router.push(await startRun(draft.request));
      return LEAVING;
    });
  };
  return (
    <form
      aria-label="Quick run"
      {...handlers}
      className={cx(
        'rounded-lg border bg-raised focus-within:border-ink-3',
        over ? 'border-brass outline-2 outline-brass' : 'border-line-strong',
      )}
      onSubmit={(event) => {
        event.preventDefault();
        start('task');
      }}
    >
      <label htmlFor="quick-task" className="sr-only">
        Task
      </label>
      <textarea
        ref={field}
        id="quick-task"
        value={task}
        onChange={(event) => setTask(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey))
            event.currentTarget.form?.requestSubmit();
        }}
        placeholder="What should the agent do? It can read, write, search and run commands in its folder."
        rows={note ? 2 : 3}
        required
        aria-describedby={note && 'quick-note'}
        className="block w-full resize-y rounded-t-lg bg-transparent px-4 pt-3 pb-1 text-base placeholder:text-ink-3 placeholder:opacity-100 focus-visible:outline-none"
      />
      {/* Replaces the third row of the field: the models load late, and must not move what is below. */}
      {note && (
        <p
          id="quick-note"
          className={cx('px-4 text-sm leading-5.5', chosen?.demo ? 'text-ink-2' : 'text-warn')}
        >
          {note}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2 px-3 pt-1 pb-3">
        <FolderChip choice={folder} onOpen={() => open()} />
        <label htmlFor="quick-model" className="sr-only">
          Model
        </label>
        <select
          id="quick-model"
          value={model}
          onChange={(event) => setModel(event.target.value)}
          className="field h-9 w-auto max-w-64 py-0 font-mono text-sm max-sm:h-11 max-sm:min-w-0 max-sm:grow max-sm:basis-[40%]"
          required
        >
          {models.length === 0 && (
            <option value="">{installed === NO_MODELS ? 'loading models' : 'no model yet'}</option>
          )}
          {models.map((each) => (
            <option key={each.name} value={each.name}>
              {shortLine(each.name)}
              {each.demo ? ' (demo)' : ''}
            </option>
          ))}
        </select>
        <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
          <Link
            href={`/runs/new?${new URLSearchParams({ ...(task && { task: linkedTask(task) }), ...(model && { model }) })}`}
            onClick={(event) => {
              // A form in a new tab cannot receive it, and the next form in this tab must not.
              if (!event.metaKey && !event.ctrlKey && !event.shiftKey) handOver({ ...folder, task });
            }}
            className="reach px-2 text-sm text-ink-2 underline-offset-4 hover:text-ink hover:underline"
          >
            All options
          </Link>
          <Button
            onClick={() => start('session')}
            disabled={busy || model === ''}
            title="A conversation that starts with this message"
            className="max-sm:h-11"
          >
            Start session
          </Button>
          <Button
            type="submit"
            kind={chosen?.demo ? 'plain' : 'primary'}
            disabled={busy || model === ''}
            className="max-sm:h-11"
          >
            {busy ? 'Starting' : 'Start'}
            <ArrowRight className="size-4" aria-hidden="true" />
          </Button>
        </div>
      </div>
      {folder.workspaceKind === 'folder' && (
        <div className="border-t px-4 py-2.5 text-sm">
          <CopySwitch
            checked={folder.workspace_copy}
            onChange={(workspace_copy) => take({ workspace_copy })}
          />
        </div>
      )}
      <NotOfferedNote models={installed} className="px-4 pb-2.5" />
      {problem && (
        <div className="px-3 pb-3">
          <ErrorNote error={problem} />
        </div>
      )}
      {dialog}
    </form>
  );
}

/** What a person should know about the model before writing a task. */
function noteOn(model: InstalledModel): string | undefined {
  if (model.demo) return 'A scripted demo: it ignores the task.';
  return callsTools(model) === false ? 'This model does not support tools.' : undefined;
}

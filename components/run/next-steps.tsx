'use client';

import { useRouter } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import type { ForkRequest } from '#lib/api/fork-run.ts';
import type { RunReply } from '#lib/api/replies.ts';
import { getJson } from '#lib/browser/api.ts';
import {
  continueWith,
  forkBeforeCause,
  moreSteps,
  suggestionFor,
  tryAgain,
} from '#lib/browser/drafts/next-steps.ts';
import { canRepeat } from '#lib/browser/drafts/repeat-run.ts';
import type { RunDraft } from '#lib/browser/drafts/run-draft.ts';
import { forkRun } from '#lib/browser/fork-run.ts';
import { loadCode } from '#lib/browser/load-code.ts';
import { callPattern } from '#lib/browser/state/repeated-calls.ts';
import { goOnWords } from '#lib/browser/words/mode-words.ts';
import type { RunConfig } from '#lib/events/config.ts';
import { isLedByPerson, kindOf } from '#lib/events/modes.ts';
import { startRun } from '../home/start-run.ts';
import { useLoaded } from '../hooks/use-loaded.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { useRun } from '../run-view/run-context.tsx';
import { useRunScreen } from '../run-view/screen-context.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Link } from '../ui/link.tsx';
import { Menu, menuItem } from '../ui/menu.tsx';
import { ContinueForm } from './continue-form.tsx';
import { RepeatForm } from './repeat-form.tsx';

const loadAddCase = () => import('./add-case-dialog.tsx');
const loadRunDraft = () => import('#lib/browser/drafts/run-draft.ts');

/** One thing to do next: the first of a run's steps is a button, the others are in a menu. */
interface Step {
  key: string;
  label: string;
  title?: string;
  act: () => void;
  /** Opens a form below the buttons. */
  opens?: 'continue' | 'repeat';
}

/**
 * Suggestions after a run, with the most likely step as a button, followed by `children`.
 *
 * @param props.isSecond something else comes first
 */
export function NextSteps({
  runId,
  config,
  isSecond = false,
  children,
}: {
  runId: string;
  config: RunConfig;
  isSecond?: boolean;
  children?: ReactNode;
}) {
  const router = useRouter();
  const { server } = useRunScreen();
  const imported = server?.imported ?? false;
  const [opened, setOpened] = useState<'continue' | 'repeat'>();
  const { busy, problem, setProblem, run: request } = useRequest();
  const end = useRun((view) => view.run.ended);
  const extent = useRun((view) => view.run);
  const go = (start: () => Promise<string | undefined>) =>
    void request(async () => {
      const address = await start();
      if (address === undefined) return undefined;
      router.push(address);
      return LEAVING;
    });
  const start = (changes: Partial<RunDraft> = {}, { inItsFolder = false } = {}) =>
    go(async () => {
      // Only the server's answer says whether the run was imported: this page may not know it yet.
      const [{ run }, { draftOf, requestOf }] = await Promise.all([
        getJson<RunReply>(`/api/runs/${encodeURIComponent(runId)}`),
        loadCode(loadRunDraft),
      ]);
      const { workspace } = config;
      const read = requestOf({
        ...draftOf(config, run),
        ...changes,
        ...(inItsFolder && run.imported_at === undefined ? { workspaceKind: 'folder', workspace } : {}),
      });
      if (read.ok) return startRun(read.request);
      setProblem({ message: Object.values(read.problems).join(' ') });
      return undefined;
    });
  const fork = (request: ForkRequest) =>
    go(() => forkRun(runId, { ...request, ...(imported ? { workspace: 'empty' } : {}) }));
  const addCase = useLoaded(loadAddCase);
  const [first, ...others] = useSteps(config, { start, fork, open: setOpened, imported });
  const continuation = end && continueWith('', config, extent, end);
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        {first && <StepButton step={first} isSecond={isSecond} opened={opened} disabled={busy} />}
        <Menu label="More">
          {others.map((step) => (
            <button
              key={step.key}
              type="button"
              className={menuItem}
              disabled={busy}
              title={step.title}
              onClick={step.act}
            >
              {step.label}
            </button>
          ))}
          <Link href={`/runs/new?from=${encodeURIComponent(runId)}`} className={menuItem}>
            Run again with changes
          </Link>
          {!isLedByPerson(config) && (
            <button type="button" className={menuItem} onClick={() => addCase.open(() => undefined)}>
              Add to a suite
            </button>
          )}
        </Menu>
        {children}
      </div>
      {opened === 'continue' && end && continuation && (
        <ContinueForm
          config={config}
          label={goOnWords(kindOf(config), extent.outcome).label}
          imported={imported}
          busy={busy}
          changes={continuation.changes}
          onContinue={(message) => {
            const next = continueWith(message, config, extent, end);
            if (next) fork(next.request);
          }}
          onStartOver={(hint) => start({ task: startOverTask(config.task, hint) }, { inItsFolder: true })}
        />
      )}
      {opened === 'repeat' && <RepeatForm runId={runId} config={config} imported={imported} />}
      {problem && <ErrorNote error={problem} />}
      {addCase.opened && <addCase.opened.code.AddCaseDialog runId={runId} onClose={addCase.close} />}
    </div>
  );
}

/** The steps that make sense after this end, the most likely first. */
function useSteps(
  config: RunConfig,
  {
    start,
    fork,
    open,
    imported,
  }: {
    start: (changes?: Partial<RunDraft>) => void;
    fork: (request: ForkRequest) => void;
    open: (form: 'continue' | 'repeat') => void;
    imported: boolean;
  },
): Step[] {
  const { server } = useRunScreen();
  const end = useRun((view) => view.run.ended);
  const extent = useRun((view) => view.run);
  const timeline = useRun((view) => view.timeline);
  if (!end) return [];
  const folder = imported ? 'an empty folder' : 'the same folder';
  const pattern = callPattern(extent);
  const more = moreSteps(config, extent, end);
  const moreStep = more && {
    key: 'more',
    label: `Continue with ${more.words}`,
    title: `Starts a new run that continues the conversation in ${folder} with a higher limit`,
    act: () => fork(more.request),
  };
  const suggestion = suggestionFor(config, end, { pattern, lastReplyCut: extent.lastReplyCut });
  const suggested = suggestion && {
    key: 'suggestion',
    label: `Run again ${suggestion.words}`,
    act: () => start(suggestion.changes),
  };
  const again = tryAgain(timeline, end);
  const cause = forkBeforeCause(timeline, end, config.mode, pattern);
  const steps: (Step | undefined)[] = [
    // A model that repeats a pattern needs a hint rather than more iterations.
    pattern ? undefined : moreStep,
    again && {
      key: 'try-again',
      label: 'Try again from here',
      title: `Starts a new run that continues the conversation in ${folder} at the failed call`,
      act: () => fork(again),
    },
    suggestion?.raisesLimit ? suggested : undefined,
    continueWith('', config, extent, end) && {
      key: 'continue',
      label: goOnWords(kindOf(config), extent.outcome).button,
      act: () => open('continue'),
      opens: 'continue',
    },
    suggestion?.raisesLimit ? undefined : suggested,
    pattern ? moreStep : undefined,
    { key: 'again', label: 'Run again', act: () => start() },
    cause && server?.fork
      ? {
          key: 'fork',
          label:
            end.result.termination_reason === 'final_answer'
              ? 'Fork before the answer'
              : 'Fork before the failure',
          act: () => server.fork?.(cause),
        }
      : undefined,
    canRepeat(config)
      ? { key: 'repeat', label: 'Run several times', act: () => open('repeat'), opens: 'repeat' }
      : undefined,
  ];
  return steps.filter((step) => step !== undefined);
}

function StepButton({
  step,
  isSecond,
  opened,
  disabled,
}: {
  step: Step;
  isSecond: boolean;
  opened: 'continue' | 'repeat' | undefined;
  disabled: boolean;
}) {
  return (
    <Button
      size="sm"
      kind={isSecond ? undefined : 'primary'}
      disabled={disabled}
      title={step.title}
      aria-expanded={step.opens && step.opens === opened}
      onClick={step.act}
    >
      {step.label}
    </Button>
  );
}

function startOverTask(task: string, hint: string): string {
  const words = hint === '' ? '' : `\n\nHint: ${hint}`;
  return `${task}\n\nAn earlier run worked on this in the same folder. Check the existing files and continue.${words}`;
}

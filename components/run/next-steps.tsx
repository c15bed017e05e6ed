'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { ForkRequest } from '#lib/api/fork-run.ts';
import type { RunReply } from '#lib/api/replies.ts';
import { getJson, postJson } from '#lib/browser/api.ts';
import { continueWith, forkBeforeCause, moreSteps, suggestionFor } from '#lib/browser/drafts/next-steps.ts';
import { draftOf, type RunDraft, requestOf } from '#lib/browser/drafts/run-draft.ts';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import type { RunConfig } from '#lib/events/config.ts';
import { kindFacts, kindOf } from '#lib/events/modes.ts';
import { startRun } from '../home/start-run.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { ForkMark } from '../run-view/fork-mark.tsx';
import { useRun } from '../run-view/run-context.tsx';
import { useRunScreen } from '../run-view/screen-context.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Link } from '../ui/link.tsx';
import { RepeatRun } from './repeat-run.tsx';

/**
 * What to do after a run: what follows from its end first (a higher limit, another setting), then to go on in its
 * conversation with what a person has to say, to fork it before what ended it, the same again, or with changes.
 */
export function NextSteps({ runId, config }: { runId: string; config: RunConfig }) {
  const router = useRouter();
  const { server } = useRunScreen();
  const end = useRun((view) => view.run.ended);
  const timeline = useRun((view) => view.timeline);
  const [hinting, setHinting] = useState(false);
  const [hint, setHint] = useState('');
  const { busy, problem, setProblem, run: request } = useRequest();
  const start = (changes: Partial<RunDraft> = {}, { inItsFolder = false } = {}) =>
    go(async () => {
      // Only the server's answer says whether the run was imported: this page may not know it yet.
      const { run } = await getJson<RunReply>(`/api/runs/${encodeURIComponent(runId)}`);
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
  const go = (start: () => Promise<string | undefined>) =>
    request(async () => {
      const address = await start();
      if (address === undefined) return undefined;
      router.push(address);
      return LEAVING;
    });
  const cause = end && forkBeforeCause(timeline, end, config.mode);
  const suggestion = end && suggestionFor(config, end);
  const extent = useRun((view) => view.run);
  const more = end && moreSteps(config, extent, end);
  const continuation = end && continueWith(hint.trim(), config, extent, end);
  const goOn = async (request: ForkRequest): Promise<string> => {
    const { run } = await postJson<RunReply>(`/api/runs/${encodeURIComponent(runId)}/fork`, {
      ...request,
      ...(server?.imported ? { workspace: 'empty' } : {}),
    });
    return `/runs/${run.id}`;
  };
  const startOver = () => {
    const words = hint.trim() === '' ? '' : `\n\nHint: ${hint.trim()}`;
    const task = `${config.task}\n\nAn earlier run worked on this in the same folder. Check the existing files and continue.${words}`;
    void start({ task }, { inItsFolder: true });
  };
  const folder = server?.imported ? 'an empty folder' : 'the same folder';
  const kind = kindOf(config);
  const { answers, readsMessages } = kindFacts(kind);
  const { goOn: goOnWords } = KIND_WORDS[kind];
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        {more && (
          <Button
            size="sm"
            kind="primary"
            disabled={busy}
            title={`Starts a new run that continues the conversation in ${folder} with a higher limit`}
            onClick={() => void go(() => goOn(more.request))}
          >
            Continue with {more.words}
          </Button>
        )}
        {suggestion && (
          <Button
            size="sm"
            kind={suggestion.raisesLimit && !more ? 'primary' : 'plain'}
            disabled={busy}
            onClick={() => void start(suggestion.changes)}
          >
            Run again {suggestion.words}
          </Button>
        )}
        {continuation && (
          <Button size="sm" aria-expanded={hinting} onClick={() => setHinting(!hinting)}>
            {goOnWords.button}
          </Button>
        )}
        {cause && server?.fork && (
          <Button size="sm" disabled={busy} onClick={() => server.fork?.(cause)}>
            <ForkMark className="size-4" />
            {end.result.termination_reason === 'final_answer'
              ? 'Fork before the answer'
              : 'Fork before the failure'}
          </Button>
        )}
        <Button size="sm" disabled={busy} onClick={() => void start()}>
          Run again
        </Button>
        <RepeatRun runId={runId} config={config} imported={server?.imported ?? false} />
        <Link href={`/runs/new?from=${encodeURIComponent(runId)}`} className={buttonClass('plain', 'sm')}>
          Run again with changes
        </Link>
      </div>
      {hinting && continuation && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void go(() => goOn(continuation.request));
          }}
          className="grid gap-2"
        >
          <div>
            <label htmlFor="hint" className="mb-1 block text-sm font-medium">
              {goOnWords.label}
            </label>
            <textarea
              id="hint"
              rows={2}
              required
              maxLength={8000}
              // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
              autoFocus
              className="field [field-sizing:content] max-h-48 resize-y"
              aria-describedby="hint-effect"
              value={hint}
              onChange={(event) => setHint(event.target.value)}
            />
            <p id="hint-effect" className="mt-1 text-sm text-ink-3">
              {readsMessages === 'with_own_message'
                ? 'The exploration continues and gets this with the result of its next message to you.'
                : `The conversation continues${config.workspace === '' ? '' : `, in ${folder}`}, and the model reads this next.`}
              {continuation.changes.length > 0 && ` It gets ${continuation.changes.join(' and ')}.`} This run
              stays as it is: a new one begins with a copy of it.
            </p>
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Button type="submit" kind="primary" size="sm" disabled={busy}>
              {busy ? 'Starting' : 'Continue'}
            </Button>
            {answers && config.workspace !== '' && !server?.imported && (
              <Button
                kind="quiet"
                size="sm"
                disabled={busy}
                title={`Starts a new run in ${folder} with the task and the hint, without the conversation`}
                onClick={startOver}
              >
                Start over with it instead
              </Button>
            )}
          </div>
        </form>
      )}
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}

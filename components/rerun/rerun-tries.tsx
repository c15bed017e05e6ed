'use client';

import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { ForkDraftReply } from '#lib/api/fork-run.ts';
import type { SentRequestReply } from '#lib/api/sent-request.ts';
import { forkQuery } from '#lib/browser/drafts/fork-query.ts';
import { forkOfRerun, placeOfCall } from '#lib/browser/drafts/rerun-fork.ts';
import { forkRun } from '#lib/browser/fork-run.ts';
import { isUnderWay, type RerunStore, type RerunTry, rowOfTry } from '#lib/browser/state/rerun-tries.ts';
import { formatCount, formatDuration } from '#lib/browser/words/format.ts';
import { changesWords, outcomeWords, phaseWords } from '#lib/browser/words/rerun-words.ts';
import type { CallRow } from '#lib/events/timeline.ts';
import { useApi } from '../hooks/use-api.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { useRun } from '../run-view/run-context.tsx';
import { useRunScreen } from '../run-view/screen-context.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Field } from '../ui/form/fields.tsx';
import { ReplyChanges, ReplyColumn } from './reply-column.tsx';

interface Part {
  sent: SentRequestReply;
  row: CallRow;
  store: RerunStore;
  /** Of the run. */
  path: string;
  /** The page is about to show another run. */
  onLeave: () => void;
}

/** All tries of this visit, and one of them next to the call or another try. */
export function RerunTries({ sent, row, store, path, onLeave }: Part) {
  const { tries, shown, against } = useStore(store);
  const now = tries.find(({ number }) => number === shown);
  const other = tries.find(({ number }) => number === against && number !== shown);
  const left = useMemo(() => (other ? rowOfTry(row, other) : row), [other, row]);
  const right = useMemo(() => (now ? rowOfTry(row, now) : undefined), [now, row]);
  const leftName = other ? `Try ${other.number}` : 'Original reply';
  const others = tries.filter((each) => each.number !== shown && each.result);
  return (
    <div className="grid min-w-0 gap-4">
      <div>
        <h3 className="caption mb-1.5">Replies</h3>
        <ol className="divide-y rounded-md border border-line-strong">
          {tries.map((each) => (
            <li key={each.number}>
              <TryLine
                each={each}
                isShown={each.number === shown}
                onShow={() => store.setState({ shown: each.number })}
              />
            </li>
          ))}
        </ol>
      </div>
      {now && (
        <>
          <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
            <Button onClick={() => store.setState({ draft: now.draft })}>Edit this request</Button>
            <KeepAsFork {...{ sent, row, path, onLeave }} each={now} />
          </div>
          {others.length > 0 && (
            <Field label="Compare with" className="max-w-60">
              {(props) => (
                <select
                  {...props}
                  className="field"
                  value={other?.number ?? 0}
                  onChange={(event) => store.setState({ against: Number(event.target.value) })}
                >
                  <option value={0}>Original reply</option>
                  {others.map(({ number }) => (
                    <option key={number} value={number}>
                      Try {number}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <div className="grid min-w-0 gap-4 md:grid-cols-2">
            {left && <ReplyColumn name={leftName} row={left} />}
            {right ? (
              <ReplyColumn name={`Try ${now.number}`} row={right} result={now.result} />
            ) : (
              <Pending each={now} />
            )}
          </div>
          {left && right && (
            <ReplyChanges names={[leftName, `Try ${now.number}`]} before={left} after={right} />
          )}
        </>
      )}
    </div>
  );
}

function TryLine({ each, isShown, onShow }: { each: RerunTry; isShown: boolean; onShow: () => void }) {
  const { result, changes } = each;
  const tokens = result?.ended?.reply_tokens;
  const ms = result?.ended?.duration_ms ?? result?.failed?.duration_ms;
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={onShow}
      className={cx(
        'flex w-full min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-1.5 text-left text-sm max-sm:min-h-11',
        isShown ? 'bg-brass-wash' : 'hover:bg-surface',
      )}
    >
      <span className="shrink-0 font-medium">Try {each.number}</span>
      <span className="foreign min-w-0 truncate font-mono text-xs">
        <ShortName text={each.draft.model} />
      </span>
      <span className="min-w-0 text-ink-3">{changesWords(changes)}</span>
      <span className="tnum ml-auto shrink-0 text-ink-2">
        {[
          outcomeWords(each),
          tokens === undefined ? undefined : `${formatCount(tokens)} tok`,
          ms === undefined ? undefined : formatDuration(ms),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </button>
  );
}

/** A try without a result: the text so far, or why there is none. */
function Pending({ each }: { each: RerunTry }) {
  const { problem, text, thinking } = each;
  return (
    <section aria-label={`Try ${each.number}`} className="min-w-0">
      <h4 className="mb-2 font-semibold">Try {each.number}</h4>
      {problem ? (
        <ErrorNote error={problem} />
      ) : (
        <p className="text-sm text-ink-3" aria-busy={isUnderWay(each)}>
          {phaseWords(each)}
        </p>
      )}
      {thinking && (
        <p className="foreign mt-2 border-l-2 border-line-strong pl-3 text-sm break-words whitespace-pre-wrap text-ink-2 italic">
          {thinking.slice(-PENDING_CHARS)}
        </p>
      )}
      {text && (
        <p className="foreign mt-2 text-sm break-words whitespace-pre-wrap">{text.slice(-PENDING_CHARS)}</p>
      )}
    </section>
  );
}

/** How much of the end of a reply in progress is shown. */
const PENDING_CHARS = 4000;

/** Starts a fork of the run whose next call sends a try's request, or explains why this is impossible. */
function KeepAsFork({ sent, row, path, onLeave, each }: Omit<Part, 'store'> & { each: RerunTry }) {
  const router = useRouter();
  const imported = useRunScreen().server?.imported ?? false;
  const runId = useRun((view) => view.run.runId);
  const place = useMemo(() => placeOfCall(row), [row]);
  const { data: point, error } = useApi<ForkDraftReply>(`${path}/fork?${forkQuery(place)}`);
  const { busy, problem, run } = useRequest();
  const fork = useMemo(
    () => point && forkOfRerun(sent, each.draft, { place, point }),
    [sent, each.draft, place, point],
  );
  const reason = error
    ? [error.message, error.hint].filter(Boolean).join(' ')
    : fork?.ok === false
      ? fork.reason
      : undefined;
  const start = () =>
    run(async () => {
      if (!fork?.ok) return;
      const page = await forkRun(runId, fork.request);
      onLeave();
      router.push(page);
      return LEAVING;
    });
  return (
    <div className="min-w-0 flex-1">
      <Button disabled={busy || !fork?.ok} aria-describedby="rerun-fork-note" onClick={() => void start()}>
        {busy ? 'Starting' : 'Keep as a fork'}
      </Button>
      <p id="rerun-fork-note" className="mt-1 text-sm text-ink-3">
        {reason ??
          `A new run continues from this call with this request${point?.config.workspace ? filesWords(imported) : ''}.`}
      </p>
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}

/** The files that a fork starts with unless a person chooses others. */
function filesWords(imported: boolean): string {
  return imported ? ', in an empty folder' : ', in a copy of the folder';
}

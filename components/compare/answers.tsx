'use client';

import { useState } from 'react';
import type { ComparedRun } from '#lib/api/comparison.ts';
import { markdownKind } from '#lib/browser/content/content-kind.ts';
import { MAX_FETCHED_CHARS } from '#lib/browser/content/limits.ts';
import { runLetter } from '#lib/browser/state/compared-runs.ts';
import { wholeTextsAt } from '#lib/browser/stream/whole-texts.ts';
import { formatBytes, formatCount } from '#lib/browser/words/format.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { outcomeWords } from '#lib/events/outcome.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Content } from '../ui/content/content.tsx';
import { FileDiff } from '../ui/content/file-diff.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { ErrorLine } from '../ui/error-line.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ScrollGroup } from '../ui/scroll-region.tsx';
import { Segments } from '../ui/segments.tsx';
import { RunMark } from './run-mark.tsx';

const VIEWS = [
  { id: 'columns', label: 'Side by side' },
  { id: 'diff', label: 'Diff' },
] as const;

/** A run's final answer, as far as it is loaded. */
interface Answer {
  run: ComparedRun['run'];
  letter: string;
  /** `undefined` until the run has ended. */
  text: string | undefined;
  /** The location of the rest of a truncated text. */
  rest: { fileUrl: string; chars: number; load: () => Promise<void> } | undefined;
}

/** The final answers of all runs, side by side as Markdown, or each as a diff against the baseline. */
export function Answers({ runs }: { runs: readonly ComparedRun[] }) {
  const [view, setView] = useState<(typeof VIEWS)[number]['id']>('columns');
  const answers = useAnswers(runs);
  const [baseline, ...others] = answers;
  return (
    <section aria-label="Final answers" className="mt-8">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="font-semibold">Final answers</h2>
        <Segments legend="Answers as" segments={VIEWS} chosen={view} onChoose={setView} />
      </div>
      {view === 'columns' ? (
        <div className="mt-3 grid snap-x auto-cols-[minmax(min(85%,14rem),1fr)] grid-flow-col gap-3 overflow-x-auto pb-2">
          {answers.map((answer) => (
            <AnswerColumn key={answer.letter} answer={answer} />
          ))}
        </div>
      ) : (
        <div className="mt-3 grid gap-4">
          {baseline && others.map((other) => <AnswerDiff key={other.letter} a={baseline} b={other} />)}
        </div>
      )}
    </section>
  );
}

/** The answers, in full where their texts have been loaded. */
function useAnswers(runs: readonly ComparedRun[]): Answer[] {
  const [loaded, setLoaded] = useState<ReadonlyMap<string, string>>(new Map());
  return runs.map(({ run, answer }, index) => {
    const whole = wholeTextsAt(() => `/api/runs/${encodeURIComponent(run.id)}`);
    const isCut = answer !== undefined && answer.text.length < answer.chars && !loaded.has(run.id);
    return {
      run,
      letter: runLetter(index),
      text: loaded.get(run.id) ?? answer?.text,
      rest: isCut
        ? {
            fileUrl: whole.fileUrl(answer.seq, answer.path),
            chars: answer.chars,
            load: async () => {
              const text = String(await whole.value(answer.seq, answer.path));
              setLoaded((before) => new Map(before).set(run.id, text));
            },
          }
        : undefined,
    };
  });
}

function AnswerColumn({ answer }: { answer: Answer }) {
  const { run, letter, text } = answer;
  return (
    <article
      aria-label={`Run ${letter}`}
      className="flex min-w-0 snap-start flex-col rounded-lg border bg-raised"
    >
      <header className="flex min-w-0 flex-wrap items-center gap-2 border-b px-3 py-2 max-sm:py-2.5">
        <span className="flex min-w-0 items-center gap-2">
          <RunMark letter={letter} />
          <span
            className="foreign min-w-0 truncate font-mono text-xs text-ink-2"
            title={plainVisibleLine(run.model)}
          >
            <ShortName text={run.model} max={40} />
          </span>
        </span>
        <span className="ml-auto flex flex-wrap items-center justify-end gap-1">
          {run.outcome && (
            <Badge tone={outcomeWords(run.outcome).tone}>{outcomeWords(run.outcome).label}</Badge>
          )}
          {text !== undefined && text.trim() !== '' && (
            <CopyButton text={text} label={`Copy the answer of run ${letter}`} className="print:hidden" />
          )}
        </span>
      </header>
      <ScrollGroup
        label={`Answer of run ${letter}`}
        className="words max-h-[32rem] max-w-full! min-w-0 flex-1 overflow-y-auto px-3 py-2.5 print:max-h-none"
      >
        {text !== undefined && text.trim() !== '' ? (
          <Content text={text} kind={markdownKind(text)} />
        ) : (
          <p className="text-ink-3">{text === undefined ? 'The run has not ended.' : 'No text.'}</p>
        )}
      </ScrollGroup>
      <Rest answer={answer} />
    </article>
  );
}

function AnswerDiff({ a, b }: { a: Answer; b: Answer }) {
  return (
    <div className="grid min-w-0 gap-1">
      {a.text === undefined || b.text === undefined ? (
        <p className="text-sm text-ink-3">
          {b.letter} and {a.letter}: run {a.text === undefined ? a.letter : b.letter} has not ended.
        </p>
      ) : (
        <FileDiff path={`Answer: ${a.letter} → ${b.letter}`} isText before={a.text} after={b.text} />
      )}
      <Rest answer={a} />
      <Rest answer={b} />
    </div>
  );
}

/** Says that a text is truncated, and loads the rest or offers it as a file. */
function Rest({ answer: { letter, text = '', rest } }: { answer: Answer }) {
  const { busy, problem, run } = useRequest();
  if (!rest) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-xs text-ink-3">
      Only the first {formatCount(text.length)} of {formatCount(rest.chars)} characters of {letter} are here.
      {rest.chars > MAX_FETCHED_CHARS ? (
        <DownloadLink
          href={rest.fileUrl}
          className="font-medium text-brass underline-offset-2 hover:underline"
        >
          Download the answer ({formatBytes(rest.chars)})
        </DownloadLink>
      ) : (
        <Button size="sm" className="max-sm:h-11" disabled={busy} onClick={() => void run(rest.load)}>
          Load the full answer ({formatBytes(rest.chars)})
        </Button>
      )}
      {problem && <ErrorLine error={problem} />}
    </p>
  );
}

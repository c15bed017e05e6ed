'use client';

import { formatCount, formatDuration, plural } from '#lib/browser/format.ts';
import { stepWord } from '#lib/browser/mode-words.ts';
import { reasonWords, VERIFICATION_WORDS } from '#lib/browser/reasons.ts';
import { type EndRow as EndRowData, rowIndexOfSeq, type Timeline } from '#lib/events/fold-timeline.ts';
import { Downloads } from '../run/downloads.tsx';
import { NextSteps } from '../run/next-steps.tsx';
import { useRun, useRunScreen } from '../run/run-context.tsx';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { toneText } from '../ui/tone.ts';
import { LongText } from './long-text.tsx';
import { rowWords } from './row-words.ts';

const edges = {
  ok: 'border-t-ok',
  warn: 'border-t-warn',
  fail: 'border-t-fail',
  calm: 'border-t-ink-3',
  live: 'border-t-brass-fill',
};

/** Why the run ended, in words, with its evidence, what is left of it, and what to do next (D8). */
export function EndRow({ row }: { row: EndRowData }) {
  const { event } = row;
  const { goTo } = useRunScreen();
  const runId = useRun((view) => view.run.runId);
  const startedAt = useRun((view) => view.run.startedAt);
  const timeline = useRun((view) => view.timeline);
  const config = useRun((view) => view.run.config);
  const mode = config?.mode;
  const { result } = event;
  const words = reasonWords(result.termination_reason, mode);
  const verification = event.verification && VERIFICATION_WORDS[event.verification];
  const cut = row.cuts.find((each) => each.path === 'result.output');
  return (
    <section
      aria-label="How the run ended"
      className={cx('mt-6 mb-4 rounded-lg border border-t-2 bg-raised p-4 sm:p-5', edges[words.tone])}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className={cx('text-lg font-semibold tracking-[-0.01em]', toneText[words.tone])}>
          {words.title}
        </h2>
        <code className="text-xs text-ink-3">{result.termination_reason}</code>
        {verification && <Badge tone={verification.tone}>{verification.label}</Badge>}
      </div>
      <p className="foreign mt-1 text-ink-2">
        <ForeignText text={event.message} />
      </p>
      {result.error && result.error.message !== event.message && (
        <p className="foreign mt-2 text-fail">
          <ForeignText text={result.error.message} />
        </p>
      )}
      {result.error?.hint && (
        <p className="foreign mt-1 text-ink-2">
          <ForeignText text={result.error.hint} />
        </p>
      )}
      {event.evidence.length > 0 && (
        <p className="mt-2 flex flex-wrap items-baseline gap-x-2 gap-y-1 text-sm text-ink-3">
          Evidence:
          {event.evidence.slice(0, 12).map((seq) => (
            <a
              key={seq}
              href={`#${seq}`}
              onClick={(click) => {
                click.preventDefault();
                goTo(seq);
              }}
              className="tnum text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass"
            >
              {evidenceWords(timeline, seq)}
            </a>
          ))}
        </p>
      )}

      <dl className="tnum mt-4 grid grid-cols-2 gap-x-6 gap-y-3 border-t pt-3 sm:grid-cols-5">
        <Figure name={`${stepWord(mode)}s`} value={formatCount(result.iterations_used)} />
        <Figure name="Tool calls" value={formatCount(event.tool_calls)} />
        <Figure
          name="Tokens in / out"
          value={`${formatCount(result.tokens_in)} / ${formatCount(result.tokens_out)}`}
        />
        <Figure name="Time" value={startedAt === undefined ? '–' : formatDuration(event.at - startedAt)} />
        <Figure name="Cost" value={event.cost_usd === 0 ? 'none, local' : `$${event.cost_usd.toFixed(4)}`} />
      </dl>

      {event.files_written.length > 0 && (
        <div className="mt-4">
          <h3 className="caption">{plural(event.files_written.length, 'file')} written</h3>
          <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5">
            {event.files_written.map((path) => (
              <li key={path}>
                <code className="foreign text-sm">
                  <ForeignText text={path} />
                </code>
              </li>
            ))}
          </ul>
        </div>
      )}

      <div className="mt-4">
        <h3 className="caption">{answerWords(result.status, mode)}</h3>
        {result.output.trim() ? (
          <LongText
            id={`${row.key}.output`}
            text={result.output}
            label={result.status === 'completed' ? 'answer' : 'partial result'}
            whole={cut && { seq: row.seq, path: 'result.output', chars: cut.chars }}
            className="mt-1 [&_pre]:font-sans [&_pre]:text-base"
          />
        ) : (
          <p className="mt-1 text-ink-3">No text.</p>
        )}
      </div>

      <div className="mt-4 grid gap-3 border-t pt-3 print:hidden">
        <p className="text-sm text-ink-2">{words.advice}</p>
        {config && <NextSteps runId={runId} config={config} />}
        <Downloads runId={runId} mode={mode} />
      </div>
    </section>
  );
}

function answerWords(status: string, mode: string | undefined): string {
  if (mode === 'session' || mode === 'explore') return 'Its last words';
  return status === 'completed' ? 'Answer' : 'What it had said so far';
}

/** What an event is, for the link to it: `read_file` in iteration 3. */
function evidenceWords(timeline: Timeline, seq: number): string {
  const index = rowIndexOfSeq(timeline, seq);
  const row = index === undefined ? undefined : timeline.rows[index];
  return row ? `${rowWords(row)} (#${seq})` : `#${seq}`;
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-ink-3">{name}</dt>
      <dd className="font-mono text-sm">{value}</dd>
    </div>
  );
}

'use client';

import { Fragment, useState } from 'react';
import type { CheckReply, InstalledCheck } from '#lib/api/model-check.ts';
import {
  type Advice,
  adviceOf,
  CHECK_AXES,
  measuredFacts,
  scoreWords,
} from '#lib/browser/words/check-words.ts';
import { formatCount, formatDuration, formatMoment } from '#lib/browser/words/format.ts';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { ProbeRow } from './probe-row.tsx';

/** The details of a check: scores, recommendations, measurements, and every probe with its evidence. */
export function CheckDetails({ check, summary, outdated }: CheckReply & Pick<InstalledCheck, 'outdated'>) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const { conditions, probes } = check;
  const toggle = (id: string) =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const show = (id: string) => {
    setOpen((before) => new Set(before).add(id));
    document.getElementById(`${check.model} ${id}`)?.focus();
  };
  const titles = new Map(probes.map((probe) => [probe.id, probe.title]));
  return (
    <div className="grid gap-6 py-3">
      {outdated && (
        <p className="rounded-md border border-warn/40 bg-warn-wash px-3 py-2 text-sm text-warn">
          {outdated === 'model'
            ? 'This result is for an older version of the model. Check the model again.'
            : 'This result is from older probes. Check the model again.'}
        </p>
      )}
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-md border bg-line md:grid-cols-4">
        {CHECK_AXES.map(({ axis, label, about }) => {
          const score = summary.axes[axis];
          return (
            <div key={axis} className="bg-raised px-3 py-2.5">
              <dt className="caption">{label}</dt>
              <dd
                className={cx(
                  'tnum mt-1',
                  score.judged === 0 ? 'text-sm text-ink-3' : 'font-mono text-lg font-medium',
                )}
              >
                {scoreWords(score)}
              </dd>
              <dd className="mt-0.5 text-xs text-ink-3">
                {about}
                {score.judged > 0 && score.unknown > 0 && `; ${score.unknown} not judged`}
              </dd>
            </div>
          );
        })}
      </dl>
      <section aria-label="Recommendations">
        <h2 className="caption">Recommendations</h2>
        <ul className="mt-1.5 grid gap-2">
          {adviceOf(check).map((advice) => (
            <AdviceLine key={advice.text} advice={advice} titles={titles} onShow={show} />
          ))}
        </ul>
      </section>
      <section aria-label="Measurements">
        <h2 className="caption">Measurements</h2>
        <dl className="tnum mt-1.5 grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm sm:grid-cols-[max-content_minmax(0,1fr)_max-content_minmax(0,1fr)]">
          {measuredFacts(check).map(({ name, value }) => (
            <div key={name} className="contents">
              <dt className="text-ink-3">{name}</dt>
              <dd className="foreign min-w-0">
                <ForeignText text={value} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-label="Probes">
        <h2 className="caption">Probes</h2>
        <ol className="mt-1 divide-y border-y">
          {probes.map((probe) => (
            <ProbeRow
              key={probe.id}
              id={`${check.model} ${probe.id}`}
              probe={probe}
              open={open.has(probe.id)}
              onToggle={() => toggle(probe.id)}
            />
          ))}
        </ol>
        <p className="tnum mt-2 text-xs text-ink-3">
          {formatMoment(check.started_at)}, in {formatDuration(check.ended_at - check.started_at)}.{' '}
          {conditions.ollama_version && `Ollama ${conditions.ollama_version}, `}temperature{' '}
          {conditions.temperature}, seed {conditions.seed}, window of {formatCount(conditions.window_tokens)}{' '}
          tokens, replies of at most {formatCount(conditions.num_predict)}.
        </p>
      </section>
    </div>
  );
}

/** Max linked probes per recommendation; all probes are listed below. */
const MAX_LINKS = 3;

const marks: Record<Advice['tone'], string> = { ok: 'bg-ok', warn: 'bg-warn', calm: 'bg-ink-3' };

function AdviceLine({
  advice: { tone, text, probes },
  titles,
  onShow,
}: {
  advice: Advice;
  titles: ReadonlyMap<string, string>;
  onShow: (id: string) => void;
}) {
  const more = probes.length - MAX_LINKS;
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5">
      <span aria-hidden="true" className={cx('mt-[0.5625rem] size-1.5 rounded-full', marks[tone])} />
      <div className="min-w-0 max-w-prose">
        <span className={cx('foreign', tone === 'calm' && 'text-ink-2')}>
          <ForeignText text={text} />
        </span>
        {probes.slice(0, MAX_LINKS).map((id, place) => (
          <Fragment key={id}>
            {place > 0 && <span className="text-sm text-ink-3">,</span>}{' '}
            <button
              type="button"
              className="min-h-6 text-left text-sm text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass"
              onClick={() => onShow(id)}
            >
              {titles.get(id) ?? id}
            </button>
          </Fragment>
        ))}
        {more > 0 && <span className="tnum text-sm text-ink-3"> and {more} more</span>}
      </div>
    </li>
  );
}

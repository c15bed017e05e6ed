'use client';

import { formatDuration } from '#lib/browser/words/format.ts';
import { checkText } from '#lib/events/check-text.ts';
import { checkCounts, checksWords } from '#lib/events/outcome.ts';
import type { VerificationRow as VerificationRowData } from '#lib/events/timeline.ts';
import { lazyComponent } from '../../hooks/lazy-component.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Clock } from '../../ui/clock.tsx';
import { cx } from '../../ui/cx.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { LongText } from './long-text.tsx';
import { Figures, RailNode, RowFrame } from './row-frame.tsx';
import { wholeOf } from './whole-of.ts';

type Checked = NonNullable<VerificationRowData['checked']>;

/** Few runs ask models for opinions. */
const OpinionList = lazyComponent(async () => (await import('./opinion-list.tsx')).OpinionList);

/** The checks after an attempt, each with its output (V5-V11), and apart from them what models think of the answer. */
export function VerificationRow({ row }: { row: VerificationRowData }) {
  const { checked } = row;
  const words = checked && checked.checks.length > 0 ? checksWords(checkCounts(checked.checks)) : undefined;
  return (
    <RowFrame node={<RailNode shape="square" className={nodeColor(checked)} />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold">Checking the work</span>
        <span className="text-sm text-ink-3">attempt {row.started.attempt}</span>
        {words && <Badge tone={words.tone}>{words.label}</Badge>}
        {!checked && (
          <Figures>
            <Clock since={row.at} className="text-brass" />
          </Figures>
        )}
      </div>
      {checked && checked.checks.length > 0 && <CheckList rowKey={row.key} checked={checked} />}
      {checked?.opinions && <OpinionList rowKey={row.key} checked={checked} opinions={checked.opinions} />}
    </RowFrame>
  );
}

function CheckList({ rowKey, checked }: { rowKey: string; checked: Checked }) {
  return (
    <ul className="mt-1.5 grid gap-2">
      {checked.checks.map((result, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: checks of an event never move
        <li key={index} className="text-sm">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <span className={result.passed ? 'font-medium text-ok' : 'font-medium text-fail'}>
              {result.passed ? 'passed' : 'failed'}
            </span>
            <code className="foreign min-w-0">
              <ForeignText text={checkText(result.check)} />
            </code>
            <Figures>
              <span>{formatDuration(result.duration_ms)}</span>
            </Figures>
          </div>
          {result.output && (
            <LongText
              id={`${rowKey}.${index}`}
              text={result.output}
              label="check output"
              whole={wholeOf(checked, `checks.${index}.output`)}
              className={cx('mt-0.5 text-xs', result.passed ? 'text-ink-3' : 'text-ink-2')}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Opinions alone are neither good nor bad news. */
function nodeColor(checked: Checked | undefined): string {
  if (!checked) return 'bg-brass-fill breathe';
  if (checked.checks.length === 0) return 'bg-ink-3';
  return checked.outcome === 'pass' ? 'bg-ok' : 'bg-warn';
}

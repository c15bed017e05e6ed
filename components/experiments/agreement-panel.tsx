'use client';

import type { AgreementGroup, AgreementReply } from '#lib/api/comparison.ts';
import { comparePath } from '#lib/browser/state/compared-runs.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { variationWords } from '#lib/browser/words/option-words.ts';
import { plainVisibleLine, shortLine } from '#lib/browser/words/visible-text.ts';
import type { ApiState } from '../hooks/use-api.ts';
import { Problem } from '../shell/problem.tsx';
import { cx } from '../ui/cx.ts';
import { FoldMark } from '../ui/fold-mark.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';

/** Iterations that the strip shows. */
const SHOWN_STEPS = 60;

/** Fills of the groups, largest first; letters distinguish them without color. */
const ways = [
  'bg-line-strong text-ink',
  'bg-brass-fill text-on-brass',
  'bg-brass-line text-ink',
  'bg-warn-wash text-warn',
  'bg-fail-wash text-fail',
  'bg-ok-wash text-ok',
];

/** Where runs of the same configuration diverge, and the likely reason. Empty if there are none. */
export function AgreementPanel({ read: { data, error, reload } }: { read: ApiState<AgreementReply> }) {
  if (error && !data) return <Problem error={error} onRetry={reload} />;
  if (!data || data.groups.length === 0) return null;
  return (
    <section aria-label="Agreement by iteration" className="mt-8">
      <h2 className="font-semibold">Where do the runs diverge?</h2>
      {data.groups_left_out !== undefined && (
        <p className="tnum mt-0.5 text-sm text-ink-3">
          The first {formatCount(data.groups.length)} of{' '}
          {formatCount(data.groups.length + data.groups_left_out)} sets of repeats.
        </p>
      )}
      <div className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-3">
        {data.groups.map((group) => (
          <Group
            key={JSON.stringify([group.model, group.options, group.factors, group.case, group.seed])}
            group={group}
            folds={data.groups.length > 1}
          />
        ))}
      </div>
    </section>
  );
}

/** `folds`: collapses a group whose runs are identical to one line. */
function Group({ group, folds }: { group: AgreementGroup; folds: boolean }) {
  const { agreement } = group;
  const settings = [
    ...(group.case === undefined ? [] : [group.case]),
    shortLine(group.model),
    ...[variationWords(group)].filter(Boolean),
    group.seed === undefined ? 'no seed' : `seed ${group.seed}`,
  ].join(', ');
  if (folds && agreement.variants === 1) {
    return (
      <details className="group/agreed rounded-lg border bg-raised [--ground:var(--raised)]">
        <summary className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5 sm:px-5">
          <FoldMark className="self-center" />
          <span className="font-semibold">{verdict(group)}</span>
          <span className="foreign font-mono text-xs text-ink-3">{settings}</span>
        </summary>
        <div className="px-4 pb-4 sm:px-5">
          <Strip group={group} settings={settings} />
        </div>
      </details>
    );
  }
  return (
    <article className="rounded-lg border bg-raised p-4 [--ground:var(--raised)] sm:p-5">
      <p className="foreign font-mono text-xs text-ink-3">{settings}</p>
      <p className="mt-1 text-lg font-semibold tracking-[-0.01em]">{verdict(group)}</p>
      {agreement.causes.length > 0 && (
        <ul className="mt-1.5 grid gap-1 text-sm text-ink-2">
          {agreement.causes.map((cause) => (
            <li key={cause} className="foreign">
              <ForeignText text={cause} />
            </li>
          ))}
        </ul>
      )}
      <Strip group={group} settings={settings} />
      <FirstDivergence group={group} />
    </article>
  );
}

/** The path of each run, iteration by iteration. */
function Strip({ group, settings }: { group: AgreementGroup; settings: string }) {
  const { agreement, runs, runs_left_out: left = 0 } = group;
  const levels = agreement.levels.slice(0, SHOWN_STEPS);
  return (
    <>
      <ScrollRegion className="mt-3 scrolls-x" label={`Runs by iteration, ${settings}`}>
        <table className="tnum border-separate border-spacing-x-0.5 border-spacing-y-0.5 font-mono text-2xs">
          <thead>
            <tr>
              <th scope="col" className="pr-3 text-left font-normal text-ink-3">
                run
              </th>
              {levels.map((_, depth) => (
                <th
                  // biome-ignore lint/suspicious/noArrayIndexKey: iterations never move
                  key={depth}
                  scope="col"
                  className="min-w-5 font-normal text-ink-3"
                >
                  {depth + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {runs.map(({ run_id, repeat }, run) => (
              <tr key={run_id}>
                <th scope="row" className="pr-3 text-left font-normal whitespace-nowrap">
                  <Link
                    href={`/runs/${encodeURIComponent(run_id)}`}
                    className="text-brass underline-offset-2 hover:underline"
                  >
                    {formatCount(repeat)}
                  </Link>
                </th>
                {levels.map((variants, depth) => {
                  const way = variants.findIndex((variant) => variant.runs.includes(run));
                  const summary = plainVisibleLine(variants[way]?.summary ?? '');
                  return (
                    <td
                      // biome-ignore lint/suspicious/noArrayIndexKey: iterations never move
                      key={depth}
                      title={way < 0 ? 'over' : summary || 'no call and no text'}
                      className={cx(
                        'h-5 min-w-5 rounded-sm px-1 text-center',
                        way < 0 ? 'text-ink-3' : ways[way % ways.length],
                      )}
                    >
                      {way < 0 ? '–' : variants.length === 1 ? '=' : letter(way)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {left > 0 && (
        <p className="tnum mt-1 text-xs text-ink-3">
          The first {formatCount(runs.length)} of {formatCount(runs.length + left)} runs are compared.
        </p>
      )}
      {agreement.levels.length > SHOWN_STEPS && (
        <p className="mt-1 text-xs text-ink-3">The first {SHOWN_STEPS} iterations are shown.</p>
      )}
    </>
  );
}

/** Compares the first two runs that diverge. */
function FirstDivergence({ group: { agreement, runs } }: { group: AgreementGroup }) {
  const level = agreement.parted;
  const first = level?.[0]?.runs[0];
  const second =
    level?.[1]?.runs[0] ?? runs.findIndex((_, run) => !level?.some((each) => each.runs.includes(run)));
  const [a, b] = [first, second].map((run) => (run === undefined ? undefined : runs[run]?.run_id));
  if (a === undefined || b === undefined) return null;
  return (
    <Link
      href={comparePath([a, b])}
      className="reach mt-3 inline-block text-sm font-medium text-brass underline-offset-4 hover:underline"
    >
      Compare two that diverge
    </Link>
  );
}

function verdict({ agreement, runs_left_out: left = 0 }: AgreementGroup): string {
  const { agreed, steps, runs, variants } = agreement;
  if (variants === 1) {
    const first = left > 0 ? `The first ${formatCount(runs)}` : `All ${formatCount(runs)}`;
    return `${runs === 2 ? 'Both' : first} runs are identical (${plural(steps, 'iteration')})`;
  }
  const end = `then ${plural(variants, 'variant')}`;
  return agreed === 0
    ? `Different from the first iteration: ${plural(variants, 'variant')} in ${runs} runs`
    : `Identical up to iteration ${formatCount(agreed)} in ${runs} of ${runs} runs; ${end}`;
}

function letter(way: number): string {
  return String.fromCharCode(65 + (way % 26));
}

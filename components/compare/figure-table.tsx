import type { CompareRunsReply } from '#lib/api/comparison.ts';
import { runLetter } from '#lib/browser/state/compared-runs.ts';
import {
  type ComparedCell,
  type ComparedLine,
  differingLines,
  figureLines,
  timeLines,
} from '#lib/browser/words/compared-figures.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { cx } from '../ui/cx.ts';
import { ForeignMessage } from '../ui/foreign-message.tsx';

/** The figures of all runs side by side, then the settings and conditions that differ. */
export function FigureTables({ reply }: { reply: CompareRunsReply }) {
  const { runs } = reply;
  const differing = differingLines(reply);
  return (
    <div className={cx('mt-10 grid items-start gap-x-10 gap-y-6', runs.length <= 3 && 'lg:grid-cols-2')}>
      <div className="grid min-w-0 gap-6">
        <Table caption="Figures" lines={figureLines(runs)} columns={runs.length} areNumbers />
        <Table caption="Times" lines={timeLines(runs)} columns={runs.length} areNumbers />
      </div>
      {differing.length > 0 ? (
        <Table caption="Settings and conditions that differ" lines={differing} columns={runs.length} />
      ) : (
        <p className="text-sm text-ink-3 lg:pt-7">
          Settings and conditions are the same: model, options, window, Ollama's version.
        </p>
      )}
    </div>
  );
}

/** A column per run. Values that differ from the baseline are marked. */
function Table({
  caption,
  lines,
  columns,
  areNumbers = false,
}: {
  caption: string;
  lines: readonly ComparedLine[];
  columns: number;
  areNumbers?: boolean;
}) {
  // Numbers are right-aligned, text is left-aligned.
  const side = areNumbers ? 'text-right' : 'text-left';
  const isWide = columns > 2;
  return (
    <section aria-label={caption} tabIndex={isWide ? 0 : undefined} className="min-w-0 overflow-x-auto">
      <table
        className="tnum w-full table-fixed border-collapse text-sm"
        style={isWide ? { minWidth: `${7 + 6.25 * columns}rem` } : undefined}
      >
        <caption className="caption mb-1 text-left">{caption}</caption>
        <thead>
          <tr className={cx('border-b border-line-strong text-xs text-ink-3', side)}>
            <th scope="col" className={cx(NAME, isWide ? 'w-28 sm:w-36' : areNumbers ? 'w-2/5' : 'w-1/4')}>
              <span className="sr-only">Name</span>
            </th>
            {Array.from({ length: columns }, (_, index) => (
              <th key={runLetter(index)} scope="col" className="py-1 pl-2 font-mono font-semibold sm:pl-3">
                {runLetter(index)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {lines.map(({ name, cells }) => (
            <tr key={name} className="align-baseline">
              <th scope="row" className={cx(NAME, 'foreign pr-3 text-ink-2', /^\s/.test(name) && 'pl-2')}>
                {shortLine(name.trimStart())}
              </th>
              {cells.map((cell, index) => (
                <td key={runLetter(index)} className={cx('py-1 pl-2 font-mono text-xs sm:pl-3', side)}>
                  <Value cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The names stay in view while the columns scroll. */
const NAME = 'sticky left-0 bg-canvas py-1 text-left font-normal';

function Value({ cell: { text, differs, by } }: { cell: ComparedCell }) {
  if (!differs) return <ForeignMessage text={text} />;
  return (
    <>
      <mark className="inline-block max-w-full rounded-sm bg-brass-wash px-0.5 align-top text-ink">
        <ForeignMessage text={text} />
      </mark>
      {by !== undefined && <span className="ml-1.5 inline-block text-2xs text-ink-3">{by}</span>}
    </>
  );
}

import type { BenchmarkCell } from '#lib/api/benchmark.ts';
import { casesWords, cellName, gainWords, pWords } from '#lib/browser/words/benchmark-words.ts';
import { formatPercent } from '#lib/browser/words/format.ts';
import { intervalWords } from '#lib/browser/words/rate-words.ts';
import { plural } from '#lib/util/numbers.ts';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';

const figure = 'py-1.5 pl-3 text-right font-mono text-xs whitespace-nowrap';
const HEAD = ['Cases', 'Native alone', 'With Loupe', 'Gain in points', 'p', 'Only Loupe', 'Only native'];

/** Accuracy by model and category in both readings, and the gain by pairs. */
export function AccuracyTable({ cells }: { cells: readonly BenchmarkCell[] }) {
  const isOneModel = new Set(cells.map(({ model }) => model)).size === 1;
  const failed = cells
    .filter(({ category }) => category !== undefined)
    .reduce((sum, cell) => sum + cell.failed, 0);
  return (
    <>
      <h2 className="mt-8 font-semibold">Accuracy by category</h2>
      <p className="mt-0.5 max-w-read text-sm text-ink-3">
        Shares of right replies with their 95% intervals (Wilson), the gain from parsing with its 95% interval
        (Newcombe), and the exact McNemar test over the same replies.
        {failed > 0 && ` ${plural(failed, 'case')} without a reply: not judged.`}
      </p>
      <ScrollRegion className="mt-2 scrolls-x" label="Accuracy by category">
        <table className="tnum w-full border-collapse text-sm sm:min-w-[52rem]">
          <thead>
            <tr className="border-b border-line-strong text-left">
              {['No.', 'Category', ...(isOneModel ? [] : ['Model'])].map((name) => (
                <th
                  key={name}
                  scope="col"
                  className={cx(
                    'caption py-1.5 pr-4 font-normal max-sm:pr-2',
                    name === 'Model' && 'max-sm:hidden',
                  )}
                >
                  {name}
                </th>
              ))}
              {HEAD.map((name) => (
                <th key={name} scope="col" className="caption py-1.5 pl-3 text-right font-normal">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {cells.map((cell, index) => (
              <tr
                key={`${cell.model} ${cell.category}`}
                className={cell.category === undefined ? 'font-medium' : undefined}
              >
                <td className="py-1.5 pr-4 font-mono text-xs text-ink-3 max-sm:pr-2">{index + 1}</td>
                <th
                  scope="row"
                  className={cx(
                    'py-1.5 pr-4 text-left whitespace-nowrap max-sm:pr-0 max-sm:whitespace-normal',
                    cell.category === undefined ? 'font-medium' : 'font-normal',
                  )}
                >
                  {cellName(cell)}
                  {/* On a phone, the accuracy is in view beside it. */}
                  {!isOneModel && (
                    <span className="foreign block font-mono text-xs font-normal text-ink-2 sm:hidden">
                      <ShortName text={cell.model} />
                    </span>
                  )}
                </th>
                {!isOneModel && (
                  <td className="foreign min-w-32 py-1.5 pr-4 font-mono text-xs max-sm:hidden">
                    <ShortName text={cell.model} />
                  </td>
                )}
                <td className={figure}>{casesWords(cell)}</td>
                <Rate rate={cell.native} />
                <Rate rate={cell.read} />
                <td className={figure}>{gainWords(cell.gain)}</td>
                <td className={figure}>{cell.gain ? pWords(cell.gain.p) : '–'}</td>
                <td className={figure}>{cell.gain?.only_read ?? '–'}</td>
                <td className={figure}>{cell.gain?.only_native ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  );
}

/** A share with its interval, which stands below it on a phone. */
function Rate({ rate }: { rate: BenchmarkCell['read'] }) {
  return (
    <td className={figure}>
      {rate ? (
        <>
          {formatPercent(rate.share)}{' '}
          <span className="max-sm:block max-sm:font-sans">({intervalWords(rate)})</span>
        </>
      ) : (
        '–'
      )}
    </td>
  );
}

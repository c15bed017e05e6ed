'use client';

import type { RatingResults, RatingStudy } from '#lib/api/rating.ts';
import {
  agreementTexts,
  agreementWords,
  missingAgreement,
  ratedTextName,
  scoreWords,
} from '#lib/browser/words/rating-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { useVersioned } from '../hooks/use-api.ts';
import { Problem } from '../shell/problem.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';

const NAME_CHARS = 90;
/** A person can change scores from elsewhere. */
const REFRESH_MS = 5000;

/** The matrix of texts and raters, the items, and how far the raters agree. */
export function RatingTables({
  path,
  study,
  rated,
}: {
  path: string;
  study: RatingStudy;
  /** How many ratings there are: with each, the results are read again. */
  rated: number;
}) {
  const { data, error, reload } = useVersioned<RatingResults>(
    `${path}/results`,
    rated,
    (last) => last && REFRESH_MS,
  );
  if (!data && error) {
    return (
      <div className="mt-6">
        <Problem error={error} onRetry={reload} />
      </div>
    );
  }
  if (!data) return <p className="mt-6 min-h-40 text-ink-3">Calculating…</p>;
  const { raters, matrix, means, items, alpha, icc } = data;
  const missing = missingAgreement(data);
  return (
    <div className="mt-6 grid gap-8">
      <Table
        caption="Mean scores"
        head={['Text', ...raters.map(({ name }) => name), 'Mean']}
        rows={study.subjects.map((subject, column) => ({
          key: subject.run_id,
          name: ratedTextName(subject, column),
          href: `/runs/${encodeURIComponent(subject.run_id)}`,
          cells: [...matrix.map((row) => row[column]), means[column]].map(scoreWords),
        }))}
      />
      <section aria-label="Agreement" className="max-w-read">
        <h2 className="text-sm font-semibold">Agreement</h2>
        {raters.length > 1 && (
          <>
            <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
              <dt>Krippendorff's alpha</dt>
              <dd className="tnum font-mono">{agreementWords(alpha)}</dd>
              <dt>ICC(2,1), one rater</dt>
              <dd className="tnum font-mono">{agreementWords(icc?.agreement)}</dd>
              <dt>ICC(3,1), levels ignored</dt>
              <dd className="tnum font-mono">{agreementWords(icc?.consistency)}</dd>
              <dt>ICC(2,k), mean of all</dt>
              <dd className="tnum font-mono">{agreementWords(icc?.meanAgreement)}</dd>
            </dl>
            <p className="mt-2 text-sm text-ink-3">
              1 is full agreement, 0 is chance; an alpha of 0.8 or more is usually called reliable, 0.667 or
              more tentative. {agreementTexts(data, study.subjects.length)}
            </p>
          </>
        )}
        {missing && <p className="mt-2 text-sm text-ink-2">{missing}</p>}
      </section>
      <Table
        caption="Items"
        head={['Item', 'Alpha', ...study.subjects.map((_, index) => `Text ${index + 1}`)]}
        rows={items.map((item) => ({
          key: item.id,
          name: item.text,
          cells: [item.alpha === null ? '–' : agreementWords(item.alpha), ...item.means.map(scoreWords)],
        }))}
      />
    </div>
  );
}

function Table({
  caption,
  head,
  rows,
}: {
  caption: string;
  head: readonly string[];
  rows: readonly { key: string; name: string; href?: string; cells: readonly string[] }[];
}) {
  return (
    <ScrollRegion label={caption} className="min-w-0 overflow-x-auto">
      <table className="tnum w-full border-collapse text-sm">
        <caption className="mb-1 text-left text-sm font-semibold">{caption}</caption>
        <thead>
          <tr className="border-b border-line-strong text-xs text-ink-3">
            {head.map((name, index) => (
              <th
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                key={index}
                scope="col"
                className={index === 0 ? 'py-1 pr-3 text-left' : 'py-1 pl-3 text-right'}
              >
                <ForeignText text={shortLine(name, NAME_CHARS)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map(({ key, name, href, cells }) => (
            <tr key={key}>
              <th scope="row" className="foreign min-w-40 py-1 pr-3 text-left font-normal">
                {href ? (
                  <Link href={href} className="text-brass underline-offset-2 hover:underline">
                    {name}
                  </Link>
                ) : (
                  <ForeignText text={name} />
                )}
              </th>
              {cells.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                <td key={index} className="py-1 pl-3 text-right font-mono text-xs">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

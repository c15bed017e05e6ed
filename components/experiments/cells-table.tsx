'use client';

import { useState } from 'react';
import type { ExperimentMode } from '#lib/api/experiment.ts';
import type { CellFigure, ExperimentCell } from '#lib/api/experiment-cells.ts';
import { passFocusOn } from '#lib/browser/focus-soon.ts';
import { FIGURE_WORDS, runsWithFigure } from '#lib/browser/words/figure-words.ts';
import { formatDuration, formatPercent, formatShortCount, formatTokens } from '#lib/browser/words/format.ts';
import { variationWords } from '#lib/browser/words/option-words.ts';
import { allDiffer, intervalWords } from '#lib/browser/words/rate-words.ts';
import { kindFacts } from '#lib/events/modes.ts';
import { Button } from '../ui/button.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { HeadRow, Share } from './table-parts.tsx';

/** Rows that are shown at first, and with each further step: thousands would be slow to draw. */
const STEP = 100;

const figure = 'py-1.5 pl-4 text-right font-mono text-xs whitespace-nowrap';
const link = 'text-brass underline-offset-4 hover:underline';

/** The results by cell: pass rates with their intervals, and medians over the runs of a cell. */
export function CellsTable({
  cells,
  mode,
  cases,
  hrefOf,
}: {
  cells: readonly ExperimentCell[];
  mode: ExperimentMode;
  /** How many cases each cell has; 1 without a suite. */
  cases: number;
  /** Where the runs of a cell are listed. */
  hrefOf: (cell: number) => string;
}) {
  const [shown, setShown] = useState(STEP);
  // Answers to different cases are not compared.
  const answers = kindFacts(mode).answers && cells.some(({ runs }) => runs > cases);
  const checked = cells.some((cell) => cell.checked > 0);
  const retried = cells.some(({ figures }) => (figures.attempts?.high ?? 0) > 1);
  const priced = cells.some(({ figures }) => figures.cost_usd !== undefined);
  const tries = Math.max(0, ...cells.map(({ pass_k }) => pass_k.at(-1)?.k ?? 0));
  const columns = [
    checked ? 'Passed' : kindFacts(mode).answers ? 'Answered' : 'All cycles',
    '95% interval',
    ...(retried ? ['First try'] : []),
    ...(tries > 1 ? [`pass@${tries}`, `pass^${tries}`] : []),
    ...(answers ? ['Same answer'] : []),
    ...['Tokens out', 'tok/s', ...(priced ? ['Cost'] : []), FIGURE_WORDS.seconds.label],
  ];
  return (
    <ScrollRegion className="mt-2 mb-6 scrolls-x" label="Results by cell">
      <table className="tnum w-full border-collapse text-sm sm:min-w-[52rem]">
        <caption className="sr-only">
          Runs with the same model and settings, over all seeds and repeats; medians
        </caption>
        <thead>
          <HeadRow words={['Cell', 'Model', 'Settings']} wide={['Settings']} figures={columns} />
        </thead>
        <tbody className="divide-y">
          {cells.slice(0, shown).map((cell) => (
            <CellLine
              key={cell.cell}
              cell={cell}
              href={hrefOf(cell.cell)}
              {...{ answers, retried, priced, tries }}
            />
          ))}
        </tbody>
      </table>
      {shown < cells.length && (
        <Button
          ref={passFocusOn}
          size="sm"
          className="mt-3 max-sm:h-11"
          onClick={() => setShown(shown + STEP)}
        >
          Show more cells
        </Button>
      )}
    </ScrollRegion>
  );
}

function CellLine({
  cell,
  href,
  answers,
  retried,
  priced,
  tries,
}: {
  cell: ExperimentCell;
  href: string;
  answers: boolean;
  retried: boolean;
  priced: boolean;
  tries: number;
}) {
  const { rate, figures, pass_k } = cell;
  const allNotRun = cell.runs === cell.failed + cell.not_run;
  const k = pass_k.find((each) => each.k === tries);
  const settings = variationWords(cell, cell.sent);
  return (
    <tr className="align-baseline">
      <td className="py-1.5 pr-4 font-mono text-xs whitespace-nowrap max-sm:pr-2">
        <Link href={href} className={link} aria-label={`Cell ${cell.cell}: show its runs`}>
          {cell.cell}
        </Link>
      </td>
      <th
        scope="row"
        className="foreign min-w-28 py-1.5 pr-4 text-left font-mono text-xs font-normal max-sm:pr-0"
        title={provenanceWords(cell)}
      >
        <ShortName text={cell.model} />
        {/* On a phone, the result is in view beside it. */}
        {settings && <span className="block text-ink-2 sm:hidden">{settings}</span>}
      </th>
      <td className="foreign min-w-32 py-1.5 pr-4 font-mono text-xs text-ink-2 max-sm:hidden">
        {settings || '–'}
      </td>
      <Share count={cell.passed} of={cell.judged} none={allNotRun ? 'did not run' : undefined} />
      <td className={figure}>{rate ? intervalWords(rate) : '–'}</td>
      {retried && <Share count={cell.first_try} of={cell.judged} />}
      {tries > 1 &&
        [k?.pass_at_k, k?.pass_hat_k].map((share, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table never move
          <td key={index} className={figure}>
            {share === undefined ? '–' : formatPercent(share)}
          </td>
        ))}
      {answers && (
        <Share count={cell.agreeing} of={cell.answers} words={allDiffer(cell) ? 'all differ' : undefined} />
      )}
      <td className={figure}>
        {figures.tokens_out
          ? formatTokens(figures.tokens_out.median, cell.tokens_estimated, formatShortCount)
          : '–'}
      </td>
      <PartialFigure cell={cell} name="tokens_per_second" />
      {priced && <PartialFigure cell={cell} name="cost_usd" />}
      <td className={figure}>{figures.seconds ? formatDuration(figures.seconds.median * 1000) : '–'}</td>
    </tr>
  );
}

/** The median of a figure that some runs may lack, with the number of those that have it below. */
function PartialFigure({ cell, name }: { cell: ExperimentCell; name: CellFigure }) {
  const median = cell.figures[name]?.median;
  const runs = runsWithFigure(cell, name);
  return (
    <td className={figure}>
      {median === undefined ? '–' : FIGURE_WORDS[name].format(median)}
      {runs && <span className="block text-ink-3">{runs}</span>}
    </td>
  );
}

/** The versions behind a model's name, such as `Q4_K_M, 8.2B, Ollama 0.9.0, digest 500a1f067a9f`. */
function provenanceWords({ provenance }: ExperimentCell): string | undefined {
  const versions = provenance.map(({ quantization, parameter_size, ollama_version, digest }) =>
    [
      quantization,
      parameter_size,
      ollama_version && `Ollama ${ollama_version}`,
      digest && `digest ${digest.slice(0, 12)}`,
    ]
      .filter(Boolean)
      .join(', '),
  );
  return versions.length === 0 ? undefined : versions.join('; ');
}

'use client';

import type { ExperimentCell, Provenance } from '#lib/api/experiment-cells.ts';
import { FIGURE_WORDS, figureWords } from '#lib/browser/words/figure-words.ts';
import { formatBytes, formatCount, formatPercent } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { keysOf } from '#lib/util/records.ts';
import { FoldMark } from '../ui/fold-mark.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';

/** Cells with a column each: more would be slow to draw, and all are in the exported results. */
const MAX_CELLS = 40;
const FIGURES = keysOf(FIGURE_WORDS);
const VALUE_CHARS = 80;

const head = 'py-1.5 pl-4 text-right font-mono text-xs font-medium';
const value = 'py-1 pl-4 text-right font-mono text-xs whitespace-nowrap';

/** Every figure of every cell, and what the results were measured with. */
export function FiguresTable({
  cells: all,
  hrefOf,
}: {
  cells: readonly ExperimentCell[];
  hrefOf: (cell: number) => string;
}) {
  const cells = all.slice(0, MAX_CELLS);
  const figures = FIGURES.filter((name) => cells.some((cell) => cell.figures[name]));
  const formats = [...new Set(cells.flatMap((cell) => Object.keys(cell.calls_by_format)))].sort();
  return (
    <details className="unfolds-on-paper group/figures mt-2 mb-6 rounded-lg border bg-raised [--ground:var(--raised)]">
      <summary className="flex items-center gap-2 px-4 py-2.5 font-semibold max-sm:min-h-11 sm:px-5">
        <FoldMark />
        All figures and provenance
      </summary>
      <div className="px-4 pb-4 sm:px-5">
        <p className="max-w-read text-sm text-ink-3">
          Medians over the runs of a cell that passed or failed, with the quartiles in brackets. Where only
          some of these runs have a figure, their number follows.
          {all.length > cells.length && ` The first ${cells.length} of ${formatCount(all.length)} cells.`}
        </p>
        <ScrollRegion className="mt-2 scrolls-x" label="Figures by cell">
          <table className="tnum border-collapse text-sm">
            <thead>
              <tr>
                <th scope="col" className="py-1.5 pr-4 text-left text-xs font-medium">
                  Figure
                </th>
                {cells.map(({ cell }) => (
                  <th key={cell} scope="col" className={head}>
                    <Link
                      href={hrefOf(cell)}
                      className="text-brass underline-offset-4 hover:underline"
                      aria-label={`Cell ${cell}: show its runs`}
                    >
                      {cell}
                    </Link>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y">
              {figures.map((name) => (
                <Row key={name} name={FIGURE_WORDS[name].label}>
                  {cells.map((cell) => (
                    <td key={cell.cell} className={value}>
                      {figureWords(cell, name)}
                    </td>
                  ))}
                </Row>
              ))}
              {formats.map((format) => (
                <Row key={format} name={`Calls in format ${shortLine(format)}, total`}>
                  {cells.map((cell) => (
                    <td key={cell.cell} className={value}>
                      {formatCount(cell.calls_by_format[format] ?? 0)}
                    </td>
                  ))}
                </Row>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
        <h3 className="mt-4 text-sm font-semibold">Measured with</h3>
        <ul className="mt-1 grid gap-1.5 text-sm text-ink-2">
          {versionsOf(cells).map(({ words, cells: numbers }) => (
            <li key={words} className="foreign break-words">
              <span className="text-ink-3">{numbers}: </span>
              <ForeignText text={words} />
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}

function Row({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <tr>
      <th scope="row" className="py-1 pr-4 text-left text-xs font-normal whitespace-nowrap">
        {name}
      </th>
      {children}
    </tr>
  );
}

/** Each combination of versions once, with the cells that were measured with it. */
function versionsOf(cells: readonly ExperimentCell[]): { words: string; cells: string }[] {
  const found = new Map<string, number[]>();
  for (const { cell, model, provenance } of cells) {
    for (const each of provenance) {
      const words = provenanceWords(model, each);
      found.set(words, [...(found.get(words) ?? []), cell]);
    }
  }
  return [...found].map(([words, numbers]) => ({
    words,
    cells: `${numbers.length === 1 ? 'Cell' : 'Cells'} ${numbers.join(', ')}`,
  }));
}

/** Everything that a result records about its model, Loupe and the machine, in a line. */
function provenanceWords(model: string, provenance: Provenance): string {
  const { machine = {}, options_sent: options = {}, gpu_share: share } = provenance;
  const short = (hash: string | undefined, name: string) => hash && `${name} ${hash.slice(0, 12)}`;
  const sent = Object.entries(options).map(([name, each]) => `${name} ${JSON.stringify(each)}`);
  return [
    shortLine(model),
    provenance.quantization,
    provenance.parameter_size,
    short(provenance.digest, 'digest'),
    short(provenance.template_hash, 'template'),
    share === undefined ? undefined : `${formatPercent(share)} on the GPU`,
    sent.length > 0 && `sent ${shortLine(sent.join(', '), VALUE_CHARS)}`,
    provenance.ollama_version && `Ollama ${provenance.ollama_version}`,
    provenance.loupe_version && `Loupe ${provenance.loupe_version}`,
    short(provenance.suite_hash, 'suite'),
    machine.cpu && `${machine.cpu}, ${machine.cores} cores`,
    machine.memory_bytes && `${formatBytes(machine.memory_bytes)} memory`,
    machine.gpu,
  ]
    .filter(Boolean)
    .join(', ');
}

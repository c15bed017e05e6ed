'use client';

import { useRouter } from 'next/navigation';
import { memo, useMemo, useState } from 'react';
import type { GridReply, GridSquare } from '#lib/api/experiment-plots.ts';
import { plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { ApiState } from '../hooks/use-api.ts';
import { PlotFigure } from '../plots/plot-figure.tsx';
import { Problem } from '../shell/problem.tsx';

/** Limits of the drawing: more could not be distinguished. */
const MAX_CASES = 120;
const MAX_CELLS = 60;
/** The height of a row, and of one where there are many. */
const ROW_PX = 18;
const LOW_ROW_PX = 12;
const MANY_CASES = 40;
const HEAD_PX = 16;
const NAME_CHARS = 26;

interface Square {
  caseId: string;
  cell: number;
  model: string;
  square: GridSquare | null;
}

/** The outcome of each case in each cell; a square links to its run or runs. Empty without a suite. */
export function CaseGridPlot({
  read: { data, error, reload },
  home,
}: {
  read: ApiState<GridReply>;
  home: string;
}) {
  const [tag, setTag] = useState('');
  const router = useRouter();
  const tags = useMemo(() => [...new Set(data?.cases.flatMap((one) => one.tags))], [data]);
  const tagged = useMemo(
    () => data?.cases.filter((one) => tag === '' || one.tags.includes(tag)) ?? [],
    [data, tag],
  );
  const { cases, cells, squares } = useMemo(() => drawn(tagged, data?.cells ?? []), [tagged, data]);
  const placeOf = useMemo(() => gridFor(cases.length, cells.length), [cases, cells]);
  if (!data) return error ? <Problem error={error} onRetry={reload} /> : null;
  if (data.cases.length === 0) return null;
  const open = (index: number) => {
    const at = squares[index];
    if (!at?.square) return;
    router.push(
      at.square.run_id !== undefined && at.square.runs === 1
        ? `/runs/${encodeURIComponent(at.square.run_id)}`
        : `${home}?cell=${at.cell}&case=${encodeURIComponent(at.caseId)}#runs`,
    );
  };
  return (
    <PlotFigure
      title="Cases by cell"
      unit="share of runs that passed"
      note={noteOf(tagged.length - cases.length, data.cells.length - cells.length)}
      height={HEAD_PX + cases.length * rowPx(cases.length)}
      points={{
        count: squares.length,
        describe: (index) => squareWords(squares[index]),
        open,
        at: (point, width) => placeOf(width).at(point),
      }}
      controls={
        tags.length > 1 && (
          <select
            aria-label="Tag"
            className="field h-8 w-auto py-0 text-xs max-sm:h-11"
            value={tag}
            onChange={(event) => setTag(event.target.value)}
          >
            <option value="">all tags</option>
            {tags.map((name) => (
              <option key={name} value={name}>
                {shortLine(name)}
              </option>
            ))}
          </select>
        )
      }
      table={{
        head: ['Case', ...cells.map(({ cell }) => `Cell ${cell}`)],
        rows: () =>
          cases.map(({ id, squares: own }) => ({
            key: id,
            cells: [id, ...cells.map((_, index) => countWords(own[index] ?? null))],
          })),
      }}
    >
      {({ width, cursor }) => (
        <>
          <Squares {...{ cases, cells, squares }} place={placeOf(width)} />
          {cursor !== undefined && (
            <rect {...placeOf(width).box(cursor)} className="fill-none stroke-brass" strokeWidth="2" />
          )}
        </>
      )}
    </PlotFigure>
  );
}

/** The drawn cases and cells, and their squares row by row. */
function drawn(tagged: GridReply['cases'], all: GridReply['cells']) {
  const cases = tagged.slice(0, MAX_CASES);
  const cells = all.slice(0, MAX_CELLS);
  const squares = cases.flatMap(({ id, squares: own }) =>
    cells.map(({ cell, model }, index): Square => ({ caseId: id, cell, model, square: own[index] ?? null })),
  );
  return { cases, cells, squares };
}

/** The static part, which is redrawn only for new data. */
const Squares = memo(function Squares({
  squares,
  cases,
  cells,
  place: { left, step, row, box },
}: {
  squares: readonly Square[];
  cases: GridReply['cases'];
  cells: GridReply['cells'];
  place: Grid;
}) {
  const every = Math.max(1, Math.ceil(24 / step));
  return (
    <>
      {cells.map(({ cell }, index) =>
        index % every === 0 ? (
          <text
            key={cell}
            x={left + (index + 0.5) * step}
            y={HEAD_PX - 5}
            textAnchor="middle"
            className="tnum fill-ink-3 text-2xs"
          >
            {cell}
          </text>
        ) : null,
      )}
      {cases.map(({ id }, index) => (
        <text
          key={id}
          x={left - 6}
          y={HEAD_PX + (index + 0.5) * row}
          textAnchor="end"
          dominantBaseline="middle"
          className="fill-ink-2 font-mono text-2xs"
        >
          {id.length > NAME_CHARS ? `${id.slice(0, NAME_CHARS - 1)}…` : id}
        </text>
      ))}
      {squares.map(({ caseId, cell, square }, index) => (
        <OneSquare key={`${caseId} ${cell}`} square={square} box={box(index)} />
      ))}
    </>
  );
});

/** Filled from below by the share that passed; what failed is a light area, and what is missing an outline. */
function OneSquare({ square, box }: { square: GridSquare | null; box: Box }) {
  if (!square || square.judged === 0) return <rect {...box} className="fill-none stroke-line" />;
  const share = square.passed / square.judged;
  const { y, height } = box;
  return (
    <>
      {share < 1 && <rect {...box} className="fill-fail opacity-30" />}
      {share > 0 && (
        <rect {...box} y={y + height * (1 - share)} height={height * share} className="fill-ok" />
      )}
    </>
  );
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

type Grid = ReturnType<ReturnType<typeof gridFor>>;

function rowPx(rows: number): number {
  return rows > MANY_CASES ? LOW_ROW_PX : ROW_PX;
}

/** The positions of the squares in pixels for a width; the same object each time. */
function gridFor(rows: number, cells: number) {
  const grids = new Map<number, ReturnType<typeof gridOf>>();
  return (width: number) => {
    const grid = grids.get(width) ?? gridOf({ width, cells, rows });
    grids.set(width, grid);
    return grid;
  };
}

function gridOf({ width, cells, rows }: { width: number; cells: number; rows: number }) {
  const row = rowPx(rows);
  const left = Math.min(190, Math.max(90, width * 0.3));
  const step = Math.min(48, Math.max(3, (width - left - 4) / Math.max(1, cells)));
  const clamp = (value: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor(value)));
  return {
    ...{ left, step, row },
    at: ({ x, y }: { x: number; y: number }) =>
      clamp((y - HEAD_PX) / row, rows) * cells + clamp((x - left) / step, cells),
    box: (index: number): Box => ({
      x: left + (index % cells) * step,
      y: HEAD_PX + Math.floor(index / cells) * row,
      width: Math.max(1, step - 2),
      height: row - 2,
    }),
  };
}

function noteOf(cases: number, cells: number): string {
  const left = [...(cases > 0 ? [plural(cases, 'case')] : []), ...(cells > 0 ? [plural(cells, 'cell')] : [])];
  const how = 'Green from below: the share that passed. Enter or a double click opens the run.';
  return left.length === 0 ? how : `${how} Not drawn: ${left.join(' and ')}.`;
}

function squareWords(at: Square | undefined): string {
  if (!at) return '';
  return `${at.caseId}, cell ${at.cell} (${shortLine(at.model)}): ${countWords(at.square)}`;
}

function countWords(square: GridSquare | null): string {
  if (!square) return 'not run';
  const { passed, judged, stopped, open } = square;
  if (judged > 0) return `${passed} of ${judged} passed`;
  if (open > 0) return 'no result yet';
  return stopped > 0 ? 'stopped' : 'did not run';
}

'use client';

import { useMemo } from 'react';
import { type CycleGroup, groupCycles, toolsByUse } from '#lib/browser/plots/explore-series.ts';
import { bothMeasureWords } from '#lib/browser/plots/plot-words.ts';
import { cycleWords, MEMORY_WITHHELD } from '#lib/browser/state/explore-view.ts';
import { formatCount, formatPercent, formatShortCount, plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { cycleTable, isMemoryWithheld, memorySizes, similarityMatrix } from '#lib/events/cycle-table.ts';
import type { Cycle, Cycles } from '#lib/events/timeline.ts';
import { CellGrid } from '../../plots/cell-grid.tsx';
import { LineBand } from '../../plots/line-band.tsx';
import { PLOT_COLORS } from '../../plots/palette.ts';
import { StackedColumns } from '../../plots/stacked-columns.tsx';
import { SimilarityPlot } from '../explore/similarity-plot.tsx';

const HEIGHT_PX = 170;
/** More cycles are combined. */
const MAX_COLUMNS = 160;
/** Tools with a separate row; a model may invent any number of names. */
const MAX_TOOLS = 14;
const NAME_CHARS = 40;
const [FIRST, , THIRD] = PLOT_COLORS;

/** The plots that only an exploration has: diversity, the size of its memory, and its tools. */
export function ExplorePlots({ cycles: all, onOpen }: { cycles: Cycles; onOpen: (seq: number) => void }) {
  const { cycles, changes } = all;
  const table = useMemo(() => cycleTable(all), [all]);
  const similarity = useMemo(() => similarityMatrix([all]), [all]);
  const groups = useMemo(() => groupCycles(cycles, MAX_COLUMNS), [cycles]);
  const sizes = useMemo(() => memorySizes(cycles, changes), [cycles, changes]);
  const isWithheld = isMemoryWithheld(changes);
  const shared = {
    label: (index: number) => formatCount(groups[index]?.first.number ?? 0),
    open: (index: number) => {
      const group = groups[index];
      if (group) onOpen(group.first.startedSeq);
    },
  };
  const name = (group: CycleGroup | undefined) => (group ? groupName(group) : '');
  const sizeOf = (group: CycleGroup) => sizes[group.last.number - 1] ?? { keys: 0, chars: 0 };
  return (
    <>
      <LineBand
        {...shared}
        title="Diversity by cycle"
        unit={`share that is new, ${bothMeasureWords(table)}`}
        height={HEIGHT_PX}
        max={1}
        columns={groups.length}
        lines={[
          {
            label: 'Novelty against the last reflections',
            color: THIRD,
            points: groups.map(({ novelty }) => novelty),
          },
          {
            label: 'Diversity of all so far',
            color: FIRST,
            points: groups.map(({ last }) => {
              const value = table.rows[last.number - 1]?.diversity;
              return value === undefined ? undefined : { low: value, value, high: value };
            }),
          },
        ]}
        format={formatPercent}
        describe={(index) =>
          `${name(groups[index])}: ${groups[index]?.novelty ? `${formatPercent(groups[index].novelty.value)} new` : 'not measured'}`
        }
        empty="Measured from the second reflection on."
        table={{
          head: ['Cycle', 'Novelty', 'Diversity so far'],
          rows: () =>
            table.rows.map(({ cycle, novelty, diversity }) => ({
              key: String(cycle),
              cells: [formatCount(cycle), shareOf(novelty), shareOf(diversity)],
            })),
        }}
      />
      <SimilarityPlot
        title="Similarity of reflections"
        matrix={similarity}
        name={({ cycle }) => `Cycle ${formatCount(cycle)}`}
        open={({ cycle }) => {
          const found = cycles[cycle - 1];
          if (found) onOpen(found.endedSeq ?? found.startedSeq);
        }}
      />
      <StackedColumns
        {...shared}
        title="Memory by cycle"
        unit="characters of keys and values"
        height={HEIGHT_PX}
        series={[{ label: 'Characters', color: FIRST }]}
        columns={(isWithheld ? [] : groups).map((group) => ({
          key: String(group.first.number),
          label: formatCount(group.first.number),
          values: [sizeOf(group).chars],
        }))}
        empty={isWithheld ? MEMORY_WITHHELD : undefined}
        format={formatShortCount}
        describe={(index) => {
          const group = groups[index];
          if (!group) return '';
          const { keys, chars } = sizeOf(group);
          return `${groupName(group)}: ${plural(keys, 'key')}, ${formatCount(chars)} characters`;
        }}
        table={{
          head: ['Cycle', 'Keys', 'Characters'],
          rows: () =>
            sizes.map(({ cycle, keys, chars }) => ({
              key: String(cycle),
              cells: [formatCount(cycle), formatCount(keys), formatCount(chars)],
            })),
        }}
      />
      <ToolsPlot {...shared} cycles={cycles} groups={groups} />
    </>
  );
}

function ToolsPlot({
  cycles,
  groups,
  ...shared
}: {
  cycles: readonly Cycle[];
  groups: readonly CycleGroup[];
  label: (index: number) => string;
  open: (index: number) => void;
}) {
  const tools = useMemo(() => toolsByUse(cycles), [cycles]);
  const own = tools.slice(0, MAX_TOOLS);
  const others = tools.slice(MAX_TOOLS);
  const calls = (group: CycleGroup, names: readonly string[]) =>
    names.reduce((sum, name) => sum + (group.tools[name] ?? 0), 0);
  const rows = [
    ...own.map((name) => ({ name: shortLine(name, NAME_CHARS), names: [name] })),
    ...(others.length > 0 ? [{ name: `${formatCount(others.length)} others`, names: others }] : []),
  ];
  return (
    <CellGrid
      {...shared}
      title="Tools by cycle"
      unit="calls; darker is more"
      columns={groups.length}
      rows={rows.map(({ name, names }) => ({ name, values: groups.map((group) => calls(group, names)) }))}
      describe={(index) => {
        const group = groups[index];
        if (!group) return '';
        if (group.first === group.last)
          return `${groupName(group)}: ${cycleWords(group.first, { over: true })}`;
        const used = rows.flatMap(({ name, names }) =>
          calls(group, names) > 0 ? [`${formatCount(calls(group, names))} ${name}`] : [],
        );
        return `${groupName(group)}: ${used.join(', ') || 'no calls'}`;
      }}
      empty="No tool was called yet."
      table={{
        head: ['Cycle', ...rows.map(({ name }) => name)],
        rows: () =>
          groups.map((group) => ({
            key: String(group.first.number),
            cells: [groupLabel(group), ...rows.map(({ names }) => formatCount(calls(group, names)))],
          })),
      }}
    />
  );
}

function shareOf(value: number | undefined): string {
  return value === undefined ? '' : formatPercent(value);
}

function groupLabel({ first, last }: CycleGroup): string {
  return first === last
    ? formatCount(first.number)
    : `${formatCount(first.number)}–${formatCount(last.number)}`;
}

function groupName(group: CycleGroup): string {
  return `${group.first === group.last ? 'Cycle' : 'Cycles'} ${groupLabel(group)}`;
}

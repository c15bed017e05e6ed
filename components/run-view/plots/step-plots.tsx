'use client';

import {
  contextWords,
  ROLE_LABELS,
  rateWords,
  stepsName,
  tokensWords,
} from '#lib/browser/plots/plot-words.ts';
import { type RunStep, type StepGroup, stackedRoles } from '#lib/browser/plots/series.ts';
import { formatCount, formatRate, formatShortCount } from '#lib/browser/words/format.ts';
import { PROMPT_ROLES } from '#lib/events/prompt-role.ts';
import { LineBand } from '../../plots/line-band.tsx';
import { PLOT_COLORS, ROLE_COLORS } from '../../plots/palette.ts';
import { StackedColumns } from '../../plots/stacked-columns.tsx';

const HEIGHT_PX = 170;
const [IN, , OUT, MARK] = PLOT_COLORS;
const INK = { fill: 'fill-ink', stroke: 'stroke-ink', swatch: 'bg-ink' };

interface StepPlotProps {
  steps: readonly RunStep[];
  groups: readonly StepGroup[];
  /** The name of a step, such as `Iteration`. */
  unit: string;
  onOpen: (seq: number) => void;
}

/** The parts of each step's prompt, with the window and where results were shortened. */
export function ContextPlot({ steps, groups, unit, onOpen }: StepPlotProps) {
  const combined = groups.length < steps.length;
  return (
    <StackedColumns
      title={`Context by ${unit.toLowerCase()}`}
      unit="tokens, estimated"
      note={combined ? `Each column is the largest prompt of several ${unit.toLowerCase()}s.` : undefined}
      height={HEIGHT_PX}
      series={PROMPT_ROLES.map((role) => ({ label: ROLE_LABELS[role], color: ROLE_COLORS[role] }))}
      limit={{ label: 'Window', color: INK }}
      mark={{
        label: groups.some(({ handedOver }) => handedOver) ? 'Fresh context' : 'Results shortened',
        color: MARK,
      }}
      columns={groups.map((group) => ({
        key: String(group.first.seq),
        label: formatCount(group.first.position),
        values: stackedRoles(group.fullest),
        limit: group.fullest.window || undefined,
        marked: group.compacted || group.handedOver,
      }))}
      format={formatShortCount}
      describe={(index) => wordsOf(groups[index], unit, ({ fullest }) => contextWords(fullest))}
      open={(index) => openGroup(groups[index]?.fullest, onOpen)}
      table={{
        head: [
          unit,
          ...PROMPT_ROLES.map((role) => ROLE_LABELS[role]),
          ...['Estimated', 'Counted by Ollama', 'Window', 'Shortened from', 'Fresh context'],
        ],
        rows: () =>
          steps.map((step) => ({
            key: String(step.seq),
            cells: [
              stepsName(asGroup(step), unit),
              ...stackedRoles(step).map((tokens) => formatCount(Math.round(tokens))),
              formatCount(step.estimated),
              step.evaluated === undefined ? '' : formatCount(step.evaluated),
              step.window > 0 ? formatCount(step.window) : '',
              step.compacted ? formatCount(step.compacted.before) : '',
              step.handedOver ? 'yes' : '',
            ],
          })),
      }}
    />
  );
}

/** Tokens read or generated in each step. */
export function TokensPlot({
  steps,
  groups,
  unit,
  onOpen,
  direction,
}: StepPlotProps & { direction: 'in' | 'out' }) {
  const of = direction === 'in' ? 'tokensIn' : 'tokensOut';
  return (
    <StackedColumns
      title={`Tokens ${direction}`}
      unit={
        groups.length < steps.length ? `sum of several ${unit.toLowerCase()}s` : `by ${unit.toLowerCase()}`
      }
      height={HEIGHT_PX}
      series={[{ label: `Tokens ${direction}`, color: direction === 'in' ? IN : OUT }]}
      columns={groups.map((group) => ({
        key: String(group.first.seq),
        label: formatCount(group.first.position),
        values: [group[of]],
      }))}
      format={formatShortCount}
      describe={(index) => wordsOf(groups[index], unit, tokensWords)}
      open={(index) => openGroup(groups[index]?.first, onOpen)}
      table={{
        head: [unit, `Tokens ${direction}`, 'Estimated'],
        rows: () =>
          steps.map((step) => ({
            key: String(step.seq),
            cells: [
              stepsName(asGroup(step), unit),
              formatCount(step[of]),
              step.tokensEstimated > 0 ? 'in part' : '',
            ],
          })),
      }}
    />
  );
}

/** How fast the model wrote in each step. */
export function SpeedPlot({ steps, groups, unit, onOpen }: StepPlotProps) {
  return (
    <LineBand
      title="Writing speed"
      unit="tok/s"
      note={groups.length < steps.length ? 'Mean of several steps; the band is their range.' : undefined}
      height={HEIGHT_PX}
      columns={groups.length}
      lines={[
        {
          label: 'Writing speed',
          color: OUT,
          points: groups.map(({ rate }) => rate && { low: rate.low, value: rate.mean, high: rate.high }),
        },
      ]}
      label={(index) => formatCount(groups[index]?.first.position ?? 0)}
      format={formatRate}
      describe={(index) => wordsOf(groups[index], unit, rateWords)}
      open={(index) => openGroup(groups[index]?.first, onOpen)}
      empty="No reply was long enough to measure yet."
      table={{
        head: [unit, 'tok/s'],
        rows: () =>
          steps.map((step) => ({
            key: String(step.seq),
            cells: [stepsName(asGroup(step), unit), step.rate === undefined ? '' : formatRate(step.rate)],
          })),
      }}
    />
  );
}

function wordsOf(group: StepGroup | undefined, unit: string, words: (group: StepGroup) => string): string {
  return group ? `${stepsName(group, unit)}: ${words(group)}` : '';
}

function openGroup(step: RunStep | undefined, onOpen: (seq: number) => void): void {
  if (step) onOpen(step.seq);
}

function asGroup(step: RunStep): StepGroup {
  const { tokensIn, tokensOut, tokensEstimated, compacted } = step;
  return {
    ...{ first: step, last: step, fullest: step, tokensIn, tokensOut, tokensEstimated },
    compacted: compacted !== undefined,
    handedOver: step.handedOver ?? false,
  };
}

'use client';

import type { ReactNode } from 'react';
import {
  type CallTime,
  type RunStep,
  type StepGroup,
  stackedRoles,
  totalTimes,
} from '#lib/browser/plots/series.ts';
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatShortCount,
  formatTokens,
} from '#lib/browser/words/format.ts';
import { PROMPT_ROLES } from '#lib/events/prompt-role.ts';
import type { RunState } from '#lib/events/run-state.ts';
import { PLOT_COLORS, ROLE_COLORS } from '../../plots/palette.ts';
import { TimeStrip } from './time-strip.tsx';

const [IN, , OUT, MARK] = PLOT_COLORS;

/** Four small plots that show at a glance where time, context and tokens went. Each opens the full view. */
export function PlotStrip({
  run,
  times,
  groups,
  open,
  onToggle,
}: {
  run: Pick<RunState, 'spent' | 'tokensIn' | 'tokensOut' | 'tokensEstimated'>;
  times: readonly CallTime[];
  groups: readonly StepGroup[];
  open: boolean;
  onToggle: () => void;
}) {
  const { spent, tokensIn, tokensOut, tokensEstimated } = run;
  const rate = spent.writingMs > 0 ? (spent.writtenTokens / spent.writingMs) * 1000 : undefined;
  const last = groups.findLast((group) => group.last.roles)?.last;
  return (
    <div className="grid grid-cols-2 gap-x-4 gap-y-2 sm:gap-x-6 lg:grid-cols-4">
      <Cell label="Elapsed" value={timeValue(times)} open={open} onToggle={onToggle}>
        <TimeStrip times={times} className="size-full" />
      </Cell>
      <Cell label="Context" value={contextValue(last)} open={open} onToggle={onToggle}>
        <ContextSpark groups={groups} />
      </Cell>
      <Cell
        label="Tokens"
        value={`${formatTokens(tokensIn, tokensEstimated, formatShortCount)} in · ${formatTokens(tokensOut, tokensEstimated, formatShortCount)} out`}
        open={open}
        onToggle={onToggle}
      >
        <TokensSpark groups={groups} />
      </Cell>
      <Cell
        label="Speed"
        value={rate === undefined ? 'not measured' : `${formatRate(rate)} tok/s`}
        open={open}
        onToggle={onToggle}
      >
        <SpeedSpark groups={groups} />
      </Cell>
    </div>
  );
}

function Cell({
  label,
  value,
  open,
  onToggle,
  children,
}: {
  label: string;
  value: string;
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-expanded={open}
      title="Show all plots"
      onClick={onToggle}
      className="group min-w-0 rounded-sm text-left"
    >
      <span className="flex items-baseline justify-between gap-2">
        <span className="text-xs text-ink-3 group-hover:text-ink">{label}</span>{' '}
        <span className="tnum truncate font-mono text-xs">{value}</span>
      </span>
      <span className="mt-1 block h-7 border-b border-line-strong">{children}</span>
    </button>
  );
}

function timeValue(times: readonly CallTime[]): string {
  const totals = totalTimes(times);
  const all = Object.values(totals).reduce((sum, ms) => sum + ms, 0);
  if (all === 0) return '0:00';
  const model = totals.prompt + totals.thinking + totals.writing + totals.model;
  return `${formatDuration(all)} · model ${formatPercent(model / all)}`;
}

function contextValue(step: RunStep | undefined): string {
  if (!step) return 'no prompt yet';
  const { estimated, evaluated, window } = step;
  const used = evaluated ?? estimated;
  const count = `${evaluated === undefined ? '≈ ' : ''}${formatCount(used)}`;
  return window > 0 ? `${count} of ${formatCount(window)} · ${formatPercent(used / window)}` : count;
}

/** The drawing's own height. */
const UNIT = 100;

function Spark({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <svg
      viewBox={`0 0 ${Math.max(1, columns)} ${UNIT}`}
      preserveAspectRatio="none"
      className="size-full"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

/** One path per series: columns stacked from the bottom. */
function stackPaths(columns: readonly (readonly number[])[], most: number): string[] {
  const count = columns[0]?.length ?? 0;
  const gap = columns.length > 30 ? 0 : 0.15;
  return Array.from({ length: count }, (_, series) =>
    columns
      .map((values, index) => {
        const below = values.slice(0, series).reduce((sum, value) => sum + value, 0);
        const height = ((values[series] ?? 0) / most) * UNIT;
        if (height <= 0) return '';
        return `M${index} ${UNIT - (below / most) * UNIT}h${1 - gap}v${-height}h${gap - 1}z`;
      })
      .join(''),
  );
}

function ContextSpark({ groups }: { groups: readonly StepGroup[] }) {
  const most = groups.reduce((max, { fullest }) => Math.max(max, fullest.estimated, fullest.window), 1);
  const paths = stackPaths(
    groups.map(({ fullest }) => stackedRoles(fullest)),
    most,
  );
  return (
    <Spark columns={groups.length}>
      {PROMPT_ROLES.map((role, index) => (
        <path key={role} d={paths[index]} className={ROLE_COLORS[role].fill} />
      ))}
      {groups.map(({ first, fullest, compacted, handedOver }, index) => (
        <g key={first.seq}>
          {fullest.window > 0 && (
            <rect
              x={index}
              y={UNIT - (fullest.window / most) * UNIT}
              width="1"
              height="4"
              className="fill-ink-3"
            />
          )}
          {(compacted || handedOver) && (
            <rect x={index} y="0" width="0.25" height={UNIT} className={MARK.fill} />
          )}
        </g>
      ))}
    </Spark>
  );
}

function TokensSpark({ groups }: { groups: readonly StepGroup[] }) {
  const most = groups.reduce((max, { tokensIn, tokensOut }) => Math.max(max, tokensIn + tokensOut), 1);
  const [written, read] = stackPaths(
    groups.map(({ tokensIn, tokensOut }) => [tokensOut, tokensIn]),
    most,
  );
  return (
    <Spark columns={groups.length}>
      <path d={written} className={OUT.fill} />
      <path d={read} className={IN.fill} />
    </Spark>
  );
}

function SpeedSpark({ groups }: { groups: readonly StepGroup[] }) {
  const most = groups.reduce((max, { rate }) => Math.max(max, rate?.high ?? 0), 1);
  const points = groups.flatMap(({ rate }, index) =>
    rate ? [`${index + 0.5} ${UNIT - (rate.mean / most) * UNIT * 0.94}`] : [],
  );
  const [only] = points;
  // A single value is drawn across the plot, because a line needs two points.
  const path =
    points.length === 1 && only ? `M0 ${only.split(' ')[1]}H${groups.length}` : `M${points.join('L')}`;
  return (
    <Spark columns={groups.length}>
      {points.length > 0 && (
        <path
          d={path}
          fill="none"
          className={OUT.stroke}
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </Spark>
  );
}

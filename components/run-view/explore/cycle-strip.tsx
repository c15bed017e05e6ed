'use client';

import { type KeyboardEvent, memo, type PointerEvent, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { callsOf, toolsByUse } from '#lib/browser/plots/explore-series.ts';
import { cycleWords } from '#lib/browser/state/explore-view.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { Cycle } from '#lib/events/timeline.ts';
import { PLOT_COLORS } from '../../plots/palette.ts';
import { cx } from '../../ui/cx.ts';
import { useRun } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';

/** Tools beyond these share a color. */
const OTHER = PLOT_COLORS.length - 1;

const NAME_CHARS = 40;

/** Height of each lane in the drawing's own units. */
const CALLS = 30;
const TOKENS = 14;
const NOVELTY = 16;
const GAP = 5;
const HEIGHT = CALLS + TOKENS + NOVELTY + 2 * GAP;

/**
 * All cycles of an exploration side by side: which tools they called, how much the model wrote, how new the reflection
 * was. A cycle is chosen by pointer or arrow keys; Enter goes there.
 */
export function CycleStrip() {
  const { cycles } = useRun((view) => view.timeline.cycles);
  const limit = useRun((view) => view.run.config?.explore?.max_cycles);
  const over = useRun((view) => view.run.phase === 'ended');
  // The same list while the order is the same, because the drawing depends on it.
  const order = JSON.stringify(toolsByUse(cycles));
  const tools = useMemo((): string[] => JSON.parse(order), [order]);
  const { reading, goTo } = useRunScreen();
  const chosen = useStore(reading, (state) => state.cycle);
  const strip = useRef<HTMLDivElement>(null);
  const last = cycles.at(-1);
  if (!last) return <NoCycles />;
  const shown = cycles.find(({ number }) => number === chosen) ?? last;
  const choose = (cycle: number) => {
    const clamped = Math.min(last.number, Math.max(1, cycle));
    reading.setState({ cycle: clamped === last.number ? undefined : clamped });
  };
  const at = (event: PointerEvent) => {
    const box = strip.current?.getBoundingClientRect();
    if (!box) return undefined;
    return cycles[Math.floor(((event.clientX - box.left) / box.width) * cycles.length)];
  };
  const pressed = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
    const step = steps[event.key];
    if (step !== undefined) choose(shown.number + step);
    else if (event.key === 'Home') choose(1);
    else if (event.key === 'End') choose(last.number);
    else if (event.key === 'Enter') goTo(shown.startedSeq);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section aria-label="Cycles" className={frame}>
      <div className={lanes}>
        <LaneNames />
        <div
          ref={strip}
          style={{ maxWidth: `${cycles.length * 2}rem` }}
          role="slider"
          tabIndex={0}
          aria-label="Cycle"
          aria-valuemin={1}
          aria-valuemax={last.number}
          aria-valuenow={shown.number}
          aria-valuetext={`Cycle ${shown.number}: ${cycleWords(shown, { over })}`}
          className="relative h-[5.5rem] cursor-pointer touch-pan-y"
          onKeyDown={pressed}
          onPointerMove={(event) => {
            const found = event.buttons === 1 ? at(event) : undefined;
            if (found) choose(found.number);
          }}
          onPointerDown={(event) => {
            const found = at(event);
            if (found) choose(found.number);
          }}
          onDoubleClick={() => goTo(shown.startedSeq)}
        >
          <Drawing cycles={cycles} tools={tools} />
          <span
            aria-hidden="true"
            className="pointer-events-none absolute -inset-y-0.5 rounded-[2px] border border-brass bg-brass-fill/10"
            style={{
              left: `${((shown.number - 1) / cycles.length) * 100}%`,
              width: `max(4px, ${100 / cycles.length}%)`,
            }}
          />
        </div>
      </div>
      <div className="tnum mt-1.5 flex flex-wrap items-baseline gap-x-4 gap-y-0.5 text-xs text-ink-3">
        <button
          type="button"
          onClick={() => goTo(shown.startedSeq)}
          className="min-h-6 font-medium text-brass underline-offset-2 hover:underline"
        >
          Cycle {formatCount(shown.number)}
          {limit ? ` of ${formatCount(limit)}` : ''}
        </button>
        <span>{cycleWords(shown, { over })}</span>
        <span className="ml-auto flex flex-wrap gap-x-3 max-md:hidden">
          {tools.slice(0, PLOT_COLORS.length).map((tool, index) => (
            <span key={tool} className="inline-flex items-center gap-1.5">
              <span className={cx('size-2 rounded-[1px]', PLOT_COLORS[index]?.swatch)} aria-hidden="true" />
              {index === OTHER && tools.length > PLOT_COLORS.length ? 'others' : shortLine(tool, NAME_CHARS)}
            </span>
          ))}
        </span>
      </div>
    </section>
  );
}

const frame = 'border-b bg-surface px-3 py-2.5 sm:px-6';
const lanes = 'grid grid-cols-[3.75rem_minmax(0,1fr)] gap-x-3';

/** In place of the strip until the first cycle, which would push the rows down. */
function NoCycles() {
  return (
    <section aria-label="Cycles" className={frame}>
      <div className={lanes}>
        <LaneNames />
      </div>
      <p className="mt-1.5 text-xs text-ink-3">No cycle has started</p>
    </section>
  );
}

function LaneNames() {
  return (
    <div
      aria-hidden="true"
      className="grid h-[5.5rem] text-2xs leading-none text-ink-3"
      style={{ gridTemplateRows: `${CALLS + GAP}fr ${TOKENS + GAP}fr ${NOVELTY}fr` }}
    >
      <span>calls</span>
      <span>tokens</span>
      <span>novelty</span>
    </div>
  );
}

/** The three lanes; one unit of the drawing is one cycle, so that any number of them fills the width. */
function Drawing({ cycles, tools }: { cycles: readonly Cycle[]; tools: readonly string[] }) {
  const mostCalls = Math.max(1, ...cycles.map(({ toolCalls }) => toolCalls));
  const mostTokens = Math.max(1, ...cycles.map(({ tokensOut }) => tokensOut));
  const width = cycles.length > 60 ? 0.86 : 0.74;
  return (
    <svg
      viewBox={`0 0 ${cycles.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="size-full"
      aria-hidden="true"
      shapeRendering="crispEdges"
    >
      {[CALLS, CALLS + GAP + TOKENS, HEIGHT].map((y) => (
        <rect key={y} x="0" y={y - 0.6} width={cycles.length} height="0.6" className="fill-line" />
      ))}
      {cycles.map((cycle, index) => (
        <Column
          key={cycle.number}
          cycle={cycle}
          x={index + (1 - width) / 2}
          width={width}
          tools={tools}
          mostCalls={mostCalls}
          mostTokens={mostTokens}
        />
      ))}
    </svg>
  );
}

const NOVELTY_TOP = CALLS + TOKENS + 2 * GAP;

/** One cycle in all lanes. Drawn again only when it changes, or the scale does. */
const Column = memo(function Column({
  cycle,
  x,
  width,
  tools,
  mostCalls,
  mostTokens,
}: {
  cycle: Cycle;
  x: number;
  width: number;
  tools: readonly string[];
  mostCalls: number;
  mostTokens: number;
}) {
  const unit = CALLS / mostCalls;
  const tokens = (cycle.tokensOut / mostTokens) * TOKENS;
  let top = CALLS;
  return (
    <g>
      {PLOT_COLORS.map(({ fill }, shade) => {
        const names = shade === OTHER ? tools.slice(OTHER) : tools.slice(shade, shade + 1);
        const count = names.reduce((sum, tool) => sum + callsOf(cycle, tool), 0);
        if (count === 0) return null;
        top -= count * unit;
        return <rect key={fill} x={x} y={top} width={width} height={count * unit} className={fill} />;
      })}
      <rect x={x} y={CALLS + GAP + TOKENS - tokens} width={width} height={tokens} className="fill-ink-3" />
      {cycle.novelty !== undefined && (
        <rect
          x={x}
          y={NOVELTY_TOP + (1 - cycle.novelty) * (NOVELTY - 2)}
          width={width}
          height="2"
          className={cycle.novelty < 0.4 ? 'fill-warn' : 'fill-ok'}
        />
      )}
      {cycle.advice?.feedback !== undefined && (
        <rect x={x} y={NOVELTY_TOP} width={width} height={NOVELTY} className="fill-brass-fill opacity-25" />
      )}
    </g>
  );
});

'use client';

import { type KeyboardEvent, memo, type PointerEvent, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { laneOf, marksByPixel, type Pace } from '#lib/browser/state/playback.ts';
import type { Player } from '#lib/browser/state/player.ts';
import { formatClock, formatCount } from '#lib/browser/words/format.ts';

/** Resolution of the drawing, finer than any screen. */
const WIDTH = 1000;
const HEIGHT = 28;
const MODEL = { top: 9, height: 4 };
const TOOL = { top: 15, height: 4 };

/**
 * The run as a track: model activity above, tools below, steps as ticks, failures and policy decisions as marks. Seek by
 * dragging or with keys.
 */
export function PlayerTrack({ player }: { player: Player }) {
  const track = useRef<HTMLDivElement>(null);
  const skips = useStore(player.state, (state) => state.skips);
  const seekTo = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    player.seekTime(((event.clientX - box.left) / box.width) * player.pace().lengthMs);
  };
  const pressed = (event: KeyboardEvent) => {
    switch (event.key) {
      case 'ArrowLeft':
      case 'ArrowDown':
        player.step(-1);
        break;
      case 'ArrowRight':
      case 'ArrowUp':
        player.step(1);
        break;
      case 'PageDown':
        player.stepMark(-1);
        break;
      case 'PageUp':
        player.stepMark(1);
        break;
      case 'Home':
        player.seek(1);
        break;
      case 'End':
        player.seek(player.events.length);
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  return (
    <Slider player={player} onKeyDown={pressed}>
      <div
        ref={track}
        className="relative h-7 cursor-pointer touch-none"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          player.pause();
          seekTo(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) seekTo(event);
        }}
      >
        <Drawing key={String(skips)} player={player} pace={player.pace()} />
        <Playhead player={player} />
      </div>
    </Slider>
  );
}

function Slider({
  player,
  onKeyDown,
  children,
}: {
  player: Player;
  onKeyDown: (event: KeyboardEvent) => void;
  children: React.ReactNode;
}) {
  const cursor = useStore(player.state, (state) => state.cursor);
  const second = useStore(player.state, (state) => Math.round(state.ms / 1000));
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Position in the run"
      aria-valuemin={1}
      aria-valuemax={player.events.length}
      aria-valuenow={cursor}
      aria-valuetext={`${formatClock(second * 1000)}, event ${formatCount(cursor)} of ${formatCount(player.events.length)}`}
      onKeyDown={onKeyDown}
      className="rounded-sm"
    >
      {children}
    </div>
  );
}

/** The cursor line, with everything before it in brass. */
function Playhead({ player }: { player: Player }) {
  const { lengthMs } = player.pace();
  const share = useStore(player.state, ({ ms }) => (lengthMs === 0 ? 1 : ms / lengthMs));
  const percent = `${Math.round(share * 10_000) / 100}%`;
  return (
    <>
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-1 left-0 rounded-l-[2px] bg-brass-fill/15"
        style={{ width: percent }}
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute -inset-y-px w-0.5 -translate-x-1/2 rounded-full bg-brass-fill before:absolute before:-top-0.5 before:left-1/2 before:size-2.5 before:-translate-x-1/2 before:rounded-full before:bg-brass-fill"
        style={{ left: percent }}
      />
    </>
  );
}

const Drawing = memo(function Drawing({ player, pace }: { player: Player; pace: Pace }) {
  const { spans, marks } = player.track;
  const drawn = useMemo(() => {
    const lane = (kind: 'model' | 'tool') =>
      laneOf(
        spans.filter((span) => span.kind === kind),
        pace,
        WIDTH,
      );
    const lines = (kind: (typeof marks)[number]['kind'], top: number, height: number, places = WIDTH / 2) =>
      marksByPixel(
        marks.filter((mark) => mark.kind === kind),
        pace,
        places,
      )
        .map(({ at }) => `M${(at * WIDTH).toFixed(1)} ${top}v${height}`)
        .join('');
    return {
      model: bars(lane('model'), MODEL),
      tool: bars(lane('tool'), TOOL),
      // Closer ticks would merge into a pattern.
      steps: lines('step', 3, HEIGHT - 6, WIDTH / 8),
      decisions: lines('decision', 21, 6),
      failures: lines('failure', 21, 6),
    };
  }, [spans, marks, pace]);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="size-full rounded-[2px]"
      aria-hidden="true"
    >
      <rect x="0" y="3.5" width={WIDTH} height={HEIGHT - 7} className="fill-sunken" />
      <path
        d={drawn.steps}
        className="stroke-line-strong"
        strokeWidth="1"
        vectorEffect="non-scaling-stroke"
      />
      <path d={drawn.model} className="fill-ink-2" />
      <path d={drawn.tool} className="fill-brass-fill" />
      <path d={drawn.decisions} className="stroke-warn" strokeWidth="2" vectorEffect="non-scaling-stroke" />
      <path d={drawn.failures} className="stroke-fail" strokeWidth="2" vectorEffect="non-scaling-stroke" />
    </svg>
  );
});

/** The bars of one lane as one path, with a minimum width. */
function bars(
  lane: readonly { from: number; to: number }[],
  { top, height }: { top: number; height: number },
) {
  return lane
    .map(({ from, to }) => {
      const width = Math.max(1.5, (to - from) * WIDTH).toFixed(1);
      return `M${(from * WIDTH).toFixed(1)} ${top}h${width}v${height}h-${width}z`;
    })
    .join('');
}

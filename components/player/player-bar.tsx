'use client';

import { ChevronLeft, ChevronRight, Pause, Play } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useStore } from 'zustand';
import { type Player, SPEEDS } from '#lib/browser/state/player.ts';
import { formatClock, formatCount } from '#lib/browser/words/format.ts';
import { cx } from '../ui/cx.ts';
import { PlayerTrack } from './player-track.tsx';
import { usePlayerKeys } from './use-player-keys.ts';

const STILL_STEP_MS = 500;
const LONGEST_STEP_MS = 600;

/** The controls of a replay: play, seek, speed, and skipping waits. */
export function PlayerBar({ player, end }: { player: Player; end?: ReactNode }) {
  usePlayerKeys(player);
  usePlaying(player);
  return (
    <section
      aria-label="Replay"
      className="border-t border-line-strong bg-surface px-3 pt-2 pb-2.5 sm:px-6 print:hidden"
    >
      <PlayerTrack player={player} />
      <div className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <div className="-ml-1.5 flex items-center">
          <Step player={player} by={-1} />
          <PlayButton player={player} />
          <Step player={player} by={1} />
        </div>
        <Place player={player} />
        <div className="ml-auto flex flex-wrap items-center gap-x-4 gap-y-1.5">
          <SkipWaits player={player} />
          <Speeds player={player} />
          {end}
        </div>
      </div>
    </section>
  );
}

function PlayButton({ player }: { player: Player }) {
  const playing = useStore(player.state, (state) => state.playing);
  const Icon = playing ? Pause : Play;
  return (
    <button
      type="button"
      onClick={playing ? player.pause : player.play}
      data-play=""
      aria-label={playing ? 'Pause' : 'Play'}
      title={`${playing ? 'Pause' : 'Play'} (Space)`}
      className="mx-1 grid size-9 place-items-center rounded-full bg-brass-fill text-on-brass hover:brightness-105"
    >
      <Icon className={cx('size-4.5 fill-current', !playing && 'translate-x-px')} aria-hidden="true" />
    </button>
  );
}

function Step({ player, by }: { player: Player; by: 1 | -1 }) {
  const atEnd = useStore(player.state, ({ cursor }) =>
    by === 1 ? cursor >= player.events.length : cursor <= 1,
  );
  const Icon = by === 1 ? ChevronRight : ChevronLeft;
  const label = by === 1 ? 'Next step' : 'Previous step';
  return (
    <button
      type="button"
      onClick={() => player.stepMark(by)}
      disabled={atEnd}
      aria-label={label}
      title={`${label} (${by === 1 ? '→' : '←'})`}
      className="grid size-8 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink disabled:opacity-40"
    >
      <Icon className="size-5" aria-hidden="true" />
    </button>
  );
}

/** The position of the replay: time and event. */
function Place({ player }: { player: Player }) {
  const cursor = useStore(player.state, (state) => state.cursor);
  // Whole seconds, so that it renders only when the text changes.
  const second = useStore(player.state, (state) => Math.round(state.ms / 1000));
  useStore(player.state, (state) => state.skips);
  return (
    <p className="tnum flex min-w-0 items-baseline gap-x-3 text-sm">
      <span className="font-mono">
        {formatClock(second * 1000)}
        <span className="text-ink-3"> / {formatClock(Math.round(player.pace().lengthMs / 1000) * 1000)}</span>
      </span>
      <span className="text-xs text-ink-3">
        event <span className="font-mono">{formatCount(cursor)}</span> of{' '}
        <span className="font-mono">{formatCount(player.events.length)}</span>
      </span>
    </p>
  );
}

/** Optional, because a track without waits distorts the run's timing. */
function SkipWaits({ player }: { player: Player }) {
  const skips = useStore(player.state, (state) => state.skips);
  const { offer } = player;
  if (!offer) return null;
  return (
    <label className="tnum flex items-center gap-2 text-sm text-ink-2">
      <input
        type="checkbox"
        className="size-4 accent-brass-fill"
        checked={skips}
        onChange={(event) => player.setSkips(event.target.checked)}
      />
      <span>
        Skip waits
        <span className="ml-1.5 font-mono text-xs text-ink-3">
          {formatClock(Math.round(offer.wholeMs / 1000) * 1000)} →{' '}
          {formatClock(Math.round(offer.skippedMs / 1000) * 1000)}
        </span>
      </span>
    </label>
  );
}

function Speeds({ player }: { player: Player }) {
  const chosen = useStore(player.state, (state) => state.speed);
  return (
    <fieldset className="flex rounded-md border border-line-strong">
      <legend className="sr-only">Speed</legend>
      {SPEEDS.map((speed) => (
        <label
          key={speed}
          className={cx(
            'tnum px-2 py-0.75 text-center font-mono text-xs first-of-type:rounded-l-[4px] last-of-type:rounded-r-[4px]',
            'has-focus-visible:outline-2 has-focus-visible:outline-brass',
            speed === chosen ? 'bg-brass-wash font-semibold text-brass' : 'text-ink-3 hover:text-ink',
          )}
        >
          <input
            type="radio"
            name="speed"
            className="sr-only"
            checked={speed === chosen}
            onChange={() => player.setSpeed(speed)}
          />
          {speed}×
        </label>
      ))}
    </fieldset>
  );
}

/** Advances the cursor with each animation frame while playing. */
function usePlaying(player: Player): void {
  const playing = useStore(player.state, (state) => state.playing);
  useEffect(() => {
    if (!playing) return;
    // With reduced motion it moves in steps.
    const stepMs = matchMedia('(prefers-reduced-motion: reduce)').matches ? STILL_STEP_MS : 0;
    let before = performance.now();
    let frame = requestAnimationFrame(function next(now) {
      if (now - before >= stepMs) {
        // A page that was hidden resumes where it stopped.
        player.advance(Math.min(LONGEST_STEP_MS, now - before));
        before = now;
      }
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  }, [player, playing]);
}

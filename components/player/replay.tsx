'use client';

import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useState } from 'react';
import type { StoreApi } from 'zustand';
import { createPlayer, type Player } from '#lib/browser/state/player.ts';
import type { RunStore } from '#lib/browser/state/run-store.ts';
import type { ImageSource } from '#lib/browser/stream/image-source.ts';
import type { WholeTexts } from '#lib/browser/stream/whole-texts.ts';
import { formatMoment } from '#lib/browser/words/format.ts';
import { ClockContext, type PageClock } from '../hooks/use-now.ts';
import { KeySheet } from '../run-view/key-sheet.tsx';
import { RunBody } from '../run-view/run-body.tsx';
import { RunProvider } from '../run-view/run-context.tsx';
import { RunHeader } from '../run-view/run-header.tsx';
import type { Reading, RunServer } from '../run-view/screen-context.ts';
import type { TimelineHandle } from '../run-view/timeline/timeline.tsx';
import { PlayerBar } from './player-bar.tsx';
import { PLAYER_KEYS } from './use-player-keys.ts';

/** Tick interval of the replay's clocks in milliseconds. */
const CLOCK_STEP_MS = 250;

/** A recorded run with its player: header, timeline and guardrails at the cursor's position. */
export function Replay({
  player,
  timeline,
  reading,
  server,
  whole,
  images,
  light,
  end,
}: {
  player: Player;
  timeline: RefObject<TimelineHandle | null>;
  reading: StoreApi<Reading>;
  server?: RunServer;
  whole?: WholeTexts;
  images?: ImageSource | undefined;
  /** Shown in place of the connection state. */
  light: ReactNode;
  /** The last control of the bar. */
  end?: ReactNode;
}) {
  const goTo = useCallback(
    (seq: number) => {
      // A link may point to a later event: then the replay seeks there first.
      if (seq > player.state.getState().cursor) {
        player.pause();
        player.seek(seq);
      }
      timeline.current?.goTo(seq);
    },
    [player, timeline],
  );
  const goToEnd = useCallback(() => timeline.current?.goToEnd(), [timeline]);
  const context = useMemo(
    () => ({ store: player.source, reading, goTo, server, whole, images }),
    [player, reading, goTo, server, whole, images],
  );
  const clock = useMemo(() => clockOf(player), [player]);
  // A recording that waits for Play is read from its task.
  const [opensAtTask] = useState(() => !player.state.getState().playing);
  useEffect(
    () =>
      // After seeking, follow the cursor instead of keeping the scroll position.
      player.state.subscribe((state, before) => {
        if (state.cursor !== before.cursor && !state.playing) timeline.current?.goToEnd();
        if (state.playing && !before.playing) timeline.current?.goToEnd();
      }),
    [player, timeline],
  );
  useEffect(() => {
    const changed = () => {
      const [, digits] = /^#(\d+)$/.exec(location.hash) ?? [];
      if (digits !== undefined && Number(digits) > player.state.getState().cursor)
        player.seek(Number(digits));
    };
    window.addEventListener('hashchange', changed);
    return () => window.removeEventListener('hashchange', changed);
  }, [player]);
  return (
    <RunProvider value={context}>
      <ClockContext value={clock}>
        <RunHeader onGoToEnd={goToEnd} light={light} when={formatMoment} />
        <RunBody
          timeline={timeline}
          opensAtTask={opensAtTask}
          foot={<PlayerBar player={player} end={end} />}
        />
      </ClockContext>
      <KeySheet more={PLAYER_KEYS} />
    </RunProvider>
  );
}

function clockOf(player: Player): PageClock {
  const now = () => Math.floor(player.wall() / CLOCK_STEP_MS) * CLOCK_STEP_MS;
  return { now, subscribe: (listener) => player.state.subscribe(listener) };
}

/** A replay of the loaded events, playing from the beginning. */
export function startReplay(store: RunStore): Player {
  // Remove the row from the URL, or the replay would jump to it once it appears.
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  const player = createPlayer([...store.events]);
  player.play();
  return player;
}

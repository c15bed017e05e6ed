'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { PlayerSource, SharedNote } from '#lib/api/player-source.ts';
import type { Player } from '#lib/browser/state/player.ts';
import { createRunStore, type RunStore } from '#lib/browser/state/run-store.ts';
import { browserSchedule } from '#lib/browser/stream/browser-schedule.ts';
import type { ImageSource } from '#lib/browser/stream/image-source.ts';
import { followShared } from '#lib/browser/stream/shared-stream.ts';
import type { WholeTexts } from '#lib/browser/stream/whole-texts.ts';
import { formatMoment } from '#lib/browser/words/format.ts';
import { Announcer } from '../run-view/announcer.tsx';
import { KeySheet } from '../run-view/key-sheet.tsx';
import { RunBody } from '../run-view/run-body.tsx';
import { RunProvider } from '../run-view/run-context.tsx';
import { RunHeader } from '../run-view/run-header.tsx';
import { createReading } from '../run-view/screen-context.ts';
import type { TimelineHandle } from '../run-view/timeline/timeline.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { PlayerPage } from './player-page.tsx';
import { Replay, startReplay } from './replay.tsx';
import { LeaveButton, ReplayButton } from './replay-controls.tsx';

/** A live shared run. */
export function LivePlayer({
  source,
  whole,
  images,
  onGone,
}: {
  source: Extract<PlayerSource, { kind: 'live' }>;
  whole: WholeTexts | undefined;
  images: ImageSource | undefined;
  onGone: () => void;
}) {
  const [store, setStore] = useState<RunStore>();
  useEffect(() => {
    const made = createRunStore('', browserSchedule, Date.now);
    setStore(made);
    const stop = followShared({ url: source.url, store: made, onGone });
    return () => {
      stop();
      made.dispose();
    };
  }, [source.url, onGone]);
  return store ? <Followed store={store} whole={whole} images={images} note={source.shared} /> : null;
}

function Followed({
  store,
  whole,
  images,
  note,
}: {
  store: RunStore;
  whole: WholeTexts | undefined;
  images: ImageSource | undefined;
  note: SharedNote | undefined;
}) {
  const [reading] = useState(createReading);
  const [player, setPlayer] = useState<Player>();
  const timeline = useRef<TimelineHandle>(null);
  const goTo = useCallback((seq: number) => timeline.current?.goTo(seq), []);
  const goToEnd = useCallback(() => timeline.current?.goToEnd(), []);
  const context = useMemo(
    () => ({ store, reading, goTo, whole, images }),
    [store, reading, goTo, whole, images],
  );
  const problem = useStore(store.view, (view) => view.connection.problem);
  const ended = useStore(store.view, (view) => view.run.phase === 'ended');
  if (player) {
    return (
      <PlayerPage store={store} note={note}>
        <Replay
          player={player}
          timeline={timeline}
          reading={reading}
          whole={whole}
          images={images}
          light="Replay"
          end={<LeaveButton onClick={() => setPlayer(undefined)} />}
        />
      </PlayerPage>
    );
  }
  return (
    <PlayerPage store={store} note={note}>
      <RunProvider value={context}>
        <RunHeader
          onGoToEnd={goToEnd}
          when={formatMoment}
          end={ended && <ReplayButton onClick={() => setPlayer(startReplay(store))} />}
        />
        {problem && <ErrorNote error={problem} />}
        <RunBody timeline={timeline} opensAtTask />
        <Announcer />
        <KeySheet />
      </RunProvider>
    </PlayerPage>
  );
}

'use client';

import { useRef, useState } from 'react';
import type { PlayerSource } from '#lib/api/player-source.ts';
import { createPlayer } from '#lib/browser/state/player.ts';
import { type ImageSource, imagesIn } from '#lib/browser/stream/image-source.ts';
import type { WholeTexts } from '#lib/browser/stream/whole-texts.ts';
import { createReading } from '../run-view/screen-context.ts';
import type { TimelineHandle } from '../run-view/timeline/timeline.tsx';
import { PlayerPage } from './player-page.tsx';
import { Replay } from './replay.tsx';

/** A run whose complete log is embedded in the page. */
export function LogPlayer({
  source,
  whole,
  images,
}: {
  source: Extract<PlayerSource, { kind: 'log' }>;
  whole: WholeTexts | undefined;
  images: ImageSource | undefined;
}) {
  const [player] = useState(() => createPlayer(source.events));
  const [reading] = useState(createReading);
  const [found] = useState<ImageSource>(() => images ?? imagesIn(source.images));
  const timeline = useRef<TimelineHandle>(null);
  return (
    <PlayerPage store={player.source} note={source.shared}>
      <Replay
        player={player}
        timeline={timeline}
        reading={reading}
        whole={whole}
        images={found}
        light="Recording"
      />
    </PlayerPage>
  );
}

'use client';

import { RotateCcw } from 'lucide-react';
import { createPlayer, type Player } from '#lib/browser/state/player.ts';
import type { RunStore } from '#lib/browser/state/run-store.ts';
import { Button } from '../ui/button.tsx';

/** Starts the replay of an ended run. */
export function ReplayButton({ onClick }: { onClick: () => void }) {
  return (
    <Button size="sm" onClick={onClick}>
      <RotateCcw className="size-3.5" aria-hidden="true" />
      <span className="max-[419px]:sr-only">Replay</span>
    </Button>
  );
}

export function LeaveButton({ onClick }: { onClick: () => void }) {
  return (
    <Button size="sm" onClick={onClick}>
      Exit replay
    </Button>
  );
}

/** A replay of the loaded events, playing from the beginning. */
export function startReplay(store: RunStore): Player {
  // Remove the row from the URL, or the replay would jump to it once it appears.
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  const player = createPlayer([...store.events]);
  player.play();
  return player;
}

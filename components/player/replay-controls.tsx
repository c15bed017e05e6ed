'use client';

import { RotateCcw } from 'lucide-react';
import { focusSoon } from '#lib/browser/focus-soon.ts';
import { Button } from '../ui/button.tsx';

/** Starts the replay of an ended run. */
export function ReplayButton({ onClick }: { onClick: () => void }) {
  return (
    <Button
      size="sm"
      data-replay=""
      onClick={() => {
        onClick();
        focusSoon(() => document.querySelector<HTMLElement>('[data-play]'));
      }}
    >
      <RotateCcw className="size-3.5" aria-hidden="true" />
      <span className="max-[26.1875rem]:sr-only">Replay</span>
    </Button>
  );
}

export function LeaveButton({ onClick }: { onClick: () => void }) {
  return (
    <Button
      size="sm"
      onClick={() => {
        onClick();
        focusSoon(() => document.querySelector<HTMLElement>('[data-replay]'));
      }}
    >
      Exit replay
    </Button>
  );
}

'use client';

import { RotateCcw } from 'lucide-react';
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

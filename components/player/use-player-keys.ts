'use client';

import { useEffect } from 'react';
import type { Player } from '#lib/browser/state/player.ts';

/** The keys of a replay; the key sheet (`?`) shows them with those of the timeline. */
export const PLAYER_KEYS: readonly { keys: string; does: string }[] = [
  { keys: 'Space', does: 'play, pause' },
  { keys: '← / →', does: 'previous and next iteration' },
  { keys: ', / .', does: 'previous and next event' },
];

/** The keys of a replay, wherever the focus is, but never in place of what the focused control does with them. */
export function usePlayerKeys(player: Player): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]') || takesKeys(event)) return;
      switch (event.key) {
        case ' ':
          if (player.state.getState().playing) player.pause();
          else player.play();
          break;
        case 'ArrowLeft':
          player.stepMark(-1);
          break;
        case 'ArrowRight':
          player.stepMark(1);
          break;
        case ',':
          player.step(-1);
          break;
        case '.':
          player.step(1);
          break;
        default:
          return;
      }
      event.preventDefault();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [player]);
}

function takesKeys({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // Space has no effect on a checked radio button, such as the chosen speed.
  if (key === ' ' && target.matches('input[type="radio"]:checked')) return false;
  if (target.isContentEditable || target.closest('input, textarea, select')) return true;
  if (key === ' ') return target.closest('button, a, summary') !== null;
  return target.closest('[role="tab"], [role="slider"], [role="radio"]') !== null && key.startsWith('Arrow');
}

'use client';

import { useEffect } from 'react';
import { useRunScreen } from '../run/run-context.tsx';

/** What the keys of the timeline do; the sheet on `?` is made from this list. */
export const TIMELINE_KEYS: readonly { keys: string; does: string }[] = [
  { keys: 'j / k', does: 'next and previous row' },
  { keys: 'Shift J / K', does: 'next and previous iteration' },
  { keys: 'Enter', does: 'unfold or fold the row' },
  { keys: 'g / G', does: 'first row, last row' },
  { keys: 'f', does: 'follow the end, or stop following' },
  { keys: '/', does: 'search in this run' },
  { keys: 'Ctrl K', does: 'all commands' },
  { keys: '?', does: 'this list' },
];

/** The keys of the timeline, ignored while typing and beside other modifiers. */
export function useTimelineKeys(actions: {
  focusRow: (index: number) => void;
  goToEnd: () => void;
  toggleFollow: () => void;
  search: () => void;
}): void {
  const { store, reading } = useRunScreen();
  const { focusRow, goToEnd, toggleFollow, search } = actions;
  useEffect(() => {
    const step = (by: 1 | -1, iterations: boolean) => {
      const { rows } = store.view.getState().timeline;
      const { cursor } = reading.getState();
      const at = cursor === undefined ? -1 : rows.findIndex((row) => row.key === cursor);
      let index = at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by;
      while (iterations && rows[index] && rows[index]?.kind !== 'iteration') index += by;
      if (rows[index]) focusRow(index);
    };
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen()) return;
      switch (event.key) {
        case 'j':
        case 'J':
          step(1, event.shiftKey);
          break;
        case 'k':
        case 'K':
          step(-1, event.shiftKey);
          break;
        case 'g':
          focusRow(0);
          break;
        case 'G':
          focusRow(store.view.getState().timeline.rows.length - 1);
          goToEnd();
          break;
        case '/':
          search();
          break;
        case 'f':
          toggleFollow();
          break;
        case 'Enter': {
          const target = event.target;
          if (!(target instanceof HTMLElement) || target.tagName !== 'ARTICLE') return;
          target.querySelector<HTMLElement>('button[aria-expanded]')?.click();
          break;
        }
        default:
          return;
      }
      event.preventDefault();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [store, reading, focusRow, goToEnd, toggleFollow, search]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

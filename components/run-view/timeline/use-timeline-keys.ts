'use client';

import { useEffect } from 'react';
import { copyText, NOT_COPIED } from '#lib/browser/copy-text.ts';
import { DENSITY_WORDS, nextDensity } from '#lib/browser/prefs/density.ts';
import { say } from '#lib/browser/say.ts';
import type { ChatItem } from '#lib/browser/state/chat-items.ts';
import { isDialogOpen, isTyping } from '#lib/browser/typing.ts';
import { APPROVAL_KEYS, APPROVE_ALL_KEY } from '#lib/browser/words/approval-words.ts';
import { useRunScreen } from '../screen-context.ts';
import { linkToRow } from './link-to-row.ts';

export interface KeyWords {
  keys: string;
  does: string;
  /** Neither in a file nor on a shared page. */
  inDashboard?: true;
}

/** The keys of the timeline; the key sheet (`?`) is generated from this list. */
export const TIMELINE_KEYS: readonly KeyWords[] = [
  { keys: 'j / k', does: 'next and previous row' },
  { keys: 'Shift J / K', does: 'next and previous iteration' },
  { keys: 'Enter', does: 'unfold or fold the row' },
  { keys: 'g / G', does: 'first row, last row' },
  { keys: 'Ctrl G', does: 'go to an iteration' },
  { keys: 'f', does: 'follow the end, or stop following' },
  { keys: '/', does: 'search in this run' },
  { keys: 'o', does: 'only prompts and answers, or all rows' },
  { keys: 'e', does: 'only failures, guards and retries' },
  { keys: 'd', does: 'row density: comfortable, compact, one line' },
  { keys: 'y', does: 'copy the link to the row' },
  {
    keys: `${APPROVAL_KEYS.once} / ${APPROVAL_KEYS.deny}`,
    does: 'approve the waiting call once, or deny it; answer a server, or decline',
    inDashboard: true,
  },
  {
    keys: `${APPROVAL_KEYS.run} / ${APPROVAL_KEYS.tool_and_folder}`,
    does: 'always approve in this run, or in this folder',
    inDashboard: true,
  },
  { keys: `Shift ${APPROVE_ALL_KEY}`, does: 'approve all waiting calls once', inDashboard: true },
  { keys: 'Ctrl K', does: 'all commands', inDashboard: true },
  { keys: '?', does: 'this list' },
];

/** Keyboard shortcuts of the timeline, ignored while typing and with other modifier keys. */
export function useTimelineKeys(actions: {
  /** The displayed rows, in order. */
  shownItems: () => readonly ChatItem[];
  focusItem: (index: number) => void;
  goToEnd: () => void;
  toggleFollow: () => void;
  search: () => void;
  goToIteration: () => void;
  toggleWords: () => void;
  toggleFailed: () => void;
}): void {
  const { reading } = useRunScreen();
  const { shownItems, focusItem, goToEnd, toggleFollow, search, goToIteration, toggleWords, toggleFailed } =
    actions;
  useEffect(() => {
    const step = (by: 1 | -1, iterations: boolean) => {
      const rows = shownItems();
      const { cursor } = reading.getState();
      const at = cursor === undefined ? -1 : rows.findIndex((row) => row.key === cursor);
      let index = at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by;
      while (iterations && rows[index] && !beginsTurn(rows[index])) index += by;
      if (rows[index]) focusItem(index);
    };
    const copyLink = () => {
      const { cursor } = reading.getState();
      const row = shownItems().find((shown) => shown.key === cursor);
      if (!row) return say('Select a row first with j or k.');
      void copyText(linkToRow(row.seq)).then((copied) =>
        say(copied ? 'Link to this row copied.' : NOT_COPIED),
      );
    };
    const pressed = (event: KeyboardEvent) => {
      if (isDialogOpen()) return;
      if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 'g') {
        event.preventDefault();
        goToIteration();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
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
          focusItem(0);
          break;
        case 'G':
          focusItem(shownItems().length - 1);
          goToEnd();
          break;
        case '/':
          search();
          break;
        case 'f':
          toggleFollow();
          break;
        case 'o':
          toggleWords();
          break;
        case 'e':
          toggleFailed();
          break;
        case 'd':
          say(DENSITY_WORDS[nextDensity()]);
          break;
        case 'y':
          copyLink();
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
  }, [
    reading,
    shownItems,
    focusItem,
    goToEnd,
    toggleFollow,
    search,
    goToIteration,
    toggleWords,
    toggleFailed,
  ]);
}

/** Whether Shift J and K stop here: at the heading of an iteration, or where a person spoke. */
function beginsTurn(item: ChatItem | undefined): boolean {
  return item?.kind === 'iteration' || (item?.kind === 'chat-text' && item.from === 'person');
}

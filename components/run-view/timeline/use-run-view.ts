'use client';

import { useCallback, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { remember, remembered } from '#lib/browser/prefs/remembered.ts';
import { ChatArrangement, type ChatItem, chatTextKey, foldOf } from '#lib/browser/state/chat-items.ts';
import { modeFacts } from '#lib/events/modes.ts';
import type { TimelineRow } from '#lib/events/timeline.ts';
import { useRun } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';
import type { RunView } from './view-switch.tsx';

/** How a run is shown: a conversation as a chat unless the reader chose the timeline, everything else as a timeline. */
export function useRunView(): { view: RunView; offersChat: boolean; setView: (view: RunView) => void } {
  const offersChat = useRun(({ run }) => modeFacts(run.config?.mode).isConversation);
  const [chosen, setChosen] = useState<RunView>(() =>
    remembered('run-view') === 'timeline' ? 'timeline' : 'chat',
  );
  const setView = useCallback((view: RunView) => {
    setChosen(view);
    remember('run-view', view);
  }, []);
  return { view: offersChat ? chosen : 'timeline', offersChat, setView };
}

/** The items of the list: the rows, or the chat that they make. */
export function useItems(rows: readonly TimelineRow[], view: RunView): readonly ChatItem[] {
  const { reading } = useRunScreen();
  const unfolded = useStore(reading, (state) => state.unfolded);
  const [arrangement] = useState(() => new ChatArrangement());
  return useMemo(
    () => (view === 'chat' ? arrangement.of(rows, unfolded) : rows),
    [arrangement, rows, view, unfolded],
  );
}

/** The index of a row among the items, as itself or as its text. */
export function indexOfRow(items: readonly ChatItem[], row: TimelineRow): number {
  const at = items.findIndex(({ key }) => key === row.key);
  return at >= 0 ? at : items.findIndex(({ key }) => key === chatTextKey(row));
}

/** The key of the fold that hides a row; `undefined` if none does. */
export function foldKeyOf(items: readonly ChatItem[], row: TimelineRow): string | undefined {
  return items.some(({ key }) => key === row.key) ? undefined : foldOf(items, row.key)?.key;
}

import { createStore } from 'zustand/vanilla';
import { remember, remembered } from './remembered.ts';

/** Whether this reader sees Markdown as its source. Kept in this browser. */
export const rawText = createStore<{ readonly isRaw: boolean }>(() => ({
  isRaw: remembered('raw-text') === 'on',
}));

export function toggleRawText(): void {
  rawText.setState(({ isRaw }) => ({ isRaw: !isRaw }));
  remember('raw-text', rawText.getState().isRaw ? 'on' : 'off');
}

'use client';

import { useEffect } from 'react';
import { say } from '#lib/browser/say.ts';
import { isDialogOpen, isTyping } from '#lib/browser/typing.ts';
import { APPROVAL_KEYS, APPROVE_ALL_KEY, type ApprovalAnswer } from '#lib/browser/words/approval-words.ts';
import type { ToolRow } from '#lib/events/timeline.ts';
import { keysOf } from '#lib/util/records.ts';
import { useLatest } from '../hooks/use-latest.ts';
import { useRunScreen } from './screen-context.ts';

/**
 * Keys that decide about a waiting call: the selected one, or else the first. A call that is out of view is brought into
 * view first, so that nobody decides about something unseen.
 */
export function useApprovalKeys(calls: readonly ToolRow[], approveAll: () => void): void {
  const { reading, goTo } = useRunScreen();
  const latest = useLatest({ calls, approveAll });
  const isWaiting = calls.length > 0;
  useEffect(() => {
    if (!isWaiting) return;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (isDialogOpen() || isTyping(event.target)) return;
      const now = latest.current;
      if (event.key === APPROVE_ALL_KEY) {
        event.preventDefault();
        return now.approveAll();
      }
      const choice = choiceOf(event.key);
      const { cursor } = reading.getState();
      const call = now.calls.find(({ key }) => key === cursor) ?? now.calls[0];
      const seq = call?.asked?.at(-1)?.received.seq ?? call?.requested?.seq;
      if (!choice || !call || seq === undefined) return;
      event.preventDefault();
      const row = document.getElementById(`row-${call.key}`);
      const button = row?.querySelector<HTMLButtonElement>(`[data-choice="${choice}"]`);
      if (button && isInView(button)) return button.click();
      // Without a button for it, the call offers no such choice, or the form of another choice is open.
      goTo(seq);
      say(
        row && !button ? 'This call has no such choice.' : 'Press the key again to decide about this call.',
      );
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [isWaiting, reading, goTo, latest]);
}

function choiceOf(key: string): ApprovalAnswer | undefined {
  return keysOf(APPROVAL_KEYS).find((choice) => APPROVAL_KEYS[choice] === key);
}

function isInView(element: HTMLElement): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const shown = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return shown !== null && element.contains(shown);
}

'use client';

import { useDeferredValue } from 'react';
import { useStore } from 'zustand';
import { MARKDOWN, PLAIN } from '#lib/browser/content/content-kind.ts';
import { lastBlocks } from '#lib/browser/content/markdown-start.ts';
import { rawText } from '#lib/browser/prefs/raw-text.ts';
import type { LiveText } from '#lib/browser/state/live-text.ts';
import { Content } from '../../ui/content/content.tsx';

/** Enough to follow, and parsed again with each piece of text within a few milliseconds. */
const TAIL_CHARS = 8000;

/** The end of an answer that is still being written, as Markdown. A slow browser skips states, and stays responsive. */
export function LiveMarkdown({ live }: { live: LiveText }) {
  const isRaw = useStore(rawText, (state) => state.isRaw);
  const text = useDeferredValue(live.text);
  const tail = lastBlocks(text, TAIL_CHARS);
  return (
    <div className="words">
      {(tail.length < text.length || live.start > 0) && <span className="text-ink-3">… </span>}
      <Content text={tail} kind={isRaw ? PLAIN : MARKDOWN} isLive />
    </div>
  );
}

'use client';

import { memo } from 'react';
import { useStore } from 'zustand';
import { type ChatFold, foldFigures } from '#lib/browser/state/chat-items.ts';
import { formatDuration, plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import type { RunMode } from '#lib/events/config.ts';
import { Badge } from '../../ui/badge.tsx';
import { useRun } from '../run-context.tsx';
import { useRunScreen, useUnfolded } from '../screen-context.ts';
import { Disclosure } from '../timeline/row-frame.tsx';
import { rowWords } from '../timeline/row-words.ts';
import { chatColumn } from './chat-column.ts';

const MAX_TOOLS = 3;

/** One line for everything between two texts; unfolded, its rows follow with all evidence. */
export const ChatFoldLine = memo(function ChatFoldLine({
  fold,
  position,
}: {
  fold: ChatFold;
  position: number;
}) {
  const { reading } = useRunScreen();
  const atCursor = useStore(reading, (state) => state.cursor === fold.key);
  const mode = useRun((view) => view.run.config?.mode);
  const [open, toggle] = useUnfolded(fold.key);
  const { tools, failed, ms, running, ...figures } = foldFigures(fold);
  const words = foldWords(fold, { tools, ms, ...figures }, mode);
  return (
    <article
      id={`row-${fold.key}`}
      aria-label={words}
      aria-posinset={position}
      aria-setsize={-1}
      data-kind="chat-fold"
      tabIndex={atCursor ? 0 : -1}
      className={chatColumn(atCursor)}
    >
      <div className="flex max-w-3xl flex-wrap items-baseline gap-x-2 gap-y-1 py-1.5 touch:py-2.5 text-sm text-ink-3">
        <Disclosure open={open} onToggle={toggle} className="min-h-6 max-sm:items-center">
          <span className="tnum">{words}</span>
          {!open && tools.length > 0 && (
            <code className="line-clamp-1 min-w-0 text-xs break-all">{toolWords(tools)}</code>
          )}
        </Disclosure>
        {running !== undefined && <Badge tone="live">{plainVisibleLine(running)} is running</Badge>}
        {failed > 0 && <Badge tone="fail">{failed} failed</Badge>}
      </div>
    </article>
  );
}, isSame);

/** Folds are rebuilt with every event; most have the same rows as before. */
function isSame(
  before: { fold: ChatFold; position: number },
  after: { fold: ChatFold; position: number },
): boolean {
  const { rows } = before.fold;
  const { rows: now } = after.fold;
  if (before.position !== after.position || before.fold.key !== after.fold.key) return false;
  return rows.length === now.length && rows.every((row, index) => row === now[index]);
}

/** A fold as a short text: `3 tool calls, 1 model call, 2.1 s`. */
function foldWords(
  fold: ChatFold,
  { tools, modelCalls, ms }: { tools: readonly string[]; modelCalls: number; ms: number },
  mode: RunMode | undefined,
): string {
  const time = ms > 0 ? `, ${formatDuration(ms)}` : '';
  const calls = [
    ...(tools.length > 0 ? [plural(tools.length, 'tool call')] : []),
    ...(modelCalls > 0 ? [plural(modelCalls, 'model call')] : []),
  ];
  if (calls.length > 0) return `${calls.join(', ')}${time}`;
  const last = fold.rows.at(-1);
  return last ? rowWords(last, mode) : '';
}

function toolWords(tools: readonly string[]): string {
  const names = [...new Set(tools)].map((name) => plainVisibleLine(name));
  const more = names.length - MAX_TOOLS;
  return names.slice(0, MAX_TOOLS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

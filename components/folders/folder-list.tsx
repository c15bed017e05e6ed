'use client';

import { CornerDownRight, Folder } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { FolderEntry } from '#lib/api/folder.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';

/** Typed letters form one word until there is a pause. */
const WORD_MS = 700;

/**
 * The subfolders of a folder. Arrow keys move through the list, Enter and → open a folder, ← and Backspace go up, and
 * letters jump to a name.
 */
export function FolderList({
  folders,
  label,
  onOpen,
  onUp,
  focused,
}: {
  folders: readonly FolderEntry[];
  label: string;
  onOpen: (path: string) => void;
  onUp: () => void;
  /** Focuses the list: the reader moves through folders by key. */
  focused: boolean;
}) {
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const word = useRef({ text: '', at: 0 });
  const focus = (index: number) => {
    const next = Math.max(0, Math.min(folders.length - 1, index));
    setAt(next);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder is another list
  useEffect(() => {
    setAt(0);
    if (focused) (list.current?.querySelector('button') ?? list.current)?.focus();
  }, [folders, focused]);
  const type = (letter: string) => {
    const now = performance.now();
    word.current = { text: now - word.current.at < WORD_MS ? word.current.text + letter : letter, at: now };
    const wanted = word.current.text.toLowerCase();
    const found = folders.findIndex(({ name }) => name.toLowerCase().startsWith(wanted));
    if (found >= 0) focus(found);
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const open = folders[at];
    const actions: Record<string, (() => void) | undefined> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(folders.length - 1),
      PageDown: () => focus(at + 8),
      PageUp: () => focus(at - 8),
      ArrowRight: open && (() => onOpen(open.path)),
      ArrowLeft: onUp,
      Backspace: onUp,
    };
    const action =
      actions[event.key] ?? (event.key.length === 1 && event.key !== ' ' ? () => type(event.key) : undefined);
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    <ul
      ref={list}
      aria-label={label}
      tabIndex={folders.length === 0 ? 0 : -1}
      onKeyDown={pressed}
      className="h-56 max-h-[max(7rem,100dvh-36rem)] overflow-y-auto rounded-md border border-line-strong bg-raised py-1"
    >
      {folders.map((folder, index) => (
        <li key={folder.path}>
          <button
            type="button"
            tabIndex={index === at ? 0 : -1}
            onFocus={() => setAt(index)}
            onClick={() => onOpen(folder.path)}
            title={plainVisibleLine(folder.name)}
            className="flex w-full items-center gap-2.5 px-3 py-1.5 text-left hover:bg-surface focus-visible:bg-brass-wash focus-visible:outline-offset-[-2px]"
          >
            <Folder
              className={cx('size-4 shrink-0', folder.name.startsWith('.') ? 'text-ink-3' : 'text-brass')}
              aria-hidden="true"
            />
            <span className="foreign min-w-0 truncate">
              <ShortName text={folder.name} />
            </span>
            {folder.link && (
              <span className="ml-auto flex shrink-0 items-center gap-1 text-xs text-ink-3">
                <CornerDownRight className="size-3" aria-hidden="true" />
                link
              </span>
            )}
          </button>
        </li>
      ))}
      {folders.length === 0 && <li className="px-3 py-2 text-ink-3">No folders in here.</li>}
    </ul>
  );
}

'use client';

import { Command as CommandIcon } from 'lucide-react';
import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { loadCode } from '#lib/browser/load-code.ts';
import type { Command } from '#lib/browser/state/commands.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { CommandField, NOTHING_TYPED, type Typed } from './command-field.tsx';

export interface PaletteHandle {
  open: () => void;
}

type Search = typeof import('./command-search.tsx');

/** The command palette: Ctrl-K or ⌘K, arrow keys, Enter. */
export function CommandPalette({ handle }: { handle: RefObject<PaletteHandle | null> }) {
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState<Search>();
  useImperativeHandle(handle, () => ({ open: () => setOpen(true) }), []);
  const choose = (command: Command) => {
    // Closed first: a command may move the focus, and the page behind a modal dialog cannot take it.
    flushSync(() => setOpen(false));
    command.run();
  };
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.shiftKey ||
        event.altKey
      )
        return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-label="Commands"
        title="Commands (Ctrl K)"
        className="grid size-8 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink max-sm:hidden"
      >
        <CommandIcon className="size-4" aria-hidden="true" />
      </button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        dismissable
        aria-label="Commands"
        className="mt-[12vh] w-[36rem] overflow-hidden border-line-strong"
      >
        <LoadedSearch search={search} onLoad={setSearch} onChoose={choose} />
      </Dialog>
    </>
  );
}

/** The search, whose code is loaded when the palette is first opened: a plain field takes what is typed until then. */
function LoadedSearch({
  search,
  onLoad,
  onChoose,
}: {
  search: Search | undefined;
  onLoad: (search: Search) => void;
  onChoose: (command: Command) => void;
}) {
  const [typed, setTyped] = useState(NOTHING_TYPED);
  const { problem, run } = useRequest();
  const field = useRef<HTMLInputElement>(null);
  const keys = useRef<string[]>([]);
  useEffect(() => {
    if (search) return;
    let here = true;
    void run(async () => {
      const code = await loadCode(() => import('./command-search.tsx'));
      await composed(field.current);
      // At once: a key between reading the field and replacing it would be lost.
      if (here) {
        flushSync(() => {
          setTyped(typedInto(field.current, keys.current));
          onLoad(code);
        });
      }
    });
    return () => {
      here = false;
    };
  }, [search, onLoad, run]);
  if (search) return <search.CommandSearch typed={typed} onChoose={onChoose} />;
  return (
    <>
      <CommandField field={field} keys={keys.current} />
      {problem && (
        <div className="p-4">
          <ErrorNote error={problem} />
        </div>
      )}
    </>
  );
}

/** Waits until no character is being composed in a field, as with an input method for Chinese. */
async function composed(field: HTMLInputElement | null): Promise<void> {
  if (!field?.dataset.composing) return;
  await new Promise((resolve) => field.addEventListener('compositionend', resolve, { once: true }));
}

function typedInto(field: HTMLInputElement | null, keys: string[]): Typed {
  const text = field?.value ?? '';
  return { text, caret: field?.selectionStart ?? text.length, keys };
}

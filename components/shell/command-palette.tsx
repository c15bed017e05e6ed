'use client';

import { Command as CommandIcon } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { RunListReply } from '#lib/api/replies.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { ApiError, getJson } from '#lib/browser/api.ts';
import { type Command, matching, pageCommands } from '#lib/browser/commands.ts';
import { toggleDensity } from '#lib/browser/density.ts';
import { modeWords } from '#lib/browser/mode-words.ts';
import { chooseTheme } from '#lib/browser/theme.ts';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';

const SHOWN = 60;

/** Everything that can be done from here, by name: Ctrl-K or ⌘K, arrows, Enter. */
export function CommandPalette() {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [runs, setRuns] = useState<readonly RunSummary[]>([]);
  const ofPage = useStore(pageCommands);

  const open = useCallback(() => {
    setQuery('');
    setAt(0);
    dialog.current?.showModal();
    getJson<RunListReply>('/api/runs?limit=30')
      .then((reply) => setRuns(reply.runs))
      .catch((error) => {
        if (!(error instanceof ApiError)) throw error;
        setRuns([]); // signed out or away: the other commands are still there
      });
  }, []);
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.shiftKey ||
        event.altKey
      )
        return;
      event.preventDefault();
      if (dialog.current?.open) dialog.current.close();
      else open();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [open]);

  const commands = useMemo((): Command[] => {
    const page = (id: string, label: string, href: string, group = 'Go to'): Command => ({
      id,
      label,
      group,
      run: () => router.push(href),
    });
    return [
      ...ofPage,
      page('new-task', 'New task', '/runs/new', 'Start'),
      page('new-session', 'New session', '/runs/new?mode=session', 'Start'),
      page('new-explore', 'New exploration', '/runs/new?mode=explore', 'Start'),
      page('new-prompt', 'New quick prompt', '/runs/new?mode=prompt', 'Start'),
      page('runs', 'Runs', '/'),
      page('experiments', 'Experiments', '/experiments'),
      page('models', 'Models', '/models'),
      page('health', 'Health', '/health'),
      { id: 'density', label: 'Switch between roomy and dense rows', group: 'View', run: toggleDensity },
      { id: 'light', label: 'Light theme', group: 'View', run: () => chooseTheme('light') },
      { id: 'dark', label: 'Dark theme', group: 'View', run: () => chooseTheme('dark') },
      { id: 'system', label: 'Theme of the system', group: 'View', run: () => chooseTheme('system') },
      ...runs.map((run) => page(`run-${run.id}`, run.title, `/runs/${run.id}`, modeWords(run))),
    ];
  }, [ofPage, runs, router]);
  const found = matching(commands, query).slice(0, SHOWN);
  const chosen = found[Math.min(at, found.length - 1)];

  const choose = (command: Command | undefined) => {
    if (!command) return;
    dialog.current?.close();
    command.run();
  };
  const pressed = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && found.length > 0) {
      const next = (Math.min(at, found.length - 1) + step + found.length) % found.length;
      setAt(next);
      list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') choose(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <button
        type="button"
        onClick={open}
        aria-label="Commands"
        title="Commands (Ctrl K)"
        className="grid size-8 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink max-sm:hidden"
      >
        <CommandIcon className="size-4" aria-hidden="true" />
      </button>
      <dialog
        ref={dialog}
        aria-label="Commands"
        className="mx-auto mt-[12vh] w-[36rem] max-w-[calc(100vw-2rem)] overflow-hidden rounded-lg border border-line-strong bg-raised text-ink shadow-xl backdrop:bg-sunken/70"
        onClick={(event) => {
          if (event.target === dialog.current) dialog.current?.close();
        }}
        onKeyDown={pressed}
      >
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="commands"
          aria-activedescendant={chosen && `command-${chosen.id}`}
          aria-label="Command"
          autoComplete="off"
          spellCheck={false}
          placeholder="What next?"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          className="block w-full border-b bg-transparent px-4 py-3 text-lg placeholder:text-ink-3 placeholder:opacity-100 focus-visible:outline-none"
        />
        <div
          ref={list}
          id="commands"
          role="listbox"
          aria-label="Commands"
          className="max-h-[50vh] overflow-y-auto py-1.5"
        >
          {found.map((command) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keys
            <div
              key={command.id}
              id={`command-${command.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={command === chosen}
              onClick={() => choose(command)}
              onPointerMove={() => setAt(found.indexOf(command))}
              className={cx(
                'flex cursor-pointer items-baseline gap-3 px-4 py-1.5',
                command === chosen && 'bg-brass-wash',
              )}
            >
              <span className="w-24 shrink-0 truncate text-sm text-ink-3">{command.group}</span>
              <span className="foreign line-clamp-1 min-w-0 flex-1">
                <ForeignText text={command.label} />
              </span>
              {command.keys && (
                <kbd className="shrink-0 rounded-sm border bg-sunken px-1.5 text-xs text-ink-2">
                  {command.keys}
                </kbd>
              )}
            </div>
          ))}
        </div>
        {found.length === 0 && <p className="px-4 pb-4 text-ink-3">Nothing of this name.</p>}
      </dialog>
    </>
  );
}

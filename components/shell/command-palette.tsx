'use client';

import { Command as CommandIcon } from 'lucide-react';
import { useRouter } from 'next/navigation';
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useStore } from 'zustand';
import type { RunListReply } from '#lib/api/replies.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import type { SearchHit, SearchReply } from '#lib/api/search.ts';
import { ApiError, getJson } from '#lib/browser/api.ts';
import { DENSITY_WORDS, nextDensity } from '#lib/browser/prefs/density.ts';
import { chooseTheme } from '#lib/browser/prefs/theme.ts';
import { say } from '#lib/browser/say.ts';
import { type Command, matching, pageCommands } from '#lib/browser/state/commands.ts';
import { eventWord } from '#lib/browser/words/event-words.ts';
import { modeWords } from '#lib/browser/words/mode-words.ts';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { MarkedText } from '../ui/marked-text.tsx';

const SHOWN = 60;
const HITS = 12;
const HITS_OF_RUN = 2;
const MIN_CHARS = 2;
const TYPING_MS = 150;

/** A command, or a place in a log that holds the words. */
type Found = Command & { hit?: SearchHit };

/** What the logs of all runs say about the words; nothing before there are a few letters. */
function useHits(query: string): SearchReply | undefined {
  const [reply, setReply] = useState<SearchReply & { query: string }>();
  const words = query.trim();
  useEffect(() => {
    if (words.length < MIN_CHARS) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      getJson<SearchReply>(`/api/search?limit=${HITS}&q=${encodeURIComponent(words)}`, abort.signal)
        .then((found) => setReply({ ...found, query: words }))
        .catch((error) => {
          // Signed out or away: the other commands are still there.
          if (!(error instanceof ApiError) && !abort.signal.aborted) throw error;
        });
    }, TYPING_MS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [words]);
  return words.length >= MIN_CHARS && reply?.query === words ? reply : undefined;
}

/** Trims the excerpt so that the first match is visible in one line. */
const LEAD_CHARS = 12;

function fromFirst({ text: found, ranges }: SearchHit): Pick<SearchHit, 'text' | 'ranges'> {
  const text = found.replace(/\s/g, ' ');
  const from = (ranges[0]?.[0] ?? 0) - LEAD_CHARS;
  if (from <= 0) return { text, ranges };
  const shift = from - 2;
  return {
    text: `… ${text.slice(from)}`,
    ranges: ranges.map(([start, end]) => [start - shift, end - shift]),
  };
}

/** A few matches per run, so that one run does not fill the list. */
function bestHits(found: SearchReply | undefined): { run: RunSummary; hit: SearchHit }[] {
  const places = found?.runs.flatMap(({ run, hits }) =>
    hits.slice(0, HITS_OF_RUN).map((hit) => ({ run, hit })),
  );
  return places?.slice(0, HITS) ?? [];
}

/** Opens a run at a row; within the open run, only the URL hash changes. */
function openRow(runId: string, seq: number, push: (href: string) => void): void {
  if (location.pathname === `/runs/${runId}`) location.hash = String(seq);
  else push(`/runs/${runId}#${seq}`);
}

export interface PaletteHandle {
  open: () => void;
}

/** Commands for pages, the current page, themes and runs. */
function useCommands(runs: readonly RunSummary[]): Command[] {
  const router = useRouter();
  const ofPage = useStore(pageCommands);
  return useMemo((): Command[] => {
    const page = (id: string, label: string, href: string, group = 'Go to'): Command => ({
      id,
      label,
      group,
      run: () => router.push(href),
    });
    const own = (name: string) => ofPage.filter(({ group }) => group === name);
    return [
      ...own('This run'),
      page('new-task', 'New task', '/runs/new', 'Start'),
      page('new-session', 'New session', '/runs/new?mode=session', 'Start'),
      page('new-explore', 'New exploration', '/runs/new?mode=explore', 'Start'),
      page('new-prompt', 'New quick prompt', '/runs/new?mode=prompt', 'Start'),
      page('runs', 'Runs', '/'),
      page('experiments', 'Experiments', '/experiments'),
      page('shares', 'Shared runs', '/shares'),
      page('compare', 'Compare two runs', '/compare'),
      page('models', 'Models', '/models'),
      page('health', 'Health', '/health'),
      ...own('Runs'),
      ...own('View'),
      {
        id: 'density',
        label: 'Roomy, dense, or one line a row',
        group: 'View',
        keys: 'd',
        run: () => say(DENSITY_WORDS[nextDensity()]),
      },
      { id: 'light', label: 'Light theme', group: 'View', run: () => chooseTheme('light') },
      { id: 'dark', label: 'Dark theme', group: 'View', run: () => chooseTheme('dark') },
      { id: 'system', label: 'Theme of the system', group: 'View', run: () => chooseTheme('system') },
      ...runs.map((run) => ({
        ...page(`run-${run.id}`, run.title, `/runs/${run.id}`, modeWords(run)),
        about: run.model,
      })),
    ];
  }, [ofPage, runs, router]);
}

/** The command palette: Ctrl-K or ⌘K, arrow keys, Enter. */
export function CommandPalette({ handle }: { handle: RefObject<PaletteHandle | null> }) {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [runs, setRuns] = useState<readonly RunSummary[]>([]);

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
  useImperativeHandle(handle, () => ({ open }), [open]);
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

  const commands = useCommands(runs);
  const hits = useHits(query);
  const found: Found[] = [
    ...matching(commands, query).slice(0, SHOWN),
    ...bestHits(hits).map(({ run, hit }) => ({
      id: `hit-${hit.run_id}-${hit.seq}`,
      group: eventWord(hit.type),
      label: run.title,
      about: run.model,
      hit,
      run: () => openRow(hit.run_id, hit.seq, router.push),
    })),
  ];
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
          placeholder="What next? Or search all runs"
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
              <span className="w-16 shrink-0 truncate text-sm text-ink-3 sm:w-24">{command.group}</span>
              <span className="foreign line-clamp-1 min-w-0 flex-1 whitespace-normal">
                {command.hit ? (
                  <MarkedText {...fromFirst(command.hit)} />
                ) : (
                  <ForeignText text={command.label} />
                )}
              </span>
              {command.about !== undefined && (
                <span className="flex max-w-48 shrink-0 gap-2 text-xs text-ink-3 max-sm:hidden">
                  <span className="max-w-32 shrink-0 truncate font-mono">
                    <ForeignText text={command.about} />
                  </span>
                  {command.hit && (
                    <span className="truncate">
                      <ForeignText text={command.label} />
                    </span>
                  )}
                </span>
              )}
              {command.keys && (
                <kbd className="shrink-0 rounded-sm border bg-sunken px-1.5 text-xs text-ink-2">
                  {command.keys}
                </kbd>
              )}
            </div>
          ))}
        </div>
        {found.length === 0 && (
          <p role="status" className="px-4 pb-4 text-ink-3">
            No commands, runs or logs match.
          </p>
        )}
      </dialog>
    </>
  );
}

'use client';

import { Autocomplete } from '@base-ui/react/autocomplete';
import { useRouter } from 'next/navigation';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { PresetListReply } from '#lib/api/preset.ts';
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
import { changeAddress } from '../hooks/use-address-query.ts';
import { ON_RETURN, useApi } from '../hooks/use-api.ts';
import { cx } from '../ui/cx.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { MarkedText } from '../ui/marked-text.tsx';
import { COMMAND_FIELD, type Typed } from './command-field.tsx';

const SHOWN = 60;
const HITS = 12;
const HITS_OF_RUN = 2;
const MIN_CHARS = 2;
const TYPING_MS = 150;

/** A command, or a match in a log. */
type Found = Command & { hit?: SearchHit };

/** Matches in the logs of all runs; none before a few letters are typed. */
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
          // If this fails, the other commands still work.
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

/** Opens a run at a row, with its search filled in; within the open run, the page stays. */
function openRow(hit: SearchHit, words: string, push: (href: string) => void): void {
  const path = `/runs/${hit.run_id}`;
  const query = new URLSearchParams({ find: words });
  if (location.pathname !== path) {
    push(`${path}?${query}#${hit.seq}`);
    return;
  }
  changeAddress(query, { hash: `#${hit.seq}` });
  // The list of rows follows the hash.
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

const NO_PRESETS: PresetListReply['presets'] = [];
const NO_RUNS: readonly RunSummary[] = [];

/** Commands for pages, the current page, themes and runs. */
function useCommands(
  runs: readonly RunSummary[] = NO_RUNS,
  presets: PresetListReply['presets'] = NO_PRESETS,
): Command[] {
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
      page('new-task', 'New task', '/runs/new?mode=task', 'Start'),
      page('new-session', 'New session', '/runs/new?mode=session', 'Start'),
      page('new-explore', 'New exploration', '/runs/new?mode=explore', 'Start'),
      page('new-prompt', 'New quick prompt', '/runs/new?mode=prompt', 'Start'),
      ...presets.map(({ id, name }) =>
        page(`preset-${id}`, name, `/runs/new?preset=${encodeURIComponent(id)}`, 'Preset'),
      ),
      ...own('Presets'),
      page('runs', 'Runs', '/'),
      page('experiments', 'Experiments', '/experiments'),
      page('suites', 'Suites', '/suites'),
      page('benchmarks', 'Function calling benchmarks', '/benchmarks'),
      page('ratings', 'Ratings', '/ratings'),
      page('models', 'Models', '/models'),
      page('tools', 'Tools', '/tools'),
      page('tool-checks', 'Tools on local models', '/tools/checks'),
      page('shares', 'Shared runs', '/shares'),
      page('compare', 'Compare runs', '/compare'),
      page('health', 'Health', '/health'),
      ...own('Runs'),
      ...own('View'),
      {
        id: 'density',
        label: 'Row density',
        group: 'View',
        keys: 'd',
        run: () => say(DENSITY_WORDS[nextDensity()]),
      },
      { id: 'light', label: 'Light theme', group: 'View', run: () => chooseTheme('light') },
      { id: 'dark', label: 'Dark theme', group: 'View', run: () => chooseTheme('dark') },
      { id: 'system', label: 'System theme', group: 'View', run: () => chooseTheme('system') },
      ...runs.map((run) => ({
        ...page(`run-${run.id}`, run.title, `/runs/${run.id}`, modeWords(run)),
        about: run.model,
      })),
    ];
  }, [ofPage, runs, presets, router]);
}

/** The search field and its results: commands by name, and matches in the logs of all runs. */
export function CommandSearch({
  typed,
  onChoose,
}: {
  /** Text typed before this was loaded. */
  typed: Typed;
  onChoose: (command: Command) => void;
}) {
  const router = useRouter();
  const [query, setQuery] = useState(typed.text);
  const { field, replay } = useTyped(typed);
  // If this fails, the other commands still work.
  const { data } = useApi<RunListReply>('/api/runs?limit=30');
  const saved = useApi<PresetListReply>('/api/presets', ON_RETURN);
  const commands = useCommands(data?.runs, saved.data?.presets);
  const hits = useHits(query);
  const found: Found[] = [
    ...matching(commands, query).slice(0, SHOWN),
    ...bestHits(hits).map(({ run, hit }) => ({
      id: `hit-${hit.run_id}-${hit.seq}`,
      group: eventWord(hit.type),
      label: run.title,
      about: run.model,
      hit,
      run: () => openRow(hit, query.trim(), router.push),
    })),
  ];
  return (
    <Autocomplete.Root
      inline
      open
      items={found}
      filter={null}
      autoHighlight="always"
      keepHighlight
      itemToStringValue={({ label }: Found) => label}
      onItemHighlighted={(item: Found | undefined) => {
        if (item) replay();
      }}
      value={query}
      onValueChange={(value, { reason }) => {
        if (reason === 'item-press') return;
        typed.keys.length = 0;
        setQuery(value);
      }}
    >
      <Autocomplete.Input ref={field} {...COMMAND_FIELD} />
      <Autocomplete.List aria-label="Commands" className="max-h-[50vh] overflow-y-auto py-1.5">
        {(command: Found) => <CommandRow key={command.id} command={command} onChoose={onChoose} />}
      </Autocomplete.List>
      <Autocomplete.Empty>
        <p className="px-4 pb-4 text-ink-3">No commands, runs or logs match.</p>
      </Autocomplete.Empty>
    </Autocomplete.Root>
  );
}

/** Puts the focus and the caret where they were in the earlier field, and repeats its keys once there is a list. */
function useTyped({ caret, keys }: Typed): { field: RefObject<HTMLInputElement | null>; replay: () => void } {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(caret, caret);
  }, [caret]);
  // One after the other: each moves the highlight that the next one starts from.
  const replay = () => {
    if (keys.length === 0) return;
    setTimeout(() => {
      const key = keys.shift();
      if (key === undefined) return;
      field.current?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      replay();
    });
  };
  return { field, replay };
}

function CommandRow({ command, onChoose }: { command: Found; onChoose: (command: Command) => void }) {
  return (
    <Autocomplete.Item
      value={command}
      onClick={() => onChoose(command)}
      className={({ highlighted }) =>
        cx('flex cursor-pointer items-baseline gap-3 px-4 py-1.5', highlighted && 'bg-brass-wash')
      }
      render={(props, { highlighted }) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
        <div {...props} role="option" aria-selected={highlighted} />
      )}
    >
      <span className="w-16 shrink-0 truncate text-sm text-ink-3 sm:w-24">{command.group}</span>
      <span className="foreign line-clamp-1 min-w-0 flex-1 whitespace-normal">
        {command.hit ? <MarkedText {...fromFirst(command.hit)} /> : <ForeignText text={command.label} />}
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
        <kbd className="shrink-0 rounded-sm border bg-sunken px-1.5 text-xs text-ink-2">{command.keys}</kbd>
      )}
    </Autocomplete.Item>
  );
}

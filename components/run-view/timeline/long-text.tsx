'use client';

import { useMemo, useRef, useState } from 'react';
import { VList, type VListHandle } from 'virtua';
import { useStore } from 'zustand';
import {
  type ContentKind,
  type ContentSource,
  contentKind,
  markdownKind,
  PLAIN,
} from '#lib/browser/content/content-kind.ts';
import { MAX_FETCHED_CHARS } from '#lib/browser/content/limits.ts';
import { firstBlocks } from '#lib/browser/content/markdown-start.ts';
import { inEachFrame } from '#lib/browser/in-each-frame.ts';
import { rawText, toggleRawText } from '#lib/browser/prefs/raw-text.ts';
import { lacksFound } from '#lib/browser/state/mark-found.ts';
import { firstLines } from '#lib/browser/words/first-lines.ts';
import { formatBytes, formatCount, plural } from '#lib/browser/words/format.ts';
import { type RequestProblem, useRequest } from '../../hooks/use-request.ts';
import { Content } from '../../ui/content/content.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { DownloadLink } from '../../ui/download-link.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { useFound } from '../../ui/found-words.ts';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useRunScreen, useUnfolded, useUnfoldedByFound } from '../screen-context.ts';

/** Characters shown of a collapsed text. */
const FOLDED = { lines: 12, chars: 1600, slack: 200 };
/** The same of Markdown, which is collapsed at the end of a paragraph. */
const FOLDED_MARKDOWN = { chars: 4000, slack: 1000 };
/** Longer texts are virtualized. */
const WHOLE_CHARS = 60_000;
const BLOCK_CHARS = 4000;

const button = 'min-h-6 font-medium text-brass underline-offset-2 hover:underline';

export interface LongTextProps {
  /** Unique within the run; the key of its expanded state. */
  id: string;
  text: string;
  /** The kind of text, for the buttons' names: `result`, `content`. */
  label: string;
  /** Determines how the text is shown; plain without it. */
  as?: 'markdown' | Omit<ContentSource, 'text'>;
  /** Whether all of it is shown at first. */
  startsUnfolded?: boolean;
  /** Where to fetch the full text if `text` is truncated. */
  whole?: { seq: number; path: string; chars: number };
  className?: string;
}

/**
 * A text of any length, shown by its kind: collapsed, expanded on demand, and virtualized if very long. A truncated text
 * says so and can be fetched in full from its event.
 */
export function LongText(props: LongTextProps) {
  const { id, text, label, whole: cut, className, startsUnfolded = false } = props;
  const [fetched, setFetched] = useState<string>();
  const full = fetched ?? text;
  const kind = useKind(full, props.as);
  const [isRaw, toggleRaw] = useRaw(id, kind);
  const shown = isRaw ? PLAIN : kind;
  const folded = useMemo(() => foldedText(full, shown), [full, shown]);
  const isLong = folded.length < full.length;
  const [unfolded, toggle, unfold] = useUnfoldedByFound(
    `text:${id}`,
    (words) => isLong && lacksFound(folded, full, words),
    startsUnfolded,
  );
  const isWindow = unfolded && isLong && full.length > WHOLE_CHARS && isLines(shown);
  const { problem, run } = useRequest();
  const { whole } = useRunScreen();
  const missing = fetched === undefined ? cut : undefined;
  const fetchWhole = () =>
    run(async () => {
      if (!missing || !whole) return;
      const value = await whole.value(missing.seq, missing.path);
      setFetched(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
      unfold();
    });
  useFound((_words, isBeyond, again) => {
    if (!isBeyond || !missing || !whole || missing.chars > MAX_FETCHED_CHARS) return;
    void fetchWhole().then(again);
  });

  return (
    <div className={cx('group/text relative min-w-0', shown.kind === 'markdown' && 'max-w-full!', className)}>
      {isWindow ? (
        <Window text={full} label={label} />
      ) : (
        <>
          <Content text={isLong && !unfolded ? folded : full} kind={shown} />
          {isLong && !unfolded && <span className="text-ink-3"> …</span>}
        </>
      )}
      {(isLong || cut || kind.kind === 'text') && (
        <Foot
          label={label}
          full={full}
          fold={isLong ? { unfolded, toggle } : undefined}
          cut={missing}
          isTooLong={kind.kind === 'text' && kind.isTooLong === true}
          fetchWhole={() => void fetchWhole()}
          problem={problem}
        />
      )}
      {(full.length > 40 || kind.kind !== 'text') && (
        <div className="absolute -top-1 -right-1 z-1 flex items-center gap-0.5 touch:right-0 touch:gap-4 rounded-sm bg-inherit opacity-0 transition-opacity group-hover/text:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100 print:hidden">
          {kind.kind !== 'text' && (
            <button
              type="button"
              aria-pressed={isRaw}
              onClick={toggleRaw}
              title={`Show the ${label} as it was written`}
              className={cx(
                'reach rounded-sm bg-canvas px-1.5 font-sans text-xs font-medium hover:text-ink',
                isRaw ? 'text-brass' : 'text-ink-3',
              )}
            >
              Raw
            </button>
          )}
          <CopyButton text={full} label={`Copy the ${label}`} className="bg-canvas" />
        </div>
      )}
    </div>
  );
}

/** Below a text: unfolding it, and what of it is not here. */
function Foot({
  label,
  full,
  fold,
  cut,
  isTooLong,
  fetchWhole,
  problem,
}: {
  label: string;
  full: string;
  fold: { unfolded: boolean; toggle: () => void } | undefined;
  cut: LongTextProps['whole'];
  isTooLong: boolean;
  fetchWhole: () => void;
  problem: RequestProblem | undefined;
}) {
  const { whole } = useRunScreen();
  if (!fold && !cut && !isTooLong) return null;
  const tooLarge = cut !== undefined && cut.chars > MAX_FETCHED_CHARS;
  return (
    <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 font-sans text-xs text-ink-3">
      {fold && (
        <button type="button" className={button} onClick={fold.toggle} aria-expanded={fold.unfolded}>
          {fold.unfolded
            ? `Show less of the ${label}`
            : cut
              ? `Show this part of the ${label}`
              : `Show all of the ${label}`}
        </button>
      )}
      {cut && !tooLarge && whole && (
        <button type="button" className={button} onClick={fetchWhole}>
          Load the full {label} ({formatBytes(cut.chars)})
        </button>
      )}
      {cut && whole && tooLarge && (
        <DownloadLink href={whole.fileUrl(cut.seq, cut.path)} className={button}>
          Download the full {label} ({formatBytes(cut.chars)})
        </DownloadLink>
      )}
      <span className="tnum">
        {cut
          ? `Only the first ${formatCount(full.length)} of ${formatCount(cut.chars)} characters are here`
          : `${plural(lineCount(full), 'line')}, ${formatCount(full.length)} characters`}
        {isTooLong && '; shown as plain text because of its length'}
      </span>
      {problem && <ErrorLine error={problem} />}
    </p>
  );
}

function useKind(text: string, as: LongTextProps['as']): ContentKind {
  const isMarkdown = as === 'markdown';
  const { name, path, firstLine } = as === undefined || as === 'markdown' ? {} : as;
  return useMemo(() => {
    if (isMarkdown) return markdownKind(text);
    return name === undefined ? PLAIN : contentKind({ text, name, path, firstLine });
  }, [text, isMarkdown, name, path, firstLine]);
}

/** Whether the source is shown: of Markdown as this reader prefers it, of anything else as chosen for this text. */
function useRaw(id: string, { kind }: ContentKind): [isRaw: boolean, toggle: () => void] {
  const prefersRaw = useStore(rawText, (state) => state.isRaw);
  const [isRaw, toggle] = useUnfolded(`raw:${id}`);
  return kind === 'markdown' ? [prefersRaw, toggleRawText] : [isRaw && kind !== 'text', toggle];
}

/** Whether a kind is drawn line by line, all of it at once. */
function isLines({ kind }: ContentKind): boolean {
  return kind === 'text' || kind === 'code' || kind === 'diff' || kind === 'ansi';
}

/** The collapsed view of a text: its beginning, or the whole text if its kind has its own folding. */
function foldedText(text: string, shown: ContentKind): string {
  if (shown.kind === 'markdown') return firstBlocks(text, FOLDED_MARKDOWN);
  return isLines(shown) ? firstLines(text, FOLDED) : text;
}

function Window({ text, label }: { text: string; label: string }) {
  const blocks = blocksOf(text);
  const list = useRef<VListHandle>(null);
  const region = useRef<HTMLElement>(null);
  useFound((words) => {
    const index = blocks.findIndex((block) => lacksFound('', block, words));
    const block = blocks[index];
    if (block === undefined) return;
    // The list gives up if it takes long until the blocks on the way are drawn, whose heights are estimated before.
    const look = () => {
      if (!region.current || !lacksFound(region.current.textContent, block, words)) return true;
      list.current?.scrollToIndex(index, { align: 'center' });
      return false;
    };
    if (!look()) inEachFrame(look);
  });
  return (
    <ScrollRegion
      ref={region}
      label={`Full ${label}`}
      className="h-[min(28rem,60dvh)] rounded-sm border border-line"
    >
      <VList ref={list} data={blocks} className="clickable-rows p-2">
        {(block, index) => (
          <pre key={index} className="foreign m-0 leading-relaxed">
            <ForeignText text={block} />
          </pre>
        )}
      </VList>
    </ScrollRegion>
  );
}

/** Splits at line ends if possible, so that blocks join seamlessly. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let from = 0;
  while (from < text.length) {
    const end = Math.min(text.length, from + BLOCK_CHARS);
    const lineEnd = end < text.length ? text.lastIndexOf('\n', end) : end;
    const to = lineEnd > from ? lineEnd : end;
    blocks.push(text.slice(from, to));
    from = text[to] === '\n' ? to + 1 : to;
  }
  return blocks;
}

function lineCount(text: string): number {
  let lines = 1;
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) lines += 1;
  return text.endsWith('\n') ? lines - 1 : lines;
}

'use client';

import { useState } from 'react';
import { VList } from 'virtua';
import { firstLines } from '#lib/browser/words/first-lines.ts';
import { formatBytes, formatCount, plural } from '#lib/browser/words/format.ts';
import { useRequest } from '../../hooks/use-request.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { DownloadLink } from '../../ui/download-link.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { useRunScreen, useUnfolded } from '../screen-context.ts';

/** Characters shown of a collapsed text. */
const FOLDED = { lines: 12, chars: 1600, slack: 200 };
/** Longer texts are virtualized. */
const WHOLE_CHARS = 60_000;
const BLOCK_CHARS = 4000;
/** Longer texts are truncated with a download link. */
const FETCHED_CHARS = 2_000_000;

/**
 * A text of any length: collapsed, expanded on demand, and virtualized if very long. A truncated text says so and can be
 * fetched in full from its event.
 */
export function LongText({
  id,
  text,
  label,
  whole: cut,
  className,
}: {
  /** Unique within the run; the key of its expanded state. */
  id: string;
  text: string;
  /** What the text is, for the buttons' names: `result`, `content`. */
  label: string;
  /** Where to fetch the full text if `text` is truncated. */
  whole?: { seq: number; path: string; chars: number };
  className?: string;
}) {
  const [unfolded, toggle] = useUnfolded(`text:${id}`, false);
  const [fetched, setFetched] = useState<string>();
  const { problem, run } = useRequest();
  const { whole } = useRunScreen();
  const tooLarge = cut !== undefined && cut.chars > FETCHED_CHARS;
  const full = fetched ?? text;
  const folded = firstLines(full, FOLDED);
  const isLong = folded.length < full.length;
  const fetchWhole = () => {
    if (!cut || !whole) return;
    void run(async () => {
      const value = await whole.value(cut.seq, cut.path);
      setFetched(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
      if (!unfolded) toggle();
    });
  };

  return (
    <div className={cx('group/text relative', className)}>
      {!isLong || !unfolded ? (
        <pre className="foreign m-0 leading-relaxed">
          <ForeignText text={isLong ? folded : full} />
          {isLong && <span className="text-ink-3"> …</span>}
        </pre>
      ) : full.length <= WHOLE_CHARS ? (
        <pre className="foreign m-0 leading-relaxed">
          <ForeignText text={full} />
        </pre>
      ) : (
        <Window text={full} label={label} />
      )}
      {(isLong || cut) && (
        <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 font-sans text-xs text-ink-3">
          {isLong && (
            <button
              type="button"
              className="reach font-medium text-brass underline-offset-2 hover:underline"
              onClick={toggle}
              aria-expanded={unfolded}
            >
              {unfolded
                ? `Show less of the ${label}`
                : cut && fetched === undefined
                  ? `Show this part of the ${label}`
                  : `Show all of the ${label}`}
            </button>
          )}
          {cut && !tooLarge && whole && fetched === undefined && (
            <button
              type="button"
              className="reach font-medium text-brass underline-offset-2 hover:underline"
              onClick={fetchWhole}
            >
              Load the full {label} ({formatBytes(cut.chars)})
            </button>
          )}
          {cut && whole && tooLarge && (
            <DownloadLink
              href={whole.fileUrl(cut.seq, cut.path)}
              className="reach font-medium text-brass underline-offset-2 hover:underline"
            >
              Download the full {label} ({formatBytes(cut.chars)})
            </DownloadLink>
          )}
          <span className="tnum">
            {cut && fetched === undefined
              ? `Only the first ${formatCount(full.length)} of ${formatCount(cut.chars)} characters are here`
              : `${plural(lineCount(full), 'line')}, ${formatCount(full.length)} characters`}
          </span>
          {problem && <ErrorLine error={problem} />}
        </p>
      )}
      {full.length > 40 && (
        <CopyButton
          text={full}
          label={`Copy the ${label}`}
          className="absolute -top-1 -right-1 bg-inherit opacity-0 transition-opacity group-hover/text:opacity-100 focus-visible:opacity-100"
        />
      )}
    </div>
  );
}

function Window({ text, label }: { text: string; label: string }) {
  const blocks = blocksOf(text);
  return (
    <section
      aria-label={`Full ${label}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
      tabIndex={0}
      className="h-[min(28rem,60dvh)] rounded-sm border border-line"
    >
      <VList data={blocks} className="clickable-rows p-2">
        {(block, index) => (
          <pre key={index} className="foreign m-0 leading-relaxed">
            <ForeignText text={block} />
          </pre>
        )}
      </VList>
    </section>
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

'use client';

import { useMemo, useState } from 'react';
import {
  compareFiles,
  type DiffLine,
  type DiffPart,
  type FileComparison,
} from '#lib/browser/content/compare-files.ts';
import { plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { CopyButton } from '../copy-button.tsx';
import { ShortName } from '../foreign-name.tsx';
import { DiffLines, numberWidth } from './diff-lines.tsx';

export interface FileVersions {
  /** Its path, or the name of a text that is not a file. */
  path: string;
  /** Whether it is a text that is not a file. */
  isText?: boolean;
  /** `undefined` if the file did not exist. */
  before: string | undefined;
  /** `undefined` if the file was deleted. */
  after: string | undefined;
}

/** Lines shown at first, and with each further step. */
const FIRST_LINES = 400;
const MORE_LINES = 2000;

export function FileDiffView({ path, isText = false, before, after }: FileVersions) {
  const comparison = useMemo(() => compareFiles(before, after), [before, after]);
  const [opened, setOpened] = useState<ReadonlySet<DiffPart>>(new Set());
  const [max, setMax] = useState(FIRST_LINES);
  let left = max;
  const shown = comparison.parts.flatMap((part) => {
    if (left <= 0) return [];
    const folded = part.folded && !opened.has(part);
    const lines = folded ? part.lines : part.lines.slice(0, left);
    left -= folded ? 1 : lines.length;
    return [{ part, lines, folded }];
  });
  const chars = useMemo(
    () => Math.max(0, ...comparison.parts.map(({ lines }) => numberWidth(lines))),
    [comparison],
  );
  const total = comparison.parts.reduce((sum, { lines }) => sum + lines.length, 0);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      role="group"
      aria-label={`Changes to ${shortLine(path)}`}
      className="min-w-0 overflow-hidden rounded-md border bg-surface font-mono text-xs leading-relaxed"
    >
      <DiffHeader
        path={path}
        comparison={comparison}
        isNew={before === undefined}
        isDeleted={after === undefined}
      />
      {comparison.parts.length === 0 && (
        <p className="px-3 py-1 text-ink-3">{isText ? 'No text.' : 'The file is empty.'}</p>
      )}
      {shown.map(({ part, lines, folded }, index) =>
        folded ? (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a comparison never move
            key={index}
            type="button"
            aria-expanded={false}
            className="block w-full bg-sunken px-3 py-0.5 text-left font-sans text-ink-3 hover:text-ink"
            onClick={() => setOpened((all) => new Set(all).add(part))}
          >
            {plural(part.lines.length, 'unchanged line')}
          </button>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a comparison never move
          <DiffLines key={index} lines={lines} chars={chars} />
        ),
      )}
      {left <= 0 && max < total && (
        <button
          type="button"
          className="block w-full border-t bg-sunken px-3 py-1 text-left font-sans font-medium text-brass hover:underline print:hidden"
          onClick={() => setMax(max + MORE_LINES)}
        >
          Show more of {plural(total, 'line')}
        </button>
      )}
      {comparison.lacksLineEnd && !isText && (
        <p className="border-t px-3 py-0.5 font-sans text-ink-3">
          {comparison.lacksLineEnd === 'after' ? 'The new version has no' : 'Only the old version had no'}{' '}
          line break at its end.
        </p>
      )}
    </div>
  );
}

function DiffHeader({
  path,
  comparison,
  isNew,
  isDeleted,
}: {
  path: string;
  comparison: FileComparison;
  isNew: boolean;
  isDeleted: boolean;
}) {
  const { added, removed, isReplaced } = comparison;
  const isSame = added + removed === 0 && !isNew && !isDeleted && !comparison.lacksLineEnd;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 border-b bg-sunken px-3 py-1">
      <span className="foreign min-w-0 font-semibold">
        <ShortName text={path} isPath />
      </span>
      {isNew && <span className="font-sans font-medium text-ok">new file</span>}
      {isDeleted && <span className="font-sans font-medium text-warn">deleted</span>}
      {isSame && <span className="font-sans text-ink-3">unchanged</span>}
      {isReplaced && (
        <span className="font-sans text-ink-3">too different to be aligned: shown as replaced</span>
      )}
      <span className="tnum ml-auto flex items-center gap-2 font-sans">
        {added > 0 && (
          <span className="text-ok">
            +{added} <span className="sr-only">{added === 1 ? 'line' : 'lines'} added</span>
          </span>
        )}
        {removed > 0 && (
          <span className="text-fail">
            −{removed} <span className="sr-only">{removed === 1 ? 'line' : 'lines'} removed</span>
          </span>
        )}
        <CopyButton text={() => patchText(comparison)} label="Copy the changes" className="print:hidden" />
      </span>
    </div>
  );
}

const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', removed: '-', added: '+', header: '' };

/** The lines with their signs, without those that are folded. */
function patchText({ parts }: FileComparison): string {
  return parts
    .map(({ folded, lines }) =>
      folded ? '@@' : lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`).join('\n'),
    )
    .join('\n');
}

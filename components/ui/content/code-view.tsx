'use client';

import { useMemo } from 'react';
import type { CodePiece, CodeRole } from '#lib/browser/content/highlight.ts';
import type { Language } from '#lib/browser/content/language.ts';
import { lazyCode } from '../../hooks/lazy-code.ts';
import { ForeignText } from '../foreign-text.tsx';

const highlighter = lazyCode(async () => (await import('#lib/browser/content/highlight.ts')).highlightLines);

const roles: Record<CodeRole, string> = {
  keyword: 'text-code-keyword',
  string: 'text-ok',
  number: 'text-warn',
  comment: 'text-ink-3 italic',
  name: 'text-code-name',
  type: 'text-code-type',
  added: 'text-ok',
  removed: 'text-fail',
};

/** Code by lines. It is readable immediately; colors follow without moving anything. */
export function CodeView({
  text,
  language,
  firstLine,
}: {
  text: string;
  language: Language | undefined;
  /** The number of the first line; lines are not numbered without it. */
  firstLine?: number;
}) {
  return language === undefined ? (
    <CodeLines lines={plainLines(text)} firstLine={firstLine} />
  ) : (
    <HighlightedCode text={text} language={language} firstLine={firstLine} />
  );
}

function HighlightedCode({
  text,
  language,
  firstLine,
}: {
  text: string;
  language: Language;
  firstLine: number | undefined;
}) {
  const highlight = highlighter.useCode();
  const lines = useMemo(() => highlight?.(text, language) ?? plainLines(text), [highlight, text, language]);
  return <CodeLines lines={lines} firstLine={firstLine} />;
}

type Line = readonly CodePiece[];

function plainLines(text: string): readonly Line[] {
  return text.split('\n').map((line) => [{ text: line, role: undefined }]);
}

function CodeLines({ lines, firstLine }: { lines: readonly Line[]; firstLine: number | undefined }) {
  const shown = lines.length > 1 && isEmpty(lines.at(-1)) ? lines.slice(0, -1) : lines;
  const width = firstLine === undefined ? undefined : `${String(firstLine + shown.length).length}ch`;
  return (
    <pre className="m-0 min-w-0 leading-relaxed">
      {shown.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text never move
        <span key={index} className="flex gap-3">
          {firstLine !== undefined && (
            <span
              aria-hidden="true"
              className="tnum shrink-0 text-right text-ink-3 select-none"
              style={{ width }}
            >
              {firstLine + index}
            </span>
          )}
          <code className="foreign min-w-0 flex-1 text-[1em]">
            {isEmpty(line)
              ? '\n'
              : line.map(({ text, role }, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
                  <span key={at} className={role && roles[role]}>
                    <ForeignText text={text} />
                  </span>
                ))}
          </code>
        </span>
      ))}
    </pre>
  );
}

function isEmpty(line: Line | undefined): boolean {
  return line?.every(({ text }) => text === '') ?? true;
}

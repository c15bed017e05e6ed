'use client';

import { memo, useMemo } from 'react';
import type { ContentKind } from '#lib/browser/content/content-kind.ts';
import { unifiedDiffLines } from '#lib/browser/content/unified-diff.ts';
import { lazyComponent } from '../../hooks/lazy-component.tsx';
import { ForeignText } from '../foreign-text.tsx';
import { CodeView } from './code-view.tsx';
import { DiffLines } from './diff-lines.tsx';
import { JsonTree } from './json-tree.tsx';

const MarkdownView = lazyComponent<{ text: string; isLive: boolean }>(
  async () => (await import('./markdown-view.tsx')).MarkdownView,
  PlainText,
);
const AnsiView = lazyComponent(async () => (await import('./ansi-view.tsx')).AnsiView, PlainText);
const ImageView = lazyComponent<{ url: string; label: string }>(
  async () => (await import('./image-view.tsx')).ImageView,
  () => <PlainText text="Image" />,
);
const CsvView = lazyComponent<{ text: string; separator: ',' | '\t' }>(
  async () => (await import('./csv-view.tsx')).CsvView,
  PlainText,
);

/** Loads what shows Markdown, so that the first answer does not change its height. */
export const preloadMarkdown = MarkdownView.preload;

/** Untrusted text, shown by its kind. Until the code for a kind is loaded, it is shown plainly. */
export const Content = memo(function Content({
  text,
  kind,
  isLive = false,
}: {
  text: string;
  kind: ContentKind;
  /** Whether the text is still being written, so that it has no colors yet. */
  isLive?: boolean;
}) {
  switch (kind.kind) {
    case 'text':
      return <PlainText text={text} />;
    case 'markdown':
      return <MarkdownView text={text} isLive={isLive} />;
    case 'code':
      return <CodeView text={text} language={kind.language} firstLine={kind.firstLine} />;
    case 'diff':
      return <UnifiedDiff text={text} />;
    case 'json':
      return <Json text={text} />;
    case 'ansi':
      return <AnsiView text={text} />;
    case 'table':
      return <CsvView text={text} separator={kind.separator} />;
    case 'image':
      return <ImageView url={text} label="" />;
  }
});

function PlainText({ text }: { text: string }) {
  return (
    <pre className="foreign m-0 leading-relaxed">
      <ForeignText text={text} />
    </pre>
  );
}

function UnifiedDiff({ text }: { text: string }) {
  const lines = useMemo(() => unifiedDiffLines(text), [text]);
  return (
    <div className="-mx-3 min-w-0">
      <DiffLines lines={lines} />
    </div>
  );
}

/** A text that was found to be JSON. */
function Json({ text }: { text: string }) {
  const value = useMemo(() => JSON.parse(text), [text]);
  return <JsonTree value={value} />;
}

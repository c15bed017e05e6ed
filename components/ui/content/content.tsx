'use client';

import { memo, useMemo } from 'react';
import type { ContentKind } from '#lib/browser/content/content-kind.ts';
import { unifiedDiffLines } from '#lib/browser/content/unified-diff.ts';
import { lazyCode } from '../../hooks/lazy-code.ts';
import { ForeignText } from '../foreign-text.tsx';
import { CodeView } from './code-view.tsx';
import { DiffLines } from './diff-lines.tsx';
import { JsonTree } from './json-tree.tsx';

const markdownView = lazyCode(async () => (await import('./markdown-view.tsx')).MarkdownView);
const ansiView = lazyCode(async () => (await import('./ansi-view.tsx')).AnsiView);
const imageView = lazyCode(async () => (await import('./image-view.tsx')).ImageView);
const csvView = lazyCode(async () => (await import('./csv-view.tsx')).CsvView);

/** Loads what shows Markdown, so that the first answer does not change its height. */
export const preloadMarkdown = markdownView.preload;

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
      return <Markdown text={text} isLive={isLive} />;
    case 'code':
      return <CodeView text={text} language={kind.language} firstLine={kind.firstLine} />;
    case 'diff':
      return <UnifiedDiff text={text} />;
    case 'json':
      return <Json text={text} />;
    case 'ansi':
      return <Ansi text={text} />;
    case 'table':
      return <Csv text={text} separator={kind.separator} />;
    case 'image':
      return <Image url={text} />;
  }
});

function PlainText({ text }: { text: string }) {
  return (
    <pre className="foreign m-0 leading-relaxed">
      <ForeignText text={text} />
    </pre>
  );
}

function Markdown({ text, isLive }: { text: string; isLive: boolean }) {
  const View = markdownView.useCode();
  return View ? <View text={text} isLive={isLive} /> : <PlainText text={text} />;
}

function Ansi({ text }: { text: string }) {
  const View = ansiView.useCode();
  return View ? <View text={text} /> : <PlainText text={text} />;
}

function Image({ url }: { url: string }) {
  const View = imageView.useCode();
  return View ? <View url={url} label="" /> : <PlainText text="Image" />;
}

function Csv({ text, separator }: { text: string; separator: ',' | '\t' }) {
  const View = csvView.useCode();
  return View ? <View text={text} separator={separator} /> : <PlainText text={text} />;
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

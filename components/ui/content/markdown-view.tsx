'use client';

import { Fragment, memo, type ReactNode, useMemo } from 'react';
import { languageOfName } from '#lib/browser/content/language.ts';
import { loadMathTree } from '#lib/browser/content/load-math.ts';
import { type Align, type Block, type Inline, parseMarkdown } from '#lib/browser/content/markdown.ts';
import { lazyCode } from '../../hooks/lazy-code.ts';
import { CopyButton } from '../copy-button.tsx';
import { cx } from '../cx.ts';
import { ShortName } from '../foreign-name.tsx';
import { ForeignText } from '../foreign-text.tsx';
import { ScrollGroup } from '../scroll-region.tsx';
import { CodeView } from './code-view.tsx';
import { ImageView } from './image-view.tsx';
import { MathView } from './math-view.tsx';

const formulas = lazyCode(loadMathTree);

/**
 * Markdown of a model. It has no HTML, no working links, and loads nothing: links show their address, and images on
 * other hosts are named.
 */
export const MarkdownView = memo(function MarkdownView({ text, isLive }: { text: string; isLive: boolean }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  if (!blocks) {
    return (
      <p className="foreign">
        <ForeignText text={text} />
      </p>
    );
  }
  return (
    <div className="markdown">
      <Blocks blocks={blocks} isLive={isLive} />
    </div>
  );
});

function Blocks({ blocks, isLive }: { blocks: readonly Block[]; isLive: boolean }) {
  return blocks.map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks of a text never move, and the last one grows in place
    <BlockView key={index} block={block} isLive={isLive} />
  ));
}

function BlockView({ block, isLive }: { block: Block; isLive: boolean }) {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <Inlines inlines={block.children} />
        </p>
      );
    case 'heading':
      // Not a heading of the page: an answer must not change its outline.
      return (
        <p className={cx('font-semibold', headings[block.level])}>
          <Inlines inlines={block.children} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.children} isLive={isLive} />
        </blockquote>
      );
    case 'rule':
      return <hr />;
    case 'math':
      return (
        <div className="max-w-full overflow-x-auto">
          <Formula text={block.text} display />
        </div>
      );
    case 'code':
      return <CodeBlock text={block.text} language={block.language} isLive={isLive} />;
    case 'table':
      return <Table {...block} />;
    case 'list': {
      const items = block.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items of a list never move
        <li key={index}>
          <Blocks blocks={item} isLive={isLive} />
        </li>
      ));
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
  }
}

const headings: Readonly<Record<number, string>> = { 1: 'text-xl', 2: 'text-lg', 3: 'text-base' };

/** Code with its language and a button to copy it. It gets its colors when it is complete. */
function CodeBlock({ text, language, isLive }: { text: string; language: string; isLive: boolean }) {
  return (
    <div className="wide group/code relative rounded-md border bg-sunken font-mono text-xs">
      <div className="flex min-h-6 items-center justify-between gap-2 border-b px-3 font-sans text-2xs text-ink-3">
        <span>
          <ShortName text={language || 'code'} max={30} />
        </span>
        <CopyButton text={text} label="Copy the code" className="print:hidden" />
      </div>
      <div className="px-3 py-2">
        <CodeView text={text} language={isLive ? undefined : languageOfName(language)} />
      </div>
    </div>
  );
}

function Table({ aligns, head, rows }: Extract<Block, { type: 'table' }>) {
  const cells = (row: readonly (readonly Inline[])[], tag: 'th' | 'td') =>
    row.map((cell, index) => {
      // An empty header cell is not a header.
      const Cell = cell.length > 0 ? tag : 'td';
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells of a row never move
        <Cell key={index} className={alignments[aligns[index] ?? 'left']}>
          <Inlines inlines={cell} />
        </Cell>
      );
    });
  return (
    <ScrollGroup label="Table" className="wide max-w-full overflow-x-auto">
      <table>
        <thead>
          <tr>{cells(head, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a table never move
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </ScrollGroup>
  );
}

const alignments: Record<NonNullable<Align>, string> = {
  left: 'text-left',
  center: 'text-center',
  right: 'text-right',
};

function Inlines({ inlines }: { inlines: readonly Inline[] }) {
  return inlines.map((inline, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text never move
    <Fragment key={index}>{inlineNode(inline)}</Fragment>
  ));
}

function inlineNode(inline: Inline): ReactNode {
  switch (inline.type) {
    case 'text':
      return <ForeignText text={inline.text} />;
    case 'break':
      return <br />;
    case 'code':
      return (
        <code>
          <ForeignText text={inline.text} />
        </code>
      );
    case 'math':
      return <Formula text={inline.text} display={false} />;
    case 'strong':
      return (
        <strong>
          <Inlines inlines={inline.children} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inlines inlines={inline.children} />
        </em>
      );
    case 'strike':
      return (
        <s>
          <Inlines inlines={inline.children} />
        </s>
      );
    case 'link':
      return (
        <InertLink url={inline.url} words={plainWords(inline.children)}>
          <Inlines inlines={inline.children} />
        </InertLink>
      );
    case 'image':
      return inline.url.startsWith('data:') ? (
        <ImageView url={inline.url} label={inline.text} />
      ) : (
        <InertLink url={inline.url}>
          Image{inline.text === '' ? '' : ': '}
          <ForeignText text={inline.text} />
        </InertLink>
      );
  }
}

/** A link that cannot be followed: its text, and its address unless they are the same. */
function InertLink({ url, words, children }: { url: string; words?: string; children: ReactNode }) {
  return (
    <>
      <span className="underline decoration-line-strong decoration-dotted underline-offset-2">
        {children}
      </span>
      {words !== url && (
        <span className="font-mono text-[0.85em] text-ink-3">
          {' '}
          (<ShortName text={url} max={80} isPath />)
        </span>
      )}
    </>
  );
}

/** The text of a link that consists only of plain text. */
function plainWords([only, ...others]: readonly Inline[]): string | undefined {
  return only?.type === 'text' && others.length === 0 ? only.text : undefined;
}

/** A formula, or its source until it can be drawn and where it cannot. */
function Formula({ text, display }: { text: string; display: boolean }) {
  const parse = formulas.useCode();
  const source = (
    <code>
      <ForeignText text={text} />
    </code>
  );
  return <MathView text={text} display={display} parse={parse} source={source} />;
}

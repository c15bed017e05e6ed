'use client';

import { createElement, Fragment, type ReactNode, useMemo } from 'react';
import type { MathPart, mathTree } from '#lib/browser/content/math.ts';

/** A formula as MathML, which browsers draw without a font or a style sheet. */
export function MathView({
  text,
  display,
  parse,
  source,
}: {
  text: string;
  display: boolean;
  /** Missing until it is loaded. */
  parse: typeof mathTree | undefined;
  /** Shown until the formula can be drawn, and instead of one that cannot. */
  source: ReactNode;
}) {
  const tree = useMemo(() => parse?.(text, display), [parse, text, display]);
  if (tree === undefined) return source;
  // Content that overflows its box must not cover the text around it.
  return <span className="inline-block max-w-full overflow-clip">{draw(tree)}</span>;
}

function draw(part: MathPart): ReactNode {
  if (typeof part === 'string') return part;
  const children = part.children.map((child, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a formula never move
    <Fragment key={index}>{draw(child)}</Fragment>
  ));
  return createElement(part.tag, part.attributes, ...children);
}

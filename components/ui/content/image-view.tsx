'use client';

import { useMemo } from 'react';
import { embeddedImage } from '#lib/browser/content/embedded-image.ts';
import { formatBytes } from '#lib/browser/words/format.ts';
import { ForeignText } from '../foreign-text.tsx';

/** An image in the log, drawn from its own bytes without a request. */
export function ImageView({ url, label }: { url: string; label: string }) {
  const image = useMemo(() => embeddedImage(url), [url]);
  if (!image) {
    return (
      <span className="foreign text-ink-3">
        Image{label === '' ? '' : ': '}
        <ForeignText text={label} /> (not shown: damaged, too large, or of another format)
      </span>
    );
  }
  const { type, width, height, bytes } = image;
  return (
    <span className="block max-w-full">
      {/* biome-ignore lint/performance/noImgElement: nothing is to be optimized in a data URL */}
      <img
        src={url}
        alt={label}
        width={width}
        height={height}
        decoding="async"
        className="h-auto max-h-96 w-auto max-w-full rounded-sm border bg-raised object-contain"
      />
      <span className="mt-0.5 block font-sans text-xs text-ink-3">
        {type.toUpperCase()}, {width} × {height}, {formatBytes(bytes)}
      </span>
    </span>
  );
}

'use client';

import { ImageOff } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { embeddedImage } from '#lib/browser/content/embedded-image.ts';
import type { ImageSource } from '#lib/browser/stream/image-source.ts';
import type { ImageRef } from '#lib/events/image.ts';
import { imageWords } from '#lib/events/image-words.ts';
import { Dialog } from '../ui/dialog.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { ForeignName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';

type Loaded = { state: 'loading' } | { state: 'missing' } | { state: 'shown'; url: string };

function useImage(image: ImageRef, source: ImageSource | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ state: source ? 'loading' : 'missing' });
  useEffect(() => {
    let stale = false;
    source?.(image)
      .catch(() => undefined)
      .then((url) => {
        if (stale) return;
        // Data from a file or a link is shown only if it is an image that is not too large for a page.
        setLoaded(url && embeddedImage(url) ? { state: 'shown', url } : { state: 'missing' });
      });
    return () => {
      stale = true;
    };
  }, [source, image]);
  return loaded;
}

/** An image of the run, small, which opens larger. */
export function Thumbnail({ image, source }: { image: ImageRef; source: ImageSource | undefined }) {
  const loaded = useImage(image, source);
  const [open, setOpen] = useState(false);
  const title = useId();
  if (loaded.state !== 'shown') {
    return (
      <p className="foreign flex min-h-11 items-center gap-2 rounded-md border border-dashed border-line-strong px-3 py-1.5 text-sm text-ink-3">
        <ImageOff className="size-4 shrink-0" aria-hidden="true" />
        <span>
          <ForeignText text={imageWords(image)} />
          {loaded.state === 'missing' && ', not available here'}
        </span>
      </p>
    );
  }
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        title={imageWords(image)}
        className="block min-h-11 min-w-11 max-w-full overflow-hidden rounded-md border border-line-strong bg-sunken hover:border-ink-3"
      >
        <Picture
          url={loaded.url}
          image={image}
          className="h-24 w-auto max-w-[min(14rem,100%)] object-contain"
        />
      </button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        dismissable
        aria-labelledby={title}
        className="w-fit"
      >
        <DialogHeader
          title={<ForeignName text={imageWords(image)} max={80} />}
          id={title}
          onClose={() => setOpen(false)}
          className="px-4 pt-3 pb-2"
        />
        <div className="px-4 pb-4">
          <Picture
            url={loaded.url}
            image={image}
            className="h-auto max-h-[75dvh] w-auto max-w-full object-contain"
          />
        </div>
      </Dialog>
    </>
  );
}

function Picture({ url, image, className }: { url: string; image: ImageRef; className: string }) {
  return (
    // biome-ignore lint/performance/noImgElement: there is nothing to optimize in a data URL
    <img
      src={url}
      alt={image.name}
      width={image.width}
      height={image.height}
      decoding="async"
      className={className}
    />
  );
}

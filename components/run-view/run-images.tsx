'use client';

import type { ImageRef } from '#lib/events/image.ts';
import { imageWords } from '#lib/events/image-words.ts';
import { lazyCode } from '../hooks/lazy-code.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { useRunScreen } from './screen-context.ts';

const thumbnail = lazyCode(async () => (await import('./thumbnail.tsx')).Thumbnail);

/** Images of the run, small; each opens larger. */
export function RunImages({ images }: { images: readonly ImageRef[] | undefined }) {
  if (!images || images.length === 0) return null;
  return <Images images={images} />;
}

function Images({ images }: { images: readonly ImageRef[] }) {
  const Thumbnail = thumbnail.useCode();
  const source = useRunScreen().images;
  return (
    <ul aria-label="Images" className="mt-2 mb-1 flex flex-wrap gap-2">
      {images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an image may be there twice, and none of them moves
        <li key={index} className="max-w-full min-w-0">
          {Thumbnail ? <Thumbnail image={image} source={source} /> : <ForeignText text={imageWords(image)} />}
        </li>
      ))}
    </ul>
  );
}

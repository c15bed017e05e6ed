'use client';

import { X } from 'lucide-react';
import { type DraftImage, draftImageUrl } from '#lib/browser/drafts/draft-images.ts';
import { ForeignName } from '../foreign-name.tsx';

/** The attached images, each with a button to take it away. */
export function AttachedList({
  images,
  onRemove,
}: {
  images: readonly DraftImage[];
  onRemove: (image: DraftImage) => void;
}) {
  return (
    <ul aria-label="Attached images" className="flex flex-wrap gap-2">
      {images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an image may be there twice
        <li key={index} className="flex items-center gap-2 rounded-md border bg-raised p-1">
          {/* biome-ignore lint/performance/noImgElement: nothing is to be optimized in a data URL */}
          <img src={draftImageUrl(image)} alt="" className="h-11 w-auto max-w-24 rounded-sm object-contain" />
          <span className="foreign max-w-40 truncate text-sm">
            <ForeignName text={image.name} max={30} />
          </span>
          <button
            type="button"
            aria-label={`Remove ${image.name}`}
            title="Remove"
            className="grid size-8 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink max-sm:size-11"
            onClick={() => onRemove(image)}
          >
            <X className="size-4" aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}

'use client';

import { ImagePlus, X } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import { type DraftImage, draftImageUrl, IMAGE_TYPES, withFiles } from '#lib/browser/drafts/draft-images.ts';
import { IMAGE_LIMITS } from '#lib/events/limits.ts';
import { Button } from '../button.tsx';
import { ForeignName } from '../foreign-name.tsx';

/** Images of a form: chosen, pasted into a text or dropped onto it. */
export interface ImageInput {
  images: readonly DraftImage[];
  onChange: (images: readonly DraftImage[]) => void;
  problem: string | undefined;
  /** Whether files are held over the drop target. */
  over: boolean;
  add: (files: readonly File[]) => void;
  handlers: {
    onPaste: (event: ClipboardEvent) => void;
    onDragOver: (event: DragEvent) => void;
    onDragLeave: () => void;
    onDrop: (event: DragEvent) => void;
  };
}

/** @param images those that are attached @param onChange takes the new list */
export function useImageInput(
  images: readonly DraftImage[],
  onChange: (images: readonly DraftImage[]) => void,
): ImageInput {
  const [problem, setProblem] = useState<string>();
  const [over, setOver] = useState(false);
  const latest = useRef(images);
  latest.current = images;
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    void withFiles(latest.current, files).then((added) => {
      setProblem(added.problem);
      onChange(added.images);
    });
  };
  return {
    images,
    onChange: (changed) => {
      setProblem(undefined);
      onChange(changed);
    },
    problem,
    over,
    add,
    handlers: {
      onPaste: (event) => {
        const files = [...event.clipboardData.files];
        if (files.length === 0) return;
        // Text that comes with a picture, such as its address, is not wanted then.
        event.preventDefault();
        add(files);
      },
      onDragOver: (event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event) => {
        setOver(false);
        const files = [...event.dataTransfer.files];
        if (files.length === 0) return;
        event.preventDefault();
        add(files);
      },
    },
  };
}

/** The button that opens the file dialog. */
export function AddImages({ input, compact = false }: { input: ImageInput; compact?: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  const full = input.images.length >= IMAGE_LIMITS.max_attached;
  return (
    <>
      <input
        ref={field}
        type="file"
        accept={IMAGE_TYPES}
        multiple
        aria-label="Image files"
        tabIndex={-1}
        className="sr-only"
        onChange={({ currentTarget }) => {
          input.add([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <Button
        size={compact ? 'md' : 'sm'}
        className={compact ? 'px-2.5 max-sm:h-11 max-sm:w-11' : undefined}
        disabled={full}
        aria-label={compact ? 'Add images' : undefined}
        title={full ? `At most ${IMAGE_LIMITS.max_attached} images` : 'Add images'}
        onClick={() => field.current?.click()}
      >
        <ImagePlus className="size-4" aria-hidden="true" />
        {!compact && 'Add images'}
      </Button>
    </>
  );
}

/** The attached images, each with a button to take it away, and what is wrong with the last files. */
export function AttachedImages({ input }: { input: ImageInput }) {
  const { images, problem } = input;
  return (
    <>
      {images.length > 0 && (
        <ul aria-label="Attached images" className="flex flex-wrap gap-2">
          {images.map((image, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an image may be there twice
            <li key={index} className="flex items-center gap-2 rounded-md border bg-raised p-1">
              {/* biome-ignore lint/performance/noImgElement: nothing is to be optimized in a data URL */}
              <img
                src={draftImageUrl(image)}
                alt=""
                className="h-11 w-auto max-w-24 rounded-sm object-contain"
              />
              <span className="foreign max-w-40 truncate text-sm">
                <ForeignName text={image.name} max={30} />
              </span>
              <button
                type="button"
                aria-label={`Remove ${image.name}`}
                title="Remove"
                className="grid size-8 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink max-sm:size-11"
                onClick={() => input.onChange(images.filter((_, at) => at !== index))}
              >
                <X className="size-4" aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <p role="alert" className="foreign text-xs text-fail">
          {problem}
        </p>
      )}
    </>
  );
}

'use client';

import { ImagePlus } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import type { DraftImage } from '#lib/browser/drafts/draft-images.ts';
import { IMAGE_LIMITS } from '#lib/events/limits.ts';
import { lazyComponent } from '../../hooks/lazy-component.tsx';
import { useLatest } from '../../hooks/use-latest.ts';
import { Button } from '../button.tsx';

/** The file types that a file dialog offers. */
const IMAGE_TYPES = 'image/png,image/jpeg,image/webp,image/gif';

const AttachedList = lazyComponent(async () => (await import('./attached-images.tsx')).AttachedList);

/** Images of a form: chosen, pasted into a text or dropped onto it. */
export interface ImageInput {
  images: readonly DraftImage[];
  /** Takes images away, which are identified by their objects. */
  remove: (images: readonly DraftImage[]) => void;
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
  const latest = useLatest(images);
  const change = (changed: readonly DraftImage[]) => {
    latest.current = changed;
    onChange(changed);
  };
  /** Files are read one after another, because each counts towards the limits of the next. */
  const reading = useRef<Promise<void>>(Promise.resolve());
  const read = async (files: readonly File[]) => {
    try {
      const { withFiles } = await import('#lib/browser/drafts/draft-images.ts');
      const before = latest.current;
      const { images: all, problem: found } = await withFiles(before, files);
      setProblem(found);
      // Some of the others may have been removed or sent in the meantime.
      change([...latest.current, ...all.filter((image) => !before.includes(image))]);
    } catch {
      setProblem('The images cannot be read. Try again.');
    }
  };
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    reading.current = reading.current.then(() => read(files));
  };
  return {
    images,
    remove: (gone) => {
      setProblem(undefined);
      change(latest.current.filter((image) => !gone.includes(image)));
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
  const name = compact ? 'Add images' : undefined;
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
        aria-label={name}
        title={full ? `At most ${IMAGE_LIMITS.max_attached} images` : name}
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
      {images.length > 0 && <AttachedList images={images} onRemove={(image) => input.remove([image])} />}
      {problem && (
        <p role="alert" className="foreign text-xs text-fail">
          {problem}
        </p>
      )}
    </>
  );
}

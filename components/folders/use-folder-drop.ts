import { type DragEvent, useState } from 'react';
import { isWholePath, pastedPath } from '#lib/browser/drafts/folder-path.ts';
import { say } from '#lib/browser/say.ts';

/** What was dropped: a path, or a folder of which the browser reveals only the name. */
type Dropped = { path: string } | { name: string };

/** Takes a folder, or the text of a path, that is dropped onto an element. Other texts are left to the browser. */
export function useFolderDrop(onDrop: (dropped: Dropped) => void) {
  const [over, setOver] = useState(false);
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        const dropped = droppedFolder(event.dataTransfer);
        // Otherwise the browser would leave the page to show a file.
        if (dropped || hasFiles(event)) event.preventDefault();
        if (dropped) onDrop(dropped);
        else if (hasFiles(event)) say('That is a file. Drop the folder that contains it.');
      },
    },
  };
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer.types.includes('Files');
}

function droppedFolder(data: DataTransfer): Dropped | undefined {
  const texts = ['text/uri-list', 'text/plain'].map((type) => data.getData(type).trim());
  const path = texts
    .filter((text) => !/[\r\n]/.test(text))
    .map(pastedPath)
    .find(isWholePath);
  if (path !== undefined) return { path };
  const entry = data.items[0]?.webkitGetAsEntry();
  return entry?.isDirectory ? { name: entry.name } : undefined;
}

import { ForeignName } from '../ui/foreign-name.tsx';

/** Explains why the folder of an imported run is not filled in: its file may name any folder. */
export function NamedFolderNote({ folder }: { folder: string }) {
  return (
    <p className="max-w-read text-sm text-ink-3">
      The imported file names the folder{' '}
      <code className="foreign text-ink-2">
        <ForeignName text={folder} isPath />
      </code>
      . It is not filled in. To use it, enter the path of an existing folder.
    </p>
  );
}

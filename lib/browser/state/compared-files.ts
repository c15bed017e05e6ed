import type { ComparedRun } from '../../api/comparison.ts';

type WrittenFile = ComparedRun['files'][number];

/** A file that at least one of the compared runs changed. */
export interface ComparedFile {
  readonly path: string;
  /** In the order of the runs; `undefined` for a run that did not change it. */
  readonly versions: readonly (WrittenFile | undefined)[];
}

/** The files that the runs changed, sorted by path. Pure. */
export function comparedFiles(runs: readonly Pick<ComparedRun, 'files'>[]): ComparedFile[] {
  const byPath = runs.map(({ files }) => new Map(files.map((file) => [file.path, file])));
  const paths = [...new Set(byPath.flatMap((files) => [...files.keys()]))].sort();
  return paths.map((path) => ({ path, versions: byPath.map((files) => files.get(path)) }));
}

/** A run's change to a file, next to the baseline's change. Pure. */
export function versionWords(
  baseline: WrittenFile | undefined,
  version: WrittenFile | undefined,
): { did: string; isSame: boolean } {
  if (!version) return { did: 'not changed', isSame: baseline === undefined };
  return {
    did: version.before.kind === 'absent' ? 'new' : 'edited',
    isSame: baseline?.digest === version.digest,
  };
}

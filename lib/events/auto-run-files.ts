import type { JsonValue } from '../util/json.ts';

/** A file that other programs run or obey automatically, and the last call that wrote it. */
interface AutoRunFile {
  readonly path: string;
  readonly tool: string;
  /** The event with the result of that call. */
  readonly seq: number;
}

export interface AutoRunFiles {
  /** Each path once, in order of first write. */
  readonly files: readonly AutoRunFile[];
  /** Number of further writes beyond the listed files. */
  readonly more: number;
}

export const noAutoRunFiles: AutoRunFiles = { files: [], more: 0 };

/** Imported runs may list any number of files, and each fold step scans those that are kept. */
const MAX_KEPT = 500;

/** Adds the files listed in a call's result, whether it succeeded or failed. Pure. */
export function withAutoRunFiles(
  { files, more }: AutoRunFiles,
  { result, tool, seq }: { result: { output: JsonValue }; tool: string; seq: number },
): AutoRunFiles {
  const named = namedIn(result.output);
  if (named.paths.length === 0 && named.more === 0) return { files, more };
  const byPath = new Map(files.map((file) => [file.path, file]));
  let left = more + named.more;
  for (const path of named.paths) {
    if (byPath.has(path) || byPath.size < MAX_KEPT) byPath.set(path, { path, tool, seq });
    else left += 1;
  }
  return { files: [...byPath.values()], more: left };
}

function namedIn(output: JsonValue): { paths: string[]; more: number } {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return { paths: [], more: 0 };
  const { auto_run_files: named, auto_run_files_left_out: left } = output;
  return {
    paths: Array.isArray(named) ? named.filter((path) => typeof path === 'string') : [],
    more: typeof left === 'number' && Number.isSafeInteger(left) && left > 0 ? left : 0,
  };
}

/** The files listed at the end of a run, and how many more there are. */
export function namedAutoRunFiles({ files, more }: AutoRunFiles, limit: number): AutoRunFiles {
  return { files: files.slice(0, limit), more: more + Math.max(0, files.length - limit) };
}

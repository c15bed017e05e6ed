import { isMap, LineCounter, parseDocument } from 'yaml';

/** One anchor may be used about this often; aliases within aliases multiply. */
const MAX_ALIASES = 1000;

export const TOO_DEEP = 'The values are nested too deeply.';

/** A value of a file, or what is wrong with the file, with the line, counted from 1, where that is known. */
export type ReadYaml =
  | {
      value: unknown;
      /** The line of the value at a path, or of what it is missing in. */
      lineOf(path: readonly PropertyKey[]): number | undefined;
    }
  | { problem: { reason: string; line?: number } };

/** Reads YAML 1.2, of which JSON is a part. A byte order mark is ignored. */
export function readYaml(text: string): ReadYaml {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\u{feff}/u, ''), {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    merge: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) return { problem: { reason: reasonOf(problem), line: lineAt(problem.pos[0]) } };
  const lineOf = (path: readonly PropertyKey[]): number | undefined => {
    // A missing field gets the line of its parent.
    for (let length = path.length; length > 0; length -= 1) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      const offset = startOf(node);
      if (offset !== undefined) return lineAt(offset);
    }
    return document.range ? lineAt(document.contents?.range?.[0] ?? 0) : undefined;
  };
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), lineOf };
  } catch (error) {
    return { problem: { reason: reasonOf(error) } };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  const [reason = ''] = error.message.split('\n', 1);
  // The library reports its own exhausted stack as an error of the document.
  if (error instanceof RangeError || /call stack/.test(reason)) return TOO_DEEP;
  if (error instanceof ReferenceError) return `Too many aliases: ${reason.slice(0, 200)}`;
  return reason.slice(0, 200);
}

/** Where a node begins: in a map, at its first key. */
function startOf(node: unknown): number | undefined {
  const first = isMap(node) ? node.items[0]?.key : undefined;
  const shown = first ?? node;
  if (typeof shown !== 'object' || shown === null || !('range' in shown)) return undefined;
  return Array.isArray(shown.range) ? Number(shown.range[0]) : undefined;
}

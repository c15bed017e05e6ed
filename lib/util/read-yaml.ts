import { isMap, LineCounter, parseDocument } from 'yaml';

/**
 * Parses YAML 1.2, of which JSON is a part, without throwing: problems are in `document.errors` and `document.warnings`.
 *
 * @returns the document; the line of an offset; the line of the value at a path, or of what it is missing in. Lines are
 *   counted from 1.
 */
export function readYaml(text: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    merge: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const lineOf = (path: readonly PropertyKey[]): number | undefined => {
    // What is missing has the line of what it is missing in.
    for (let length = path.length; length > 0; length -= 1) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      const offset = startOf(node);
      if (offset !== undefined) return lineAt(offset);
    }
    return document.range ? lineAt(document.contents?.range?.[0] ?? 0) : undefined;
  };
  return { document, lineAt, lineOf };
}

/** Where a node begins: in a map, at its first key. */
function startOf(node: unknown): number | undefined {
  const first = isMap(node) ? node.items[0]?.key : undefined;
  const shown = first ?? node;
  if (typeof shown !== 'object' || shown === null || !('range' in shown)) return undefined;
  return Array.isArray(shown.range) ? Number(shown.range[0]) : undefined;
}

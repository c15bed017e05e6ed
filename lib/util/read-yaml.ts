import { Composer, type CST, type Document, isMap, isScalar, Lexer, LineCounter, Parser, visit } from 'yaml';

/** One anchor may be used about this often; aliases within aliases multiply. */
const MAX_ALIASES = 1000;

/** Open collections at once; the stack would end at some thousands, after seconds for a file of brackets. */
const MAX_DEPTH = 1000;

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
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const parsed = parse(text.replace(/^\u{feff}/u, ''), lines);
  if ('tooDeepAt' in parsed) return { problem: { reason: TOO_DEEP, line: lineAt(parsed.tooDeepAt) } };
  const { document } = parsed;
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) return { problem: { reason: reasonOf(problem), line: lineAt(problem.pos[0]) } };
  const repeated = repeatedKey(document);
  if (repeated !== undefined) {
    return { problem: { reason: 'Map keys must be unique.', line: lineAt(repeated) } };
  }
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

/**
 * The first document of a text. As `parseDocument` of the library, which reads a hostile text of a megabyte for seconds to
 * minutes: this stops at the first error and where the nesting is too deep, and leaves the keys, each of which the library
 * compares with all others, to `repeatedKey`.
 */
function parse(text: string, lines: LineCounter): { document: Document.Parsed } | { tooDeepAt: number } {
  const parser = new Parser(lines.addNewLine);
  let tooDeepAt: number | undefined;
  function* tokens(): Generator<CST.Token, void> {
    for (const lexeme of new Lexer().lex(text)) {
      for (const token of parser.next(lexeme)) {
        yield token;
        if (token.type === 'error') return;
      }
      if (parser.stack.length > MAX_DEPTH) {
        tooDeepAt = parser.offset;
        return;
      }
    }
    yield* parser.end();
  }
  lines.addNewLine(0);
  const composer = new Composer({
    ...{ version: '1.2', schema: 'core', merge: false, uniqueKeys: false },
    ...{ prettyErrors: false, logLevel: 'silent' },
  });
  const documents = composer.compose(tokens(), true, text.length);
  const first = documents.next();
  // Errors after it belong to it, too.
  while (!documents.next().done);
  if (tooDeepAt !== undefined || first.done) return { tooDeepAt: tooDeepAt ?? 0 };
  return { document: first.value };
}

/** Where a key begins that its map already has. */
function repeatedKey(document: Document.Parsed): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key;
        if (keys.has(value)) {
          found = startOf(key);
          return visit.BREAK;
        }
        keys.add(value);
      }
      return undefined;
    },
  });
  return found;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  const [line = ''] = error.message.split('\n', 1);
  // Most messages of the library have no full stop.
  const reason = line.slice(0, 200).replace(/\.?$/, '.');
  // The library reports its own exhausted stack as an error of the document.
  if (error instanceof RangeError || /call stack/.test(reason)) return TOO_DEEP;
  if (error instanceof ReferenceError) return `Too many aliases: ${reason}`;
  return reason;
}

/** Where a node begins: in a map, at its first key. */
function startOf(node: unknown): number | undefined {
  const first = isMap(node) ? node.items[0]?.key : undefined;
  const shown = first ?? node;
  if (typeof shown !== 'object' || shown === null || !('range' in shown)) return undefined;
  return Array.isArray(shown.range) ? Number(shown.range[0]) : undefined;
}

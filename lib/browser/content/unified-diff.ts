import type { DiffLine } from './compare-files.ts';

/** The header of a hunk, with its first line in both versions: `@@ -12,3 +14,4 @@`. */
const HUNK = /^@@+ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@/;

/**
 * The lines of a diff in the format of `git diff` and `diff -u`, numbered by its headers. Text between the hunks is
 * kept as `header`. Linear in the text.
 */
export function unifiedDiffLines(text: string): DiffLine[] {
  let before: number | undefined;
  let after: number | undefined;
  const all = text.endsWith('\n') ? text.slice(0, -1) : text;
  return all.split('\n').map((line): DiffLine => {
    const hunk = HUNK.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      return { kind: 'header', text: line };
    }
    if (before === undefined || after === undefined) return { kind: 'header', text: line };
    switch (line[0]) {
      case '+':
        return { kind: 'added', text: line.slice(1), after: after++ };
      case '-':
        return { kind: 'removed', text: line.slice(1), before: before++ };
      case ' ':
        return { kind: 'same', text: line.slice(1), before: before++, after: after++ };
      case '\\':
        return { kind: 'header', text: line };
      default:
        // The next file, or text after the diff; an empty line is what is left of a blank where something trimmed the text.
        if (line === '') return { kind: 'same', text: '', before: before++, after: after++ };
        before = undefined;
        after = undefined;
        return { kind: 'header', text: line };
    }
  });
}

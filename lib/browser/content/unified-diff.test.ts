import { expect, it } from 'vitest';
import { unifiedDiffLines } from './unified-diff.ts';

it('numbers the lines of a git diff, and keeps its headers', () => {
  const text = [
    'diff --git a/x b/x',
    'index 1..2 100644',
    '--- a/x',
    '+++ b/x',
    '@@ -10,3 +20,3 @@ function f()',
    ' same',
    '-old',
    '+new',
    '\\ No newline at end of file',
    'diff --git a/y b/y',
    'deleted file mode 100644',
    '',
  ].join('\n');
  expect(unifiedDiffLines(text)).toEqual([
    { kind: 'header', text: 'diff --git a/x b/x' },
    { kind: 'header', text: 'index 1..2 100644' },
    { kind: 'header', text: '--- a/x' },
    { kind: 'header', text: '+++ b/x' },
    { kind: 'header', text: '@@ -10,3 +20,3 @@ function f()' },
    { kind: 'same', text: 'same', before: 10, after: 20 },
    { kind: 'removed', text: 'old', before: 11 },
    { kind: 'added', text: 'new', after: 21 },
    { kind: 'header', text: '\\ No newline at end of file' },
    { kind: 'header', text: 'diff --git a/y b/y' },
    { kind: 'header', text: 'deleted file mode 100644' },
  ]);
});

it('recognizes removed lines that begin with dashes', () => {
  const [, removed] = unifiedDiffLines('@@ -1 +1 @@\n--- a comment in SQL\n');
  expect(removed).toEqual({ kind: 'removed', text: '-- a comment in SQL', before: 1 });
});

import { describe, expect, it } from 'vitest';
import { cpuMs } from '../testing/cpu-time.ts';
import { claimsCompletion, isPlanOnly } from './plan-only.ts';

/** A text, whether it is a plan before any tool ran, and whether it is one afterwards. */
const table: [string, boolean, boolean][] = [
  ['The task is completed.', false, false],
  ['I have read both files. Now I will write the summary.', true, true],
  ['The file holds three reports.', true, false],
  ['This is not done yet.', true, false],
  ["I haven't finished the summary.", true, false],
  ['The search was abandoned.', true, false],
  ['Done! The summary is in summary.md.', false, false],
  ['Let me look at the files first.', true, true],
  ['The report says 42. Let me know if you need more.', true, false],
  ['Once done, I will report back.', true, true],
  ['First, I read the file. The work will be completed after that.', true, true],
  ['I’ll start by listing the folder.', true, true],
  ['Everything is finished: I wrote a.md. I will be glad to help with more.', false, false],
  ['Step 1: read the file. Step 2: write the summary.', true, true],
  ['', false, false],
];

describe('G13', () => {
  it.each(table)('%s', (text, beforeTools, afterTools) => {
    expect(isPlanOnly(text, { toolsRan: false })).toBe(beforeTools);
    expect(isPlanOnly(text, { toolsRan: true })).toBe(afterTools);
  });

  it.each(['It is complete.', 'COMPLETED', 'All done', 'I have finished.', 'No errors; everything is done.'])(
    'detects a claim in: %s',
    (text) => expect(claimsCompletion(text)).toBe(true),
  );

  it.each([
    'It is not complete.',
    'incomplete',
    'condone',
    'To complete it I need time.',
    'Never done.',
    'Until it is done, wait.',
  ])('detects no claim in: %s', (text) => expect(claimsCompletion(text)).toBe(false));
});

it('runs in linear time', () => {
  for (const text of ['i will not '.repeat(200_000), 'a'.repeat(2_000_000)]) {
    expect(cpuMs(() => isPlanOnly(text, { toolsRan: true }))).toBeLessThan(10_000);
  }
});

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { applyEdits, type EditProblem, readEdits, type TextEdit } from './text-edits.ts';

const edited = (text: string, ...edits: TextEdit[]) => {
  const outcome = applyEdits(text, edits);
  return outcome.ok ? outcome.text : outcome.problem;
};
const replace = (oldText: string, newText: string, more: Partial<TextEdit> = {}): TextEdit => ({
  oldText,
  newText,
  ...more,
});

describe('edits of a text', () => {
  it('replaces exactly the named text, in order', () => {
    expect(edited('one two', replace('two', 'three'), replace('one three', '1 3'))).toBe('1 3');
    expect(edited('a\nb\n', replace('a\n', ''))).toBe('b\n');
    expect(edited('a.b', replace('.', '$&'))).toBe('a$&b');
  });

  it('says where each edit was made in the new text, and how often', () => {
    const outcome = applyEdits('a\nb\nc\nb\n', [
      replace('c', 'C'),
      replace('b', 'x\ny', { replaceAll: true }),
      replace('a\n', ''),
    ]);
    expect(outcome).toEqual({
      ok: true,
      text: 'x\ny\nC\nx\ny\n',
      made: [
        { line: 3, places: 1 },
        { line: 1, places: 2 },
        { line: 1, places: 1 },
      ],
    });
  });

  it('needs a text that is there once, all places, or a line', () => {
    const text = 'x = 1\ny\nx = 1\n';
    expect(edited(text, replace('x = 1', 'x = 2'))).toEqual({
      ...{ kind: 'ambiguous', index: 0, lines: [1, 3], more: false, count: 2, tie: false },
    });
    expect(edited(text, replace('x = 1', 'x = 2', { replaceAll: true }))).toBe('x = 2\ny\nx = 2\n');
    expect(edited(text, replace('x = 1', 'x = 2', { line: 3 }))).toBe('x = 1\ny\nx = 2\n');
    expect(edited(text, replace('x = 1', 'x = 2', { line: 99 }))).toBe('x = 1\ny\nx = 2\n');
    expect(edited(text, replace('x = 1', 'x = 2', { line: 2 }))).toMatchObject({ tie: true, lines: [1, 3] });
    expect(edited(text, replace('y', 'z', { line: 99 }))).toBe('x = 1\nz\nx = 1\n');
  });

  it('counts lines in the text before all edits', () => {
    const text = 'top\nx\nmiddle\nx\n';
    const longer = replace('top', 'top\n1\n2\n3\n4\n5');
    expect(edited(text, longer, replace('x', 'y', { line: 4 }))).toBe('top\n1\n2\n3\n4\n5\nx\nmiddle\ny\n');
    expect(edited(text, longer, replace('x', 'y', { line: 2 }))).toBe('top\n1\n2\n3\n4\n5\ny\nmiddle\nx\n');
  });

  it('refuses edits that mean nothing or cannot be made', () => {
    const kindOf = (text: string, ...edits: TextEdit[]) => (edited(text, ...edits) as EditProblem).kind;
    expect(kindOf('a', replace('', 'b'))).toBe('empty');
    expect(kindOf('a', replace('a', 'a'))).toBe('identical');
    expect(kindOf('🙂', replace('\ud83d', 'x'))).toBe('broken_unicode');
    expect(kindOf('a', replace('a', 'b', { line: 1, replaceAll: true }))).toBe('line_and_all');
    expect(kindOf('aaa', replace('aa', 'b', { replaceAll: true }))).toBe('overlapping');
    expect(kindOf('a', replace('b', 'c'))).toBe('not_found');
    expect(kindOf('a b', replace('a b', 'c'), replace('b', 'd'))).toBe('replaced_before');
    expect(kindOf('a'.repeat(1000), replace('a', 'b'.repeat(10_000), { replaceAll: true }))).toBe('too_long');
  });

  it('keeps CRLF in a text whose lines all end so, and changes nothing else', () => {
    expect(edited('one\r\ntwo\r\n', replace('one\ntwo', '1\n2\n3'))).toBe('1\r\n2\r\n3\r\n');
    expect(edited('one\r\ntwo\r\n', replace('one\r\ntwo', '1\r\n2'))).toBe('1\r\n2\r\n');
    expect(edited('\ufeffone\r\ntwo\n', replace('two', 'a\nb'))).toBe('\ufeffone\r\na\nb\n');
  });

  it('compares characters one by one only where the text may be', () => {
    const text = Array.from({ length: 500 }, (_, index) => `const value${index} = 1;\n`).join('');
    const compared = vi.spyOn(String.prototype, 'charCodeAt');
    const edits = Array.from({ length: 50 }, (_, index) => replace(`value${index} = 1`, `x${index}`));
    expect(applyEdits(text, edits).ok).toBe(true);
    expect(compared.mock.calls.length).toBeLessThan(text.length);
    compared.mockRestore();
  });

  it('finds text in linear time: comparing at each place would take hours here', () => {
    const text = `${'a'.repeat(2_000_000)}b`;
    expect(edited(text, replace(`${'a'.repeat(1_000_000)}c`, 'x'))).toMatchObject({ kind: 'not_found' });
    expect(edited(text, replace(`c${'a'.repeat(1_000_000)}`, 'x'))).toMatchObject({ kind: 'not_found' });
  });
});

/** Every place by comparing at each offset, and the rules spelled out. Without `line`. */
function reference(before: string, edits: readonly TextEdit[]): string | undefined {
  let text = before;
  for (const { oldText, newText, replaceAll } of edits) {
    if (oldText === '' || oldText === newText) return undefined;
    const at = [...text].flatMap((_, index) => (text.startsWith(oldText, index) ? [index] : []));
    if (at.length === 0) return undefined;
    if (replaceAll) {
      if (at.some((each, index) => index > 0 && each - (at[index - 1] ?? 0) < oldText.length))
        return undefined;
      text = text.split(oldText).join(newText);
    } else {
      // Occurrences that overlap the previous one do not count.
      if (text.split(oldText).length !== 2) return undefined;
      text = text.slice(0, at[0]) + newText + text.slice((at[0] ?? 0) + oldText.length);
    }
  }
  return text;
}

const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 4 });
const edit = fc.record({ oldText: piece, newText: piece, replaceAll: fc.boolean() });

it('makes the same text as a plain implementation, or none where that makes none', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), maxLength: 20 }),
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      (before, edits) => {
        const outcome = applyEdits(before, edits);
        expect(outcome.ok ? outcome.text : undefined).toBe(reference(before, edits));
      },
    ),
    { numRuns: 2000 },
  );
});

it('replaces the place nearest to a line, and only that', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('x', 'y'), { minLength: 1, maxLength: 12 }),
      fc.nat(14),
      (lines, line) => {
        const outcome = applyEdits(lines.join('\n'), [replace('x', 'z', { line })]);
        const places = lines.flatMap((each, index) => (each === 'x' ? [index] : []));
        const least = Math.min(...places.map((place) => Math.abs(place + 1 - line)));
        const near = places.filter((place) => Math.abs(place + 1 - line) === least);
        const expected = lines.map((each, index) => (index === near[0] ? 'z' : each)).join('\n');
        expect(outcome.ok ? outcome.text : undefined).toBe(near.length === 1 ? expected : undefined);
      },
    ),
  );
});

it('reads only a list of edits', () => {
  expect(readEdits([{ old_text: 'a', new_text: 'b', replace_all: null, line: null }])).toEqual([
    replace('a', 'b'),
  ]);
  expect(readEdits([{ old_text: 'a', new_text: 'b', replace_all: true, line: 3 }])).toEqual([
    replace('a', 'b', { replaceAll: true, line: 3 }),
  ]);
  for (const other of [undefined, [], 'a', [{ old_text: 'a' }], [null], [[]]])
    expect(readEdits(other)).toBeUndefined();
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inertJson, mayHaveFormulas, playerDocument, playerPolicy } from './player-document.ts';

const assets = {
  script: 'show()',
  formulas: 'draw()',
  style: 'body{}',
  scriptHash: 'sha256-AAAA',
  formulasHash: 'sha256-CCCC',
  styleHash: 'sha256-BBBB',
};

/** Hostile text from a model: pieces that would close elements or break lines, mixed with anything else. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '</script>',
        '<!--',
        '-->',
        '<script',
        ']]>',
        '\u2028',
        '\u2029',
        '&lt;',
        '\\',
        '"',
        '\0',
      ),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((pieces) => pieces.join(''));

it('no text of a run closes the element that contains its log, and every text survives unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(hostile, fc.array(hostile)), (value) => {
      const json = inertJson(value);
      expect(json).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('no title closes its element', () => {
  fc.assert(
    fc.property(hostile, (title) => {
      const { head } = playerDocument({ assets, title });
      const [, written = ''] = /<title>(.*?)<\/title>/s.exec(head) ?? [];
      expect(written).not.toMatch(/[<>]/);
      expect(head.split('<title>')).toHaveLength(2);
    }),
  );
});

it('the page may run its own script and connect to nothing', () => {
  const policy = playerPolicy(assets);
  const { head, tail } = playerDocument({ assets, title: 'A run', policy });
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'sha256-AAAA'");
  expect(policy).toContain("connect-src 'none'");
  expect(policy).not.toContain('unsafe');
  // The policy must precede everything it restricts.
  expect(head.indexOf('Content-Security-Policy')).toBeLessThan(head.indexOf('<style>'));
  expect(`${head}${tail({ formulas: true })}`).not.toMatch(/\b(?:src|href)="(?!data:)/);
});

it('a page contains the code for formulas only if its run may have some', () => {
  const { tail } = playerDocument({ assets, title: 'A run' });
  expect(tail({ formulas: true })).toContain('<script>draw()</script>');
  expect(tail({ formulas: false })).not.toContain('draw()');
  for (const text of ['so $x^2$', '$$\na\n$$', '\\(x\\)', '\\[x\\]']) {
    expect(mayHaveFormulas(inertJson({ text })), text).toBe(true);
  }
  for (const text of ['plain', 'costs 5 $', 'a (b) [c]'])
    expect(mayHaveFormulas(inertJson({ text })), text).toBe(false);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inertJson, playerDocument, playerPolicy } from './player-document.ts';

const assets = {
  script: 'show()',
  style: 'body{}',
  scriptHash: 'sha256-AAAA',
  styleHash: 'sha256-BBBB',
};

/** Texts as a hostile model writes them: pieces that end elements and lines, between anything else. */
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

it('issue 8: no text of a run ends the element its log stands in, and every text comes back as it was', () => {
  fc.assert(
    fc.property(fc.dictionary(hostile, fc.array(hostile)), (value) => {
      const json = inertJson(value);
      expect(json).not.toMatch(/[<>&\u2028\u2029]/);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('issue 8: no title ends the element it stands in', () => {
  fc.assert(
    fc.property(hostile, (title) => {
      const { head } = playerDocument({ assets, title });
      const [, written = ''] = /<title>(.*?)<\/title>/s.exec(head) ?? [];
      expect(written).not.toMatch(/[<>]/);
      expect(head.split('<title>')).toHaveLength(2);
    }),
  );
});

it('issue 8: the page may run its own script and ask nobody', () => {
  const policy = playerPolicy(assets);
  const { head, tail } = playerDocument({ assets, title: 'A run', policy });
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'sha256-AAAA'");
  expect(policy).toContain("connect-src 'none'");
  expect(policy).not.toContain('unsafe');
  // Before anything that could be refused by it.
  expect(head.indexOf('Content-Security-Policy')).toBeLessThan(head.indexOf('<style>'));
  expect(`${head}${tail}`).not.toMatch(/\b(?:src|href)="(?!data:)/);
});

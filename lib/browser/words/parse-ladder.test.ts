import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../events/registry.ts';
import {
  formatWords,
  ladderOf,
  type Mark,
  markedText,
  marksOf,
  readingWords,
  refusalWords,
} from './parse-ladder.ts';

type Call = EventOf<'reply.parsed'>['calls'][number];

const call = (layer: Call['layer'], span?: Call['span']): Call => ({
  call_id: 'c1',
  name: 'read_file',
  arguments: {},
  layer,
  format: layer,
  span,
});

describe('the parse ladder [P2, P17]', () => {
  it('has all three rungs, and says which one won', () => {
    const rungs = ladderOf({
      attempts: [
        { layer: 'native', found: 0 },
        { layer: 'json', found: 0 },
        { layer: 'json', format: 'fenced', found: 0 },
        { layer: 'xml', found: 1 },
        { layer: 'xml', format: 'hermes', found: 1 },
      ],
      calls: [call('xml')],
    });
    expect(rungs.map(({ layer, state }) => [layer, state])).toEqual([
      ['native', 'nothing'],
      ['json', 'nothing'],
      ['xml', 'won'],
    ]);
    expect(rungs[1]?.formats).toEqual([{ format: 'fenced', found: 0 }]);
  });

  it('distinguishes a layer that was not needed from one that is switched off', () => {
    const needless = ladderOf({ attempts: [{ layer: 'native', found: 1 }], calls: [call('native')] });
    expect(needless.map(({ state }) => state)).toEqual(['won', 'skipped', 'skipped']);
    const off = ladderOf({ attempts: [{ layer: 'native', found: 0 }], calls: [] });
    expect(off.map(({ state }) => state)).toEqual(['nothing', 'off', 'off']);
  });
});

describe('the marks in a reply', () => {
  const mark = (start: number, end: number): Mark => ({ kind: 'call', label: 'c1', start, end });

  it('come from the calls and refusals of the named text, in reading order', () => {
    const marks = marksOf(
      {
        calls: [call('json', { in: 'content', start: 20, end: 30 })],
        refusals: [
          { reason: 'cut', raw: '', message: '', span: { in: 'content', start: 4, end: 9 } },
          { reason: 'inside-thinking', raw: '', message: '', span: { in: 'thinking', start: 0, end: 3 } },
        ],
      },
      'content',
    );
    expect(marks.map(({ kind, label, start }) => [kind, label, start])).toEqual([
      ['refusal', 'cut', 4],
      ['call', 'c1', 20],
    ]);
  });

  it('cut the text without losing a character', () => {
    const text = 'Well 😀 {"a":1} and on';
    const pieces = markedText(text, [mark(8, 15)]);
    expect(pieces.map((piece) => piece.text)).toEqual(['Well 😀 ', '{"a":1}', ' and on']);
    expect(pieces.map((piece) => piece.mark?.label)).toEqual([undefined, 'c1', undefined]);
  });

  it('are left out inside another and beyond the text', () => {
    const pieces = markedText('0123456789', [mark(2, 6), mark(3, 5), mark(8, 40), mark(20, 30)]);
    expect(pieces.map(({ text, mark: found }) => [text, found !== undefined])).toEqual([
      ['01', false],
      ['2345', true],
      ['67', false],
      ['89', true],
    ]);
  });
});

describe('the count of a run', () => {
  const none = { native: 0, json: 0, xml: 0, repaired: 0, refused: 0, malformed: 0 };

  it('names exactly the elements that are present [P17]', () => {
    expect(readingWords({ ...none, native: 12, json: 4, xml: 1, repaired: 2 })).toBe(
      '17 calls: 12 native, 4 JSON in text, 1 XML in text · 2 repaired',
    );
    expect(readingWords({ ...none, xml: 1 })).toBe('1 call: 1 XML in text');
    expect(readingWords({ ...none, malformed: 2 })).toBe('0 calls · 2 unreadable');
    expect(readingWords({ ...none, native: 3, refused: 1, malformed: 2 })).toBe(
      '3 calls: 3 native · 1 refused · 2 unreadable',
    );
    expect(readingWords(none)).toBeUndefined();
  });

  it('leaves out the number of calls where it is shown already', () => {
    expect(formatWords({ ...none, native: 5, json: 1, repaired: 2 })).toBe(
      '5 native, 1 JSON in text · 2 repaired',
    );
    expect(formatWords({ ...none, malformed: 2 })).toBe('2 unreadable');
    expect(formatWords(none)).toBeUndefined();
  });

  it('describes a refusal, and keeps unknown reasons', () => {
    expect(refusalWords('name-not-offered')).toBe('no such tool');
    expect(refusalWords('something-new')).toBe('something-new');
  });
});

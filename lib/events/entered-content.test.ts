import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { presetContent } from '../testing/preset-content.ts';
import { contentProblems, MAX_ENTERED_CHARS } from './entered-content.ts';
import type { AskedField, EnteredValue } from './mcp-request.ts';

const field = (more: Partial<AskedField>): AskedField => ({
  name: 'it',
  kind: 'text',
  required: false,
  ...more,
});
const problem = (more: Partial<AskedField>, value: EnteredValue) =>
  contentProblems([field(more)], { it: value }).it;
const options = ['a', 'b', 'c'].map((value) => ({ value, label: value }));

describe('what a person enters in the form of a server', () => {
  it.each<[Partial<AskedField>, EnteredValue]>([
    [{ kind: 'text' }, ''],
    [{ kind: 'text', min: 2, max: 2 }, '🙂🙂'],
    [{ kind: 'text', format: 'email' }, 'ada@example.org'],
    [{ kind: 'text', format: 'uri' }, 'https://example.org/a?b'],
    [{ kind: 'text', format: 'date' }, '2026-01-31'],
    [{ kind: 'text', format: 'date-time' }, '2026-01-31T12:00:00+01:00'],
    [{ kind: 'number', min: 0, max: 1 }, 0.5],
    [{ kind: 'integer', min: -3 }, -3],
    [{ kind: 'switch' }, false],
    [{ kind: 'choice', options }, 'b'],
    [{ kind: 'choices', options, min: 1, max: 2 }, ['c', 'a']],
  ])('accepts for %o: %j', (more, value) => {
    expect(problem(more, value)).toBeUndefined();
  });

  it.each<[Partial<AskedField>, EnteredValue, RegExp]>([
    [{ kind: 'text' }, 1, /a text/],
    [{ kind: 'text' }, 'x'.repeat(MAX_ENTERED_CHARS + 1), /at most 4,000 characters\.$/],
    [{ kind: 'text', min: 3 }, 'ab', /at least 3 characters/],
    [{ kind: 'text', max: 1 }, 'ab', /at most 1 character\.$/],
    [{ kind: 'text', format: 'email' }, 'ada', /e-mail/],
    [{ kind: 'text', format: 'uri' }, 'example', /address/],
    [{ kind: 'text', format: 'date' }, '31.1.2026', /date/],
    [{ kind: 'text', format: 'date-time' }, '2026-01-31', /date and time/],
    [{ kind: 'number' }, '1', /a number/],
    [{ kind: 'number' }, Number.NaN, /a number/],
    [{ kind: 'integer' }, 1.5, /whole number/],
    [{ kind: 'integer', min: 1 }, 0, /at least 1/],
    [{ kind: 'integer', max: 1 }, 2, /at most 1/],
    [{ kind: 'switch' }, 'true', /yes or no/],
    [{ kind: 'choice', options }, 'd', /one of the options/],
    [{ kind: 'choices', options }, 'a', /the options/],
    [{ kind: 'choices', options }, ['a', 'a'], /the options/],
    [{ kind: 'choices', options, min: 2 }, ['a'], /at least 2/],
    [{ kind: 'choices', options, max: 1 }, ['a', 'b'], /at most 1/],
  ])('refuses for %o: %j', (more, value, words) => {
    expect(problem(more, value)).toMatch(words);
  });

  it('must have all required fields, and no unknown ones', () => {
    expect(contentProblems([field({ required: true })], { other: 1 })).toEqual({
      it: 'Enter a value.',
      other: 'The server did not ask for this.',
    });
    expect(contentProblems([field({})], {})).toEqual({});
  });

  it('is judged the same for any value, and never by inherited properties', () => {
    const value = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.array(fc.string()));
    const name = fc.oneof(fc.string(), fc.constantFrom('constructor', 'toString', 'hasOwnProperty'));
    fc.assert(
      fc.property(name, value, (key, entered) => {
        const asked = field({ name: key, kind: 'integer', required: true });
        const isFine = typeof entered === 'number' && Number.isInteger(entered);
        const content = Object.fromEntries([[key, entered]]);
        expect(Object.keys(contentProblems([asked], content))).toEqual(isFine ? [] : [key]);
        expect(Object.keys(contentProblems([asked], {}))).toEqual([key]);
      }),
    );
  });

  it('starts with the values that the server suggests', () => {
    expect(presetContent([field({ preset: 'x' }), field({ name: 'other' })])).toEqual({ it: 'x' });
  });
});

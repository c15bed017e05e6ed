import { expect, it } from 'vitest';
import { escapeControls } from './escape-controls.ts';

const HOSTILE = 'a\u001b[2J\nb\u009b1mc\u202ed\u{e0041}\u2028e\tf';

it('escapes line breaks and terminal control characters', () => {
  expect(escapeControls(HOSTILE)).toBe('a\\u001b[2J\\nb\\u009b1mc\\u202ed\\udb40\\udc41\\u2028e\\tf');
  expect(escapeControls('plain äöü 漢字 🙂')).toBe('plain äöü 漢字 🙂');
});

it('keeps the meaning of JSON', () => {
  const line = escapeControls(JSON.stringify({ text: HOSTILE }));
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(JSON.parse(line)).toEqual({ text: HOSTILE });
});

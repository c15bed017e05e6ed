import type { Tone } from '#lib/browser/words/end-words.ts';

export const toneText: Record<Tone, string> = {
  ok: 'text-ok',
  warn: 'text-warn',
  fail: 'text-fail',
  calm: 'text-ink-2',
  live: 'text-brass',
};

export const toneWash: Record<Tone, string> = {
  ok: 'bg-ok-wash text-ok',
  warn: 'bg-warn-wash text-warn',
  fail: 'bg-fail-wash text-fail',
  calm: 'bg-sunken text-ink-2',
  live: 'bg-brass-wash text-brass',
};

export const toneDot: Record<Tone, string> = {
  ok: 'bg-ok',
  warn: 'bg-warn',
  fail: 'bg-fail',
  calm: 'bg-ink-3',
  live: 'bg-brass-fill breathe',
};

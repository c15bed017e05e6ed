import type { Tone } from './end-words.ts';

/** Colors that are visible on light and dark tab bars alike. */
const COLORS: Record<Tone, string> = {
  live: '#d99a2b',
  ok: '#2f8f57',
  warn: '#d2691e',
  fail: '#cf3a33',
  calm: '#8b8378',
};

/** The program's mark with its dot in the color of a state, as an address for the tab's icon. */
export function stateIcon(tone: Tone): string {
  const ring = tone === 'live' ? '#d99a2b' : '#8b8378';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="none" stroke="${ring}" stroke-linecap="round"><circle cx="16" cy="16" r="12.5" stroke-width="2.5"/></g><circle cx="16" cy="16" r="7" fill="${COLORS[tone]}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

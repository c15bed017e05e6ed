import { formatNumber } from './numbers.ts';

/** A span of time in a sentence or a file: `< 1 ms`, `840 ms`, `4.2 s`, `1 min 33 s`. */
export function durationWords(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 1) return '< 1 ms';
  if (span < 999.5) return `${Math.round(span)} ms`;
  if (span < 59_950) return `${(span / 1000).toFixed(1)} s`;
  const seconds = Math.round(span / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A limit that was set, as it was set: `120 s`, `1,200 s`, `0.5 s`. */
export function secondsWords(ms: number): string {
  return `${formatNumber(ms / 1000)} s`;
}

/** A limit in minutes if they are whole, otherwise in seconds: `10 min`, `90 s`. */
export function limitWords(ms: number): string {
  return ms >= 60_000 && ms % 60_000 === 0 ? `${formatNumber(ms / 60_000)} min` : secondsWords(ms);
}

/** The longest delay of a timer; a longer one fires immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

import { formatCount, formatNumber, plural } from '../../util/numbers.ts';

export { formatCount, formatPercent, plural } from '../../util/numbers.ts';

/** A short count for tight places: `950`, `12.3k`, `1.2M`. */
export function formatShortCount(count: number): string {
  if (count < 1000) return formatCount(count);
  if (count < 999_950) return `${upToTenths(count / 1000)}k`;
  return `${upToTenths(count / 1_000_000)}M`;
}

function upToTenths(value: number): string {
  return formatNumber(Math.round(value * 10) / 10);
}

/** A total of tokens, marked where part of it is an estimate: `12,345`, `≈12,345`. */
export function formatTokens(tokens: number, estimated = 0, format = formatCount): string {
  return `${estimated > 0 ? '≈' : ''}${format(tokens)}`;
}

/** Tokens in and out, both marked if estimates are among them, which are not counted apart. */
export function formatBothTokens(
  used: { readonly tokens_in: number; readonly tokens_out: number; readonly tokens_estimated: number },
  format = formatCount,
): [tokensIn: string, tokensOut: string] {
  const { tokens_in: tokensIn, tokens_out: tokensOut, tokens_estimated: estimated } = used;
  return [formatTokens(tokensIn, estimated, format), formatTokens(tokensOut, estimated, format)];
}

/**
 * A span of time for reading: `840 ms`, `4.2 s`, `41 s`, `6:51`, `1:02:09`.
 *
 * @param ms milliseconds; negative values (clocks that differ) count as 0
 */
export function formatDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 1) return '< 1 ms';
  if (span < 999.5) return `${Math.round(span)} ms`;
  if (span < 9950) return `${(span / 1000).toFixed(1)} s`;
  if (span < 59_500) return `${Math.round(span / 1000)} s`;
  return formatClock(Math.round(span / 1000) * 1000);
}

/** A span of time that was estimated, no finer than that can be: `~5 s`, `~40 s`, `~3 min`, `~2 h`. */
export function formatEstimate(ms: number): string {
  const seconds = Math.max(5, Math.round(ms / 5000) * 5);
  if (seconds < 60) return `~${seconds} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `~${minutes} min` : `~${Math.round(ms / 3_600_000)} h`;
}

/** A running clock that does not jump in width: `0:07`, `6:51`, `1:02:09`. */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0
    ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}`
    : `${minutes}:${twoDigits(seconds % 60)}`;
}

/** When something was, counted from a beginning: `0.0 s`, `4.2 s`, `41 s`, `6:51`. */
export function formatOffset(ms: number): string {
  const span = Math.max(0, ms);
  return span < 9950 ? `${(span / 1000).toFixed(1)} s` : formatDuration(span);
}

/** Bytes in decimal units, as disks and Ollama count them: `143 B`, `4.0 MB`, `7.9 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 99.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/**
 * When something was, seen from `now`: `just now`, `4 min ago`, `14:05`, `Mon 14:05`, `3 Nov`, `3 Nov 2024`.
 *
 * @param at milliseconds since 1970
 */
export function formatWhen(at: number, now: number): string {
  const ago = now - at;
  if (ago < 45_000) return 'just now';
  if (ago < 3_600_000) return `${Math.max(1, Math.round(ago / 60_000))} min ago`;
  const then = new Date(at);
  const today = new Date(now);
  const time = timeOfDay(then);
  if (then.toDateString() === today.toDateString()) return time;
  if (ago < 6 * 86_400_000) return `${DAYS[then.getDay()]} ${time}`;
  const day = `${then.getDate()} ${MONTHS[then.getMonth()]}`;
  return then.getFullYear() === today.getFullYear() ? day : `${day} ${then.getFullYear()}`;
}

// Our own names, because loading the browser's takes some milliseconds, and the interface is in English
// anyway.
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A speed without its unit: `1,204`, `41`, `8.2`, `0.04`; `0` only if it is. */
export function formatRate(rate: number): string {
  if (rate === 0 || rate >= 9.95) return formatCount(rate);
  if (rate < 0.005) return '< 0.01';
  return rate.toFixed(rate < 0.095 ? 2 : 1);
}

/** A moment for pages that are read long after it: `21 Nov 2026, 14:05`, in the reader's time zone. */
export function formatMoment(at: number): string {
  const then = new Date(at);
  return `${then.getDate()} ${MONTHS[then.getMonth()]} ${then.getFullYear()}, ${timeOfDay(then)}`;
}

/** `formatMoment` to the second: `21 Nov 2026, 14:05:09`. */
export function formatSecond(at: number): string {
  return `${formatMoment(at)}:${twoDigits(new Date(at).getSeconds())}`;
}

function timeOfDay(moment: Date): string {
  return `${twoDigits(moment.getHours())}:${twoDigits(moment.getMinutes())}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** How many of some runs there are: `3 of 12 runs`. */
export function runsOf(count: number, total: number): string {
  return `${formatCount(count)} of ${plural(total, 'run')}`;
}

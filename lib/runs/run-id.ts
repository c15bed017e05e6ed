import { randomInt } from 'node:crypto';

const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';

/**
 * An ID for a new run and its folder: date and time to the minute (UTC) and eight random characters. IDs sort by time.
 */
export function newRunId(now: Date): string {
  const [day = '', time = ''] = now.toISOString().split('T');
  const random = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${day.replaceAll('-', '')}-${time.slice(0, 5).replace(':', '')}-${random}`;
}

/** Whether a text is a valid run ID, to check before using it in a path. */
export function isRunId(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,63}$/.test(text);
}

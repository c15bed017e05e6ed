import { randomInt } from 'node:crypto';

const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';

/**
 * A name for a new run, also of its folder: the day and the minute it was made (UTC) and eight random letters, so that
 * names sort by time and can be read aloud.
 */
export function newRunId(now: Date): string {
  const [day = '', time = ''] = now.toISOString().split('T');
  const random = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${day.replaceAll('-', '')}-${time.slice(0, 5).replace(':', '')}-${random}`;
}

/** Whether a text can be the id of a run: what comes in a path is looked at before it is looked up. */
export function isRunId(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,63}$/.test(text);
}

import { Script } from 'node:vm';

/** A command that is refused before it starts (O6). */
export interface BlockedPattern {
  /** A regular expression, matched without regard to case anywhere in the command. */
  pattern: string;
  /** Why, as the end of the sentence "Refused: …". */
  reason: string;
}

/** Commands longer than this are refused, which also bounds the time of the patterns. */
export const MAX_COMMAND_CHARS = 32_768;

/**
 * The second line behind the sandbox: plain destruction is refused with a word to the model, instead of failing
 * halfway. These patterns keep nobody out who wants in, and confinement never rests on them.
 *
 * A command is hostile text: none of them may go back more often than the line is long, so no two of their repetitions
 * may share what they match. `(?=(…))\1` takes the first of what could be found and does not come back to it. A
 * command that stands inside the options of another one is stepped over with them: what could be said of it, has been said of
 * that one, which has the same options behind it and more.
 */
export const DEFAULT_BLOCKED_PATTERNS: readonly BlockedPattern[] = [
  {
    pattern: String.raw`^(?:(?=(\brm\s+(?:-\S+\s+)*|[^]))\1)*?\brm\s+(?=(?:-\S+\s+)*?-\S*r)(?=((?:-\S+\s+)+))\2["']?(?:/|~|\$HOME|\$\{HOME\}|\.\.|\*)/?\*?["']?(?:\s|[;&|)]|$)`,
    reason: 'it deletes everything under a root, a home or the whole workspace; name what is to be deleted',
  },
  {
    pattern: String.raw`^(?=(.*?\brm\s))\1.*--no-preserve-root`,
    reason: 'it deletes the root of the file system',
  },
  { pattern: String.raw`\bmkfs(?:\.\w+)?\s`, reason: 'it formats a disk' },
  { pattern: String.raw`^(?=(.*?\bdd\s))\1.*\bof=/dev/`, reason: 'it writes to a device' },
  { pattern: String.raw`>\s*/dev/(?:sd|hd|vd|nvme|mmcblk|mem|kmem)`, reason: 'it writes to a device' },
  { pattern: String.raw`\b(\w+)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&`, reason: 'it is a fork bomb' },
  { pattern: String.raw`:\s*\(\)\s*\{\s*:\s*\|\s*:\s*&`, reason: 'it is a fork bomb' },
  {
    pattern: String.raw`(?:^|[;&|(]\s*)(?:sudo|doas|su|pkexec)(?:\s|$)`,
    reason: 'commands can not become another user here; run it without that',
  },
  {
    pattern: String.raw`(?:^|[;&|(]\s*)(?:shutdown|reboot|halt|poweroff|init\s+[06])(?:\s|$)`,
    reason: 'it stops the machine',
  },
  {
    pattern: String.raw`^(?=((?:(?=(\bch(?:mod|own)\s+(?:-\S+\s+)*|.))\2)*?\bch(?:mod|own)\s(?=\s*(?:-\S+\s+)*?-\S*R)))\1.*\s["']?(?:/|~)/?["']?(?:\s|[;&|)]|$)`,
    reason: 'it changes the rights of everything under a root or a home',
  },
  {
    pattern: String.raw`(?:^|\|)(?=([^|]*?\b(?:curl|wget)\s))\1[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b`,
    reason: 'it runs a script from the network, which commands can not reach',
  },
];

/** How long patterns that are not built in may look at one command, all together, in milliseconds. */
const MAX_LOOK_MS = 500;

/**
 * Finds the first pattern that matches a command. Built once, used for every command.
 *
 * A run's own patterns can come from anywhere, an imported run among others, and some expressions take years for a short
 * command. They get a time limit; one that exceeds it refuses the command, since nobody knows what it would have said.
 */
export function commandBlocker(
  patterns: readonly BlockedPattern[],
): (command: string) => Pick<BlockedPattern, 'reason'> | undefined {
  const compiled = patterns.map((blocked) => ({ blocked, expression: new RegExp(blocked.pattern, 'i') }));
  const limited = patterns.some((pattern) => !DEFAULT_BLOCKED_PATTERNS.includes(pattern));
  return (command) => {
    // A line continued with a backslash is one line to the shell, and so it is here. What else ends a line for an
    // expression, ends none for the shell.
    const lines = command
      .replaceAll('\\\n', ' ')
      .replace(/[\r\u2028\u2029]/g, ' ')
      .split('\n');
    let tried = '';
    const look = () =>
      compiled.find(({ blocked: { pattern }, expression }) => {
        tried = pattern;
        return lines.some((line) => expression.test(line));
      })?.blocked;
    if (!limited) return look();
    try {
      return LOOK.runInNewContext({ look }, { timeout: MAX_LOOK_MS });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      return {
        reason: `the blocked pattern ${tried} takes too long on it; use a simpler pattern or command`,
      };
    }
  };
}

/** Calls `look`. A script has a time limit that ends an expression in the middle; a function has none. */
const LOOK = new Script('look()');

function isTimeout(error: unknown): boolean {
  // Made in the script's own realm, whose errors are not instances of this one's.
  return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

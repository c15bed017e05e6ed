import { Script } from 'node:vm';

/** A pattern for commands that are refused before they start (O6). */
export interface BlockedPattern {
  /** A regular expression, matched case-insensitively anywhere in the command. */
  pattern: string;
  /** The reason, completing the sentence "Refused: …". */
  reason: string;
}

/** Longer commands are refused, which also bounds the matching time. */
export const MAX_COMMAND_CHARS = 32_768;

/**
 * A second line of defense behind the sandbox: obviously destructive commands are refused with an explanation to the
 * model instead of failing halfway. These patterns do not stop a determined attacker, and confinement never relies on
 * them.
 *
 * Commands are hostile input, so matching must not backtrack more than linearly: no two repetitions in a pattern may
 * match the same text. `(?=(…))\1` emulates an atomic group. A command nested in another command's options is skipped
 * together with them: any pattern that would match it already matched the outer one, which is followed by the same
 * options and more.
 */
export const DEFAULT_BLOCKED_PATTERNS: readonly BlockedPattern[] = [
  {
    pattern: String.raw`^(?:(?=(\brm\s+(?:-\S+\s+)*|[^]))\1)*?\brm\s+(?=(?:-\S+\s+)*?-\S*r)(?=((?:-\S+\s+)+))\2["']?(?:/|~|\$HOME|\$\{HOME\}|\.\.|\*)/?\*?["']?(?:\s|[;&|)]|$)`,
    reason: 'it deletes everything in a root, home or workspace folder; name what to delete',
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
    reason: 'commands cannot run as another user here; run it as the current user',
  },
  {
    pattern: String.raw`(?:^|[;&|(]\s*)(?:shutdown|reboot|halt|poweroff|init\s+[06])(?:\s|$)`,
    reason: 'it stops the machine',
  },
  {
    pattern: String.raw`^(?=((?:(?=(\bch(?:mod|own)\s+(?:-\S+\s+)*|.))\2)*?\bch(?:mod|own)\s(?=\s*(?:-\S+\s+)*?-\S*R)))\1.*\s["']?(?:/|~)/?["']?(?:\s|[;&|)]|$)`,
    reason: 'it changes the permissions of everything in a root or home folder',
  },
  {
    pattern: String.raw`(?:^|\|)(?=([^|]*?\b(?:curl|wget)\s))\1[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b`,
    reason: 'it runs a script from the network, which commands cannot reach',
  },
];

/** Total time limit in milliseconds for a run's own patterns on one command. */
const MAX_LOOK_MS = 500;

/**
 * Returns a function that finds the first pattern matching a command. Patterns are compiled once.
 *
 * A run's own patterns are untrusted, for example those of an imported run, and some expressions would take years on
 * a short command. They have a time limit; a command is refused if it is exceeded, since the result is unknown.
 */
export function commandBlocker(
  patterns: readonly BlockedPattern[],
): (command: string) => Pick<BlockedPattern, 'reason'> | undefined {
  const compiled = patterns.map((blocked) => ({ blocked, expression: new RegExp(blocked.pattern, 'i') }));
  const limited = patterns.some((pattern) => !DEFAULT_BLOCKED_PATTERNS.includes(pattern));
  return (command) => {
    // A line continued with a backslash is a single line to the shell, so join it here too. The other line
    // terminators of regular expressions do not end a line in the shell.
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

/** Calls `look` in a script, because a script's time limit can interrupt a regular expression. */
const LOOK = new Script('look()');

function isTimeout(error: unknown): boolean {
  // The error is from the script's realm, so `instanceof` does not work.
  return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

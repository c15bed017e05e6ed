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
 */
export const DEFAULT_BLOCKED_PATTERNS: readonly BlockedPattern[] = [
  {
    pattern: String.raw`\brm\s+(?:-\S+\s+)*-\S*r\S*\s+(?:-\S+\s+)*["']?(?:/|~|\$HOME|\$\{HOME\}|\.\.|\*)/?\*?["']?(?:\s|[;&|)]|$)`,
    reason: 'it deletes everything under a root, a home or the whole workspace; name what is to be deleted',
  },
  { pattern: String.raw`\brm\s.*--no-preserve-root`, reason: 'it deletes the root of the file system' },
  { pattern: String.raw`\bmkfs(?:\.\w+)?\s`, reason: 'it formats a disk' },
  { pattern: String.raw`\bdd\s.*\bof=/dev/`, reason: 'it writes to a device' },
  { pattern: String.raw`>\s*/dev/(?:sd|hd|vd|nvme|mmcblk|mem|kmem)`, reason: 'it writes to a device' },
  { pattern: String.raw`\b(\w+|:)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&`, reason: 'it is a fork bomb' },
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
    pattern: String.raw`\bch(?:mod|own)\s+(?:-\S+\s+)*-\S*R\S*\s.*\s["']?(?:/|~)/?["']?(?:\s|[;&|)]|$)`,
    reason: 'it changes the rights of everything under a root or a home',
  },
  {
    pattern: String.raw`\b(?:curl|wget)\s[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b`,
    reason: 'it runs a script from the network, which commands can not reach',
  },
];

/** Finds the first pattern that matches a command. Built once, used for every command. */
export function commandBlocker(
  patterns: readonly BlockedPattern[],
): (command: string) => BlockedPattern | undefined {
  const compiled = patterns.map((blocked) => ({ blocked, expression: new RegExp(blocked.pattern, 'i') }));
  return (command) => {
    // A line continued with a backslash is one line to the shell, and so it is here.
    const text = command.replaceAll('\\\n', ' ');
    return compiled.find(({ expression }) => text.split('\n').some((line) => expression.test(line)))?.blocked;
  };
}

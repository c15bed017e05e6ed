import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readArguments } from './arguments.ts';
import { COMMAND_NAMES } from './command-names.ts';
import { BUDGET_FLAGS, SETTING_FLAGS } from './setting-flags.ts';
import { USAGE } from './usage-text.ts';

/** The options that the help of a command has, long and short, besides those of all commands. */
function explained(command: string): string[] {
  const [, ...parts] = USAGE.split(/\n\n/)[1]?.split(/^ {2}loupe /m) ?? [];
  const own = parts.filter((part) => part.startsWith(`${command} `));
  const names = [...own.join('\n').matchAll(/(?<![\w-])--?[a-z][a-z-]*/g)].map(([name]) => name);
  return [...new Set(names)].toSorted();
}

/** Every key and quoted word in the code that declares options, and every letter: all that could be an option. */
const candidates = (() => {
  const files = ['arguments.ts', 'experiment-arguments.ts', 'options.ts'];
  const text = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  const words = [...text.matchAll(/\b([a-z-]+): \{|'([a-z-]+)'/g)].map(([, key, word]) => `--${key ?? word}`);
  const flags = [...SETTING_FLAGS, ...BUDGET_FLAGS].map(({ flag }) => `--${flag}`);
  const letters = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => `-${letter}`);
  const common = ['--url', '--help', '-h'];
  return [...new Set([...words, ...flags, ...letters])].filter((option) => !common.includes(option));
})();

/** Whether a command knows an option, even if something else about the command line is wrong. */
function accepts(command: string, option: string): boolean {
  try {
    readArguments([...command.split(' '), option]);
    return true;
  } catch (error) {
    return error instanceof Error && !error.message.startsWith('There is no option');
  }
}

const commands = COMMAND_NAMES.filter((name) => !['experiment', 'help', 'version'].includes(name));
const actions = [...USAGE.matchAll(/^ {2}loupe (experiment \w+)/gm)].map(([, name = '']) => name);

it.each([...commands, ...new Set(actions)])(
  'the help of "%s" has exactly the options that it accepts',
  (command) => {
    const accepted = candidates.filter((option) => accepts(command, option));
    expect(explained(command)).toEqual(accepted.toSorted());
  },
);

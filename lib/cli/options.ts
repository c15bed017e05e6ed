import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { AppError } from '../errors/app-error.ts';
import { errorMessage } from '../util/error-message.ts';
import { firstRepeated } from '../util/first-repeated.ts';
import { nearestName } from '../util/nearest-name.ts';

/** Options of every command. */
export const COMMON = { url: { type: 'string' } } as const;

/**
 * The options and positional arguments of a command.
 *
 * @throws {AppError} `usage` for unknown options, and for two values of an option that takes one: the first would be dropped
 */
export function parse<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  const config = { args: [...args], options, allowPositionals: true, strict: true, tokens: true } as const;
  const parsed = withUsage(() => parseArgs(config), args, options);
  const single = parsed.tokens.flatMap((token) => {
    const isSingle = token.kind === 'option' && token.value !== undefined && !options[token.name]?.multiple;
    return isSingle ? [token.name] : [];
  });
  const twice = firstRepeated(single);
  if (twice !== undefined) throw usage(`--${twice} is given twice; it takes one value.`);
  return parsed;
}

function withUsage<Parsed>(
  read: () => Parsed,
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): Parsed {
  try {
    return read();
  } catch (error) {
    throw usage(problemOf(args, options) ?? errorMessage(error));
  }
}

/** The problem with the options, worded like our other messages instead of Node's. */
function problemOf(args: readonly string[], options: ParseArgsOptionsConfig): string | undefined {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) {
      const text = args[token.index] ?? '';
      if (/^[^=]*\s/.test(text)) {
        return `${JSON.stringify(text)} begins with a dash, as options do. Put such a text last, after --.`;
      }
      const nearest = nearestName(name, Object.keys(options));
      return `There is no option ${rawName}${nearest ? `; did you mean --${nearest}?` : '.'}`;
    }
    if (option.type === 'boolean' && value !== undefined) return `${rawName} takes no value.`;
    if (option.type === 'string' && value === undefined) return `${rawName} needs a value.`;
    if (option.type === 'string' && !inlineValue && value?.startsWith('-')) {
      return `${rawName} needs a value. Write one that begins with a dash as --${name}=${value}.`;
    }
  }
  return undefined;
}

/** @throws {AppError} `usage` if a command that takes no arguments has some */
export function none(positionals: readonly string[], command: string): void {
  if (positionals.length > 0) throw usage(`"${command}" takes no arguments.`);
}

/** The only positional argument, which is not empty. @throws {AppError} `usage`, with how the command is used */
export function one(positionals: readonly string[], form: string): string {
  const [first] = positionals;
  if (!first || positionals.length > 1) throw usage(`Usage: loupe ${form}`);
  return first;
}

/**
 * The file that `--output` names; `undefined` for standard output, which `-` stands for.
 *
 * @throws {AppError} `usage` for an empty path, such as from an unset variable
 */
export function outputOf(path: string | undefined): string | undefined {
  if (path === '') throw usage('--output needs the path of a file.');
  return path === '-' ? undefined : path;
}

/** Options that also apply when continuing. */
const WITH_CONTINUE: ReadonlySet<string> = new Set(['continue', 'json', ...Object.keys(COMMON)]);

/**
 * Refuses options for starting together with `--continue ID`.
 *
 * @throws {AppError} `usage` with what to leave out
 */
export function requireOnlyContinue(
  what: string,
  values: { readonly continue?: string | undefined },
  positionals: readonly string[],
): void {
  if (values.continue === '') throw usage(`--continue needs the ID of a ${what}.`);
  const options = Object.keys(values).filter((name) => !WITH_CONTINUE.has(name));
  const unused = [...positionals.map((text) => `"${text}"`), ...options.map((name) => `--${name}`)];
  if (unused.length === 0) return;
  throw usage(
    `--continue resumes a ${what} with its original options. Leave out ${unused.join(' and ')}, or start a new ${what} without --continue.`,
  );
}

/** @throws {AppError} `usage` unless the text is a whole number from `min` */
export function wholeNumber(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min) {
    throw usage(`${name} is "${text}"; it must be a whole number of at least ${min}.`);
  }
  return value;
}

/** An error in the command line. */
export function usage(message: string): AppError {
  return new AppError({ code: 'usage', message, hint: 'For help, run: loupe help' });
}

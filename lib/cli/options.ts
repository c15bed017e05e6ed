import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { AppError } from '../errors/app-error.ts';

/** Options of every command. */
export const COMMON = { url: { type: 'string' } } as const;

/** The options and positional arguments of a command. @throws {AppError} `usage` for unknown options */
export function parse<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

/** The only positional argument. @throws {AppError} `usage`, with how the command is used */
export function one(positionals: readonly string[], form: string): string {
  const [first] = positionals;
  if (first === undefined || positionals.length > 1) throw usage(`Usage: loupe ${form}.`);
  return first;
}

/** @throws {AppError} `usage` unless the text is a whole number from `min` */
export function wholeNumber(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min) {
    throw usage(`${name} is "${text}"; it must be a whole number from ${min}.`);
  }
  return value;
}

/** An error in the command line. */
export function usage(message: string): AppError {
  return new AppError({ code: 'usage', message, hint: 'loupe help' });
}

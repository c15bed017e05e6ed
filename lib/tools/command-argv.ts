import { type CommandTool, filledPart, placeholdersOf } from '../events/command-tool.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** The kernel limits one argument to 128 KB, and all of them to a few MB. */
const MAX_ARGUMENT_BYTES = 64 * 1024;
const MAX_ALL_BYTES = 256 * 1024;

/** A program and its arguments. */
export type Argv = readonly [string, ...string[]];

/**
 * The program and its arguments for a call. A value becomes a piece of one argument: it is never split, and no shell
 * reads it. A part with a missing optional parameter is left out; a part that is just the name of a list becomes one
 * argument per item. Pure.
 *
 * @returns the arguments, or what is wrong with a value
 */
export function commandArgv(
  { command }: Pick<CommandTool, 'command'>,
  args: JsonObject,
): { argv: Argv } | { problem: string } {
  const [program = '', ...parts] = command;
  const filled: string[] = [];
  for (const part of parts) {
    const names = placeholdersOf(part);
    if (names.some((name) => argumentOf(args, name) === undefined)) continue;
    const pieces = piecesOf(part, names, args);
    const option = pieces.find((piece) => becomesOption(piece, part) && !filled.includes('--'));
    if (option !== undefined) {
      return {
        problem: `The argument ${JSON.stringify(option.text.slice(0, 80))} begins with "-", so the program would take it for an option.`,
      };
    }
    filled.push(...pieces.map(({ text }) => text));
  }
  const nul = filled.find((piece) => piece.includes('\0'));
  if (nul !== undefined) return { problem: 'An argument contains a NUL character.' };
  const bytes = filled.map((piece) => Buffer.byteLength(piece));
  if (
    bytes.some((each) => each > MAX_ARGUMENT_BYTES) ||
    bytes.reduce((sum, each) => sum + each, 0) > MAX_ALL_BYTES
  ) {
    return {
      problem: `An argument is longer than ${MAX_ARGUMENT_BYTES} bytes, or all together are longer than ${MAX_ALL_BYTES}.`,
    };
  }
  return { argv: [filledPart(program, () => ''), ...filled] };
}

/** An argument, and whether the model's part of it consists only of numbers. */
interface Piece {
  text: string;
  isNumeric: boolean;
}

function piecesOf(part: string, names: readonly string[], args: JsonObject): Piece[] {
  const [name] = names;
  const value = name === undefined || part !== `{${name}}` ? undefined : argumentOf(args, name);
  if (Array.isArray(value)) {
    return value.map((item) => ({ text: textOf(item), isNumeric: typeof item === 'number' }));
  }
  const isNumeric = names.every((each) => typeof argumentOf(args, each) === 'number');
  return [{ text: filledPart(part, (each) => textOf(argumentOf(args, each) ?? '')), isNumeric }];
}

/** Whether the model's text at the start of an argument turns it into an option. A number alone cannot. */
function becomesOption({ text, isNumeric }: Piece, part: string): boolean {
  return part.startsWith('{') && text.startsWith('-') && !isNumeric;
}

function argumentOf(args: JsonObject, name: string): JsonValue | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  return value === null ? undefined : value;
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

import stringWidth from 'string-width';
import { partsOf } from './table.ts';

/** The description of an option or a command follows it after three spaces or more. */
const DESCRIBED = /^( *)(\S.*?)( {3,})(\S.*)$/;
/** Where less than this is left for descriptions, they begin on separate lines. */
const MIN_DESCRIPTION = 30;
/** How far the rest of a command in the help is indented below its beginning, and that of another line. */
const HELP_INDENT = 4;
const LINE_INDENT = 2;
/** What is not broken: an option with its value, an optional part, a word. */
const UNITS = /( *)(--\S+(?: [\w|,]+)?|\[[^\]]*\]|\S+)/g;

/**
 * The help with lines of at most this width. Longer lines continue below their description, and those of a command
 * indented. Pure.
 */
export function wrapHelp(help: string, columns: number): string {
  return help
    .split('\n')
    .flatMap((line) => (stringWidth(line) <= columns ? [line] : wrapHelpLine(line, columns)))
    .join('\n');
}

/**
 * Lines of at most this width. The rest of a longer one follows below it, indented. Pure.
 *
 * @param columns default: no limit
 */
export function wrapLines(lines: readonly string[], columns = Number.POSITIVE_INFINITY): string[] {
  return lines.flatMap((line) =>
    stringWidth(line) <= columns
      ? [line]
      : wrapped(line, { columns, indent: restIndent(indentOf(line) + LINE_INDENT, columns) }),
  );
}

function wrapHelpLine(line: string, columns: number): string[] {
  const own = indentOf(line);
  const hanging = restIndent(own + HELP_INDENT, columns);
  const [, indent = '', option = '', gap = '', description = ''] = DESCRIBED.exec(line) ?? [];
  const begin = indent.length + option.length + gap.length;
  if (description !== '' && columns - begin < MIN_DESCRIPTION) {
    return [
      ...wrapped(indent + option, { columns, indent: hanging }),
      ...wrapped(' '.repeat(hanging) + description, { columns, indent: hanging }),
    ];
  }
  if (description !== '') return wrapped(line, { columns, indent: begin });
  const isCommand = line.startsWith('  loupe ');
  if (!isCommand && columns - own >= MIN_DESCRIPTION) return wrapped(line, { columns, indent: own });
  return wrapped(' '.repeat(Math.min(own, hanging)) + line.trimStart(), { columns, indent: hanging });
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** At most half of the width, so that there is room for words. */
function restIndent(indent: number, columns: number): number {
  return Math.min(indent, Math.floor(columns / 2));
}

/** One text on lines of at most this width, the later ones indented. */
function wrapped(text: string, { columns, indent }: { columns: number; indent: number }): string[] {
  const lines: string[] = [];
  const words = text.trimStart();
  let line = ' '.repeat(indentOf(text));
  for (const [, gap = '', unit = ''] of words.matchAll(UNITS)) {
    if (stringWidth(line + gap + unit) <= columns) {
      line += gap + unit;
      continue;
    }
    for (const part of partsOfUnit(unit, columns - indent)) {
      if (line.trim() !== '') {
        lines.push(line);
        line = ' '.repeat(indent);
      }
      line += part;
    }
  }
  return [...lines, line];
}

/** A unit in parts of at most this width: broken after a space or between choices, if it has them. */
function partsOfUnit(unit: string, width: number): string[] {
  const parts: string[] = [];
  for (const piece of unit.split(/(?<=[| ])/).flatMap((each) => partsOf(each, width))) {
    const longer = (parts.at(-1) ?? '') + piece;
    if (parts.length > 0 && stringWidth(longer.trimEnd()) <= width) parts.splice(-1, 1, longer);
    else parts.push(piece);
  }
  return parts.map((part) => part.trimEnd());
}

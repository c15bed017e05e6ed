import { escapePattern } from '../util/escape-pattern.ts';
import { memoized } from '../util/memoized.ts';
import type { ToolDefinition } from './types.ts';

/**
 * What may begin thinking or a call, in any format. While a reply is still being written, its end decides nothing yet,
 * so this matches more than the parser will find.
 */
const TAG =
  '</?(?:[|｜]|(?:[a-z][\\w-]{0,31}:)?(?:think|thought|reasoning|longcat_|tool|use_tool|function|start_function|invoke|param|arg_|channel))';
const TOKEN = '\\[/?(?:TOOL_CALL|THINK)|functions[.]|functools\\[|\\]<\\]minimax|```tool_c';
/** Beginnings of lines. */
const LINES = ['Action:', 'call:', 'assistant to=', '>>>'];
const KEYS = 'name|arguments|parameters|function|type|id|tool|tool_name|tool_calls|action|args';
const MAX_NAME_CHARS = 64;

/** The end of a text that becomes one of these if it continues accordingly. */
const UNFINISHED = [
  '<[^\\s<>]{0,64}',
  '\\[[^\\s[\\]]{0,64}',
  '(?:`{1,3}[\\w-]{0,20}\\s{0,4})?(?:[[{]\\s{0,20}){1,2}(?:["\'][\\w-]{0,64}["\']?\\s{0,4})?',
  '`{1,3}[\\w-]{0,20}\\s{0,4}',
  '\\](?:<(?:\\]\\w{0,6})?)?',
  '\\bf(?:u(?:nc?\\w{0,7})?)?',
];

interface Patterns {
  readonly markup: RegExp;
  readonly unfinished: RegExp;
  readonly lines: readonly string[];
}

/**
 * Up to where the text of a reply that is still being written is certainly visible text: before anything that may begin
 * thinking (P4) or a call (P7), and before blanks, which vanish where something is removed. Pure.
 *
 * @param shown length known to be certain
 */
export function certainLength(text: string, shown: number, tools: readonly ToolDefinition[]): number {
  return certainText(text, shown, tools).length;
}

/** The same, and where what may be thinking or a call begins; `undefined` if nothing complete enough is there. Pure. */
export function certainText(
  text: string,
  shown: number,
  tools: readonly ToolDefinition[],
): { length: number; markup: number | undefined } {
  const { markup, unfinished, lines } = patternsOf(tools);
  markup.lastIndex = shown;
  const found = markup.exec(text);
  const known = found ? found.index + (found[1]?.length ?? 0) : text.length;
  const rest = text.slice(shown, known);
  const open = found ? -1 : rest.search(unfinished);
  const certain = open < 0 ? rest : rest.slice(0, open);
  const line = found ? 0 : beginningOf(lines, text.slice(0, known));
  const length = shown + certain.slice(0, Math.max(0, rest.length - line)).trimEnd().length;
  return { length, markup: found ? known : undefined };
}

/** The length of the last line if it is the beginning of one of these. */
function beginningOf(lines: readonly string[], text: string): number {
  const line = text.slice(text.lastIndexOf('\n', text.length - 1) + 1).trimStart();
  if (line === '' || line.length > MAX_NAME_CHARS) return 0;
  const written = line.trimEnd().toLowerCase();
  return lines.some((each) => each.startsWith(written)) ? line.length : 0;
}

const patternsOf = memoized((tools: readonly ToolDefinition[]): Patterns => {
  const offered = tools.map((tool) => tool.function.name.toLowerCase());
  const names = offered.map(escapePattern).join('|') || '(?!)';
  const json = `(?:\`\`\`[\\w-]{0,20}\\s{0,4})?(?:[[{]\\s{0,20}){1,2}["'](?:${KEYS}|${names})["']\\s{0,4}:`;
  const call = `</?(?:${names})[\\s/>]|\\[\\s{0,4}(?:${names})\\(`;
  const line = `(^|\\n)(?:${LINES.join('|')}|(?:${names})\\s{0,4}[\\n({[])`;
  return {
    markup: new RegExp([TAG, TOKEN, json, call, line].join('|'), 'gi'),
    unfinished: new RegExp(`(?:${UNFINISHED.join('|')})$`, 'i'),
    lines: [...LINES.map((each) => each.toLowerCase()), ...offered],
  };
});

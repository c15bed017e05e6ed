import { z } from 'zod';
import { type CommandTool, commandTool, commandToolFields, placeholdersOf } from '../events/command-tool.ts';
import { isBoundedObject, isRecord, type JsonObject } from '../util/json.ts';
import { nearestName } from '../util/nearest-name.ts';
import { formatCount } from '../util/numbers.ts';
import { fieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import { quotedName, shortMiddle } from '../util/short-text.ts';
import { schemaProblem } from './check-problems.ts';
import type { CallMcpToolReply } from './mcp.ts';

const SCHEMA_BOUNDS = { maxChars: 20_000, maxDepth: 20 };
/** Programs of this kind read one of their arguments as code: text of a model must not become code. */
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'ash', 'busybox']);
/** Programs that pass the text of `-c` to a shell that the command does not name. */
const SHELL_STARTERS = new Set(['flock', 'runuser', 'script', 'su']);
const POWERSHELLS = new Set(['pwsh', 'powershell']);
/** `-c`, also among joined options, and the long forms of fish. */
const CODE_OPTION = /^(?:[-+][A-Za-z]*c[A-Za-z]*|--(?:init-)?command)$/;
/** `-Command`, `-EncodedCommand` and what they can be shortened to, but not `-ExecutionPolicy`. */
const POWERSHELL_CODE_OPTION = /^--?(?:c[a-z]*|e|ec|en[a-z]*)$/i;

/** The parts of a schema that arguments are checked by. */
const parameterShape = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  required: z.array(z.string()).optional(),
  enum: z.array(z.json()).optional(),
  get items() {
    return parameterShape.optional();
  },
  get properties() {
    return z.record(z.string(), parameterShape).optional();
  },
  get anyOf() {
    return z.array(parameterShape).optional();
  },
  get oneOf() {
    return z.array(parameterShape).optional();
  },
  get allOf() {
    return z.array(parameterShape).optional();
  },
});

type Problem = { path: (string | number)[]; message: string };

/** Problems of a custom tool beyond the shape of its fields, each with its location. Pure. */
function commandToolProblems({
  parameters,
  command,
  stdin,
}: Pick<CommandTool, 'parameters' | 'command' | 'stdin'>): Problem[] {
  const problems: Problem[] = [];
  const complain = (path: (string | number)[], message: string) => problems.push({ path, message });
  const schema = parametersProblem(parameters);
  if (schema !== undefined) complain(['parameters'], schema);
  const names = Object.keys(isRecord(parameters.properties) ? parameters.properties : {});
  const [program = '', ...parts] = command;
  if (placeholdersOf(program).length > 0) {
    complain(['command', 0], 'The program cannot be an argument of the call.');
  }
  for (const [index, part] of parts.entries()) {
    const unknown = placeholdersOf(part).find((name) => !names.includes(name));
    if (unknown === undefined) continue;
    const near = nearestName(unknown, names);
    const meant = near === undefined ? 'Write {{ for a brace.' : `Did you mean {${quotedName(near)}}?`;
    complain(['command', index + 1], `There is no parameter "${quotedName(unknown)}". ${meant}`);
  }
  const code = command.findIndex((word, index) => placeholdersOf(word).length > 0 && isCode(command, index));
  if (code >= 0) {
    complain(
      ['command', code],
      'A shell would read this as code, so no argument can be part of it. Pass the argument after the script, as $1, or on standard input.',
    );
  }
  const used = new Set(parts.flatMap(placeholdersOf));
  const unused = names.find((name) => !used.has(name));
  if (stdin === 'none' && unused !== undefined) {
    complain(
      ['command'],
      `The parameter "${quotedName(unused)}" reaches no argument. Add {${quotedName(unused)}}, or pass JSON on standard input.`,
    );
  }
  return problems;
}

/**
 * Whether the word at this index becomes code: the script of a shell, even where another program starts the shell
 * (`nice sh -c …`, `flock FILE -c …`), or what `env -S` splits into a command.
 */
function isCode(words: readonly string[], index: number): boolean {
  const isScript = words.slice(0, index).some((word, at) => {
    const name = baseName(word);
    if (SHELLS.has(name) || SHELL_STARTERS.has(name))
      return isScriptOfShell(words.slice(at + 1), index - at - 1);
    // All following arguments are joined; watch joins them for a shell.
    if (name === 'watch' && at === 0) return true;
    return (
      POWERSHELLS.has(name) && words.slice(at + 1, index).some((each) => POWERSHELL_CODE_OPTION.test(each))
    );
  });
  return isScript || isSplitByEnv(words, index);
}

/** Whether a word is the script, or an option between `-c` and the script: `-c -x SCRIPT`, `-c -o pipefail -- SCRIPT`. */
function isScriptOfShell(words: readonly string[], index: number): boolean {
  if (/^--(?:init-)?command=/.test(words[index] ?? '')) return true;
  const option = words.findIndex((word) => CODE_OPTION.test(word));
  if (option < 0 || index <= option) return false;
  let script = option;
  while (/^[-+]/.test(words[script] ?? '')) {
    const takesName = /^[-+][A-Za-z]*o/i.test(words[script] ?? '');
    script += takesName ? 2 : 1;
  }
  return index <= script;
}

/** `env -S TEXT`, `env -STEXT`, `env --split-string=TEXT`, also with other short options in front of the S. */
function isSplitByEnv(words: readonly string[], index: number): boolean {
  const split = /^(-[a-zA-Z]*S|--split-string)/;
  const env = words.findIndex((word) => baseName(word) === 'env');
  if (env < 0 || index <= env) return false;
  return split.test(words[index] ?? '') || (index > env + 1 && split.test(words[index - 1] ?? ''));
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

function parametersProblem(parameters: JsonObject): string | undefined {
  if (!isBoundedObject(parameters, SCHEMA_BOUNDS)) {
    return `The schema has more than ${formatCount(SCHEMA_BOUNDS.maxChars)} characters, or is nested too deeply.`;
  }
  if (parameters.type !== 'object') return 'The schema must have "type": "object".';
  const [problem] = fieldProblems(parameterShape.safeParse(parameters, IN_WORDS).error?.issues ?? []);
  if (problem) return `${shortMiddle(['schema', ...problem.path].join('/'), 200)}: ${problem.reason}`;
  return schemaProblem(parameters);
}

/** A custom tool whose parts fit each other. */
const soundTool = commandTool.superRefine((tool, context) => {
  for (const { path, message } of commandToolProblems(tool))
    context.addIssue({ code: 'custom', path, message });
});

/**
 * Body of `POST /api/command-tools`: adds a tool, or replaces the one named `replaces`. `base` is the hash of the definition
 * that was edited.
 */
export const saveCommandToolRequest = z
  .strictObject({
    tool: soundTool,
    replaces: commandTool.shape.name.optional(),
    base: z.string().max(100).optional(),
  })
  .refine(({ replaces, base }) => base === undefined || replaces !== undefined, {
    path: ['base'],
    message: 'Send it only with replaces.',
  });

/** Body of `POST /api/command-tools/try`: runs a tool that need not be saved, in an empty folder. */
export const tryCommandToolRequest = z.strictObject({
  tool: soundTool,
  arguments: z.record(z.string(), z.json()),
});

/** The file of custom tools. */
export const commandToolsFile = z.strictObject({
  tools: z.record(
    commandTool.shape.name,
    commandToolFields.superRefine((tool, context) => {
      for (const { path, message } of commandToolProblems(tool)) {
        context.addIssue({ code: 'custom', path, message });
      }
    }),
  ),
});

/** A custom tool as the dashboard shows it. */
export interface CommandToolReply extends CommandTool {
  /** The name that models get. */
  offered: string;
  estimated_tokens: number;
  /** Identifies the definition. */
  hash: string;
}

/** `GET /api/command-tools` */
export interface CommandToolsReply {
  tools: CommandToolReply[];
  /** How commands run; where they cannot, runs don't offer these tools. */
  programs: { available: boolean; confined: boolean; reason?: string; hint?: string };
  /** The file. */
  path: string;
}

/** `POST /api/command-tools/try` */
export interface TryCommandToolReply extends CallMcpToolReply {
  /** The program and its arguments as they were run. */
  argv: string[];
}

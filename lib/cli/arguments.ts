import { isAbsolute, resolve } from 'node:path';
import type { AnnotationChange } from '../api/run-annotations.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../client/loupe.ts';
import type { AppError } from '../errors/app-error.ts';
import { firstRepeated } from '../util/first-repeated.ts';
import { nearestName } from '../util/nearest-name.ts';
import { readCheckArgument } from './check-argument.ts';
import { COMMAND_NAMES, type CommandName } from './command-names.ts';
import { type ExperimentCommand, readExperiment, requireAction } from './experiment-arguments.ts';
import { COMMON, none, one, outputOf, parse, requireOnlyContinue, usage, wholeNumber } from './options.ts';
import { BUDGET_FLAGS, type Flag, SETTING_FLAGS } from './setting-flags.ts';

/** Connection options, common to all commands. */
interface Connect {
  /** Default: LOUPE_URL, else port LOUPE_PORT on this machine. */
  url?: string;
}

export type Command = Connect &
  (
    | {
        name: 'help';
        /** The command to explain; default: all. */
        about?: CommandName;
      }
    | { name: 'version' }
    | {
        name: 'run';
        /** Body of `POST /api/runs`; the server validates it. */
        body: Record<string, unknown>;
        /** Paths of images to attach to the task. */
        images: readonly string[];
        /** The preset that `body` is merged into; then `fields` has the pairs of `--set`, unread. */
        preset?: string;
        fields: readonly (readonly [string, string])[];
        json: boolean;
        /** Start the run and return immediately. */
        detach: boolean;
        /** Print the text while it is being written, as a session always does. */
        live: boolean;
      }
    | { name: 'follow'; runId: string; after: number; json: boolean }
    | {
        name: 'list';
        limit: number;
        json: boolean;
        /** Parameters of `GET /api/runs`. */
        query: Record<string, string>;
      }
    | { name: 'note'; runId: string; change: AnnotationChange }
    | { name: 'stop'; runId: string; force: boolean }
    | { name: 'say'; runId: string; text: string; images: readonly string[] }
    | {
        name: 'export';
        runId: string;
        format: ExportFormat;
        /** Disable redaction; logs are never redacted. */
        raw: boolean;
        output?: string;
      }
    | { name: 'import'; file: string }
    | { name: 'presets'; json: boolean }
    | {
        name: 'rate';
        /** A study to continue; default: a new one. */
        id?: string;
        runIds: readonly string[];
        models: readonly string[];
        /** The name of a questionnaire that ships, or a file. */
        questionnaire: string;
        part: string;
        title: string;
        json: boolean;
      }
    | { name: 'check'; model: string; json: boolean; server?: string | undefined }
    | { name: 'experiment'; command: ExperimentCommand }
    | { name: 'mcp' }
    | {
        name: 'benchmark';
        /** Body of `POST /api/benchmarks`, or the benchmark to continue. */
        start: { body: Record<string, unknown> } | { continued: string };
        json: boolean;
      }
  );

/**
 * Parses a command line. Pure.
 *
 * @param args without the interpreter and the script
 * @throws {AppError} `usage`
 */
export function readArguments(args: readonly string[]): Command {
  const [name = 'help', ...rest] = args;
  if (asksForHelp(rest) && COMMAND_NAMES.some((known) => known === name)) return readHelp([name]);
  switch (name) {
    case 'help':
    case '--help':
    case '-h':
      return readHelp(rest);
    case 'version':
    case '--version':
      none(rest, 'version');
      return { name: 'version' };
    case 'run':
      return readRun(rest);
    case 'follow':
      return readFollow(rest);
    case 'list':
      return readList(rest);
    case 'note':
      return readNote(rest);
    case 'stop':
      return readStop(rest);
    case 'say':
      return readSay(rest);
    case 'export':
      return readExport(rest);
    case 'import':
      return readImport(rest);
    case 'presets':
      return readPresets(rest);
    case 'rate':
      return readRate(rest);
    case 'check':
      return readCheck(rest);
    case 'experiment':
      return { name, ...readExperiment(rest) };
    case 'mcp':
      return readMcp(rest);
    case 'benchmark':
      return readBenchmark(rest);
    default:
      if (name.startsWith('-') && rest.some((word) => COMMAND_NAMES.some((known) => known === word))) {
        throw usage(`${name} comes before the command. Put options after it.`);
      }
      throw noSuchCommand(name);
  }
}

function noSuchCommand(name: string): AppError {
  const nearest = nearestName(name, COMMAND_NAMES);
  return usage(`"${name}" is not a command${nearest ? `; did you mean "${nearest}"?` : '.'}`);
}

/** Whether `--help` or `-h` is among the options, which end at `--`. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

function readHelp([topic, ...rest]: readonly string[]): Command {
  if (topic === undefined) return { name: 'help' };
  const about = COMMAND_NAMES.find((known) => known === topic);
  if (about === undefined) throw noSuchCommand(topic);
  // Its help covers all of its commands.
  const action = about === 'experiment' ? rest.shift() : undefined;
  if (action !== undefined) requireAction(action);
  if (rest.length > 0) throw usage(`"help" explains one command. Leave out "${rest.join(' ')}".`);
  return { name: 'help', about };
}

function readFollow(args: readonly string[]): Command {
  const { values, positionals } = parse(args, {
    ...COMMON,
    after: { type: 'string' },
    json: { type: 'boolean' },
  });
  const runId = one(positionals, 'follow RUN');
  const after = values.after === undefined ? 0 : wholeNumber('--after', values.after, 0);
  return { name: 'follow', runId, after, json: values.json === true, url: values.url };
}

function readList(args: readonly string[]): Command {
  const filters = Object.fromEntries(LIST_FILTERS.map((each) => [each, { type: 'string' }] as const));
  const { values, positionals } = parse(args, {
    ...filters,
    ...COMMON,
    limit: { type: 'string' },
    json: { type: 'boolean' },
  });
  none(positionals, 'list');
  const limit = values.limit === undefined ? 20 : wholeNumber('--limit', values.limit, 1);
  const texts: Readonly<Record<string, unknown>> = values;
  const query = Object.fromEntries(
    LIST_FILTERS.flatMap((each): [string, string][] => {
      const text = texts[each];
      if (typeof text !== 'string') return [];
      return [[each, each === 'folder' ? folderOf('--folder', text) : filled(`--${each}`, text)]];
    }),
  );
  return { name: 'list', limit, json: values.json === true, query, url: values.url };
}

function readStop(args: readonly string[]): Command {
  const { values, positionals } = parse(args, { ...COMMON, force: { type: 'boolean' } });
  return { name: 'stop', runId: one(positionals, 'stop RUN'), force: values.force === true, url: values.url };
}

function readSay(args: readonly string[]): Command {
  const { values, positionals } = parse(args, { ...COMMON, image: { type: 'string', multiple: true } });
  const [runId, text] = positionals;
  if (!runId || text === undefined || positionals.length > 2) {
    throw usage('Usage: loupe say RUN "TEXT", with the text in quotes.');
  }
  return { name: 'say', runId, text, images: imagesOf(values.image), url: values.url };
}

function readExport(args: readonly string[]): Command {
  const { values, positionals } = parse(args, {
    ...COMMON,
    format: { type: 'string' },
    raw: { type: 'boolean' },
    output: { type: 'string', short: 'o' },
  });
  const format = EXPORT_FORMATS.find((known) => known === (values.format ?? 'run'));
  if (!format) throw usage(`--format is "${values.format}"; it must be one of ${EXPORT_FORMATS.join(', ')}.`);
  if (format === 'bundle' && values.raw) {
    throw usage('A bug bundle is always redacted. For the unredacted log: --format run.');
  }
  return {
    name: 'export',
    runId: one(positionals, 'export RUN'),
    format,
    raw: values.raw ?? false,
    output: outputOf(values.output),
    url: values.url,
  };
}

function readImport(args: readonly string[]): Command {
  const { values, positionals } = parse(args, COMMON);
  return { name: 'import', file: one(positionals, 'import FILE'), url: values.url };
}

function readPresets(args: readonly string[]): Command {
  const { values, positionals } = parse(args, { ...COMMON, json: { type: 'boolean' } });
  none(positionals, 'presets');
  return { name: 'presets', json: values.json === true, url: values.url };
}

function readCheck(args: readonly string[]): Command {
  const { values, positionals } = parse(args, {
    ...COMMON,
    json: { type: 'boolean' },
    mcp: { type: 'string' },
  });
  return {
    name: 'check',
    model: one(positionals, 'check MODEL'),
    json: values.json === true,
    ...(values.mcp === undefined ? {} : { server: filled('--mcp', values.mcp) }),
    url: values.url,
  };
}

function readMcp(args: readonly string[]): Command {
  const { values, positionals } = parse(args, COMMON);
  none(positionals, 'mcp');
  return { name: 'mcp', url: values.url };
}

/** Options of "list" that the server checks. */
const LIST_FILTERS = ['tag', 'folder', 'model', 'outcome', 'since', 'until', 'archived', 'sort'] as const;

/** The value of an option. @throws {AppError} `usage` for an empty one, such as from an unset variable, or for no tags */
function filled(option: string, text: string): string {
  if (/^[\s,]*$/.test(text)) throw usage(`${option} needs a value.`);
  return text;
}

function readNote(args: readonly string[]): Command {
  const { values, positionals } = parse(args, {
    ...COMMON,
    title: { type: 'string' },
    tag: { type: 'string', multiple: true },
    untag: { type: 'string', multiple: true },
    score: { type: 'string' },
    pin: { type: 'boolean' },
    unpin: { type: 'boolean' },
    archive: { type: 'boolean' },
    unarchive: { type: 'boolean' },
  });
  const [runId, note] = positionals;
  if (!runId || positionals.length > 2) {
    throw usage('Usage: loupe note RUN "TEXT", with the text in quotes.');
  }
  const removed = values.untag?.map((tag) => tag.trim()) ?? [];
  const both = values.tag?.find((tag) => removed.includes(tag.trim()));
  if (both !== undefined) throw usage(`--tag and --untag both name "${both}". Remove one of them.`);
  const change: AnnotationChange = given({
    title: values.title,
    note,
    add_tags: values.tag,
    remove_tags: values.untag,
    score: values.score === undefined ? undefined : wholeNumber('--score', values.score, 0),
    pinned: either('pin', values.pin, values.unpin),
    archived: either('archive', values.archive, values.unarchive),
  });
  if (Object.keys(change).length === 0) throw usage('Give a note, or an option such as --tag or --score.');
  return { name: 'note', runId, change, url: values.url };
}

function readBenchmark(args: readonly string[]): Command {
  const { values, positionals } = parse(args, {
    ...COMMON,
    model: { type: 'string', short: 'm', multiple: true },
    categories: { type: 'string' },
    limit: { type: 'string' },
    think: { type: 'boolean' },
    continue: { type: 'string' },
    json: { type: 'boolean' },
  });
  const common = { name: 'benchmark', json: values.json === true, url: values.url } as const;
  if (values.continue !== undefined) {
    requireOnlyContinue('benchmark', values, positionals);
    return { ...common, start: { continued: values.continue } };
  }
  const folder = one(positionals, 'benchmark FOLDER --model NAME');
  if (!values.model) throw usage('Name the model: --model NAME.');
  return {
    ...common,
    start: {
      body: given({
        folder: resolve(folder),
        models: values.model,
        categories: values.categories?.split(',').map((each) => each.trim()),
        limit: values.limit === undefined ? undefined : wholeNumber('--limit', values.limit, 1),
        think: values.think,
      }),
    },
  };
}

function readRate(args: readonly string[]): Command {
  const { values, positionals: runIds } = parse(args, {
    ...COMMON,
    by: { type: 'string', multiple: true },
    with: { type: 'string' },
    part: { type: 'string' },
    title: { type: 'string' },
    continue: { type: 'string' },
    json: { type: 'boolean' },
  });
  const { by: models = [], continue: id } = values;
  if (id === undefined && (runIds.length === 0 || models.length === 0)) {
    throw usage('Usage: loupe rate RUN… --by MODEL');
  }
  if (id !== undefined) requireOnlyContinue('rating', values, runIds);
  return {
    name: 'rate',
    ...given({ id }),
    runIds,
    models,
    questionnaire: filled('--with', values.with ?? 'experience'),
    part: filled('--part', values.part ?? 'output'),
    title:
      values.title === undefined
        ? `Ratings of ${runIds.length === 1 ? '1 run' : `${runIds.length} runs`}`
        : filled('--title', values.title),
    json: values.json === true,
    url: values.url,
  };
}

/** `--image`. @throws {AppError} `usage` for an empty path, such as from an unset variable */
function imagesOf(paths: readonly string[] = []): readonly string[] {
  if (paths.includes('')) throw usage('--image needs the path of a file.');
  return paths;
}

/** A switch and its opposite. @throws {AppError} `usage` for both */
function either(name: string, on: boolean | undefined, off: boolean | undefined): boolean | undefined {
  if (on && off) throw usage(`--${name} and --un${name} cannot be combined.`);
  return on ? true : off ? false : undefined;
}

function readRun(args: readonly string[]): Command {
  const flags = [...SETTING_FLAGS, ...BUDGET_FLAGS].map(
    ({ flag, type }) => [flag, { type: type === 'switch' ? 'boolean' : 'string' }] as const,
  );
  const { values, positionals } = parse(args, {
    ...Object.fromEntries(flags),
    ...COMMON,
    model: { type: 'string', short: 'm' },
    workspace: { type: 'string', short: 'w' },
    mode: { type: 'string' },
    title: { type: 'string' },
    check: { type: 'string', multiple: true },
    option: { type: 'string', multiple: true },
    set: { type: 'string', multiple: true },
    image: { type: 'string', multiple: true },
    preset: { type: 'string', short: 'p' },
    'no-tools': { type: 'boolean' },
    live: { type: 'boolean' },
    detach: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  if (positionals.length > 1) throw usage('Put the task in quotes: loupe run "Read the notes and …".');
  refuseOtherOutput(values);
  const texts: Readonly<Record<string, unknown>> = values;
  const budget = readFlags(BUDGET_FLAGS, texts);
  const body: Record<string, unknown> = {
    ...given({
      model: values.model,
      task: positionals[0],
      workspace: values.workspace === undefined ? undefined : folderOf('--workspace', values.workspace),
      mode: values.mode,
      title: values.title,
      ...readFlags(SETTING_FLAGS, texts),
      agentic: values['no-tools'] === true ? false : undefined,
      live_tokens: values.live === true ? true : undefined,
      budget: Object.keys(budget).length > 0 ? budget : undefined,
      checks: values.check?.map(checkOf),
      model_options: values.option && modelOptionsOf(values.option),
    }),
  };
  const fields = (values.set ?? []).map((pair) => split('--set', pair));
  const twice = firstRepeated(fields.map(([key]) => key));
  if (twice !== undefined) throw usage(`--set ${twice} is given twice.`);
  // Only the preset tells which pairs fill in a placeholder.
  if (values.preset === undefined) Object.assign(body, readFields(fields, body));
  return {
    name: 'run',
    body,
    images: imagesOf(values.image),
    ...given({ preset: values.preset }),
    fields: values.preset === undefined ? [] : fields,
    json: values.json === true,
    detach: values.detach === true,
    live: values.live === true,
    url: values.url,
  };
}

/** Refuses two ways of printing a run, of which only one would be used. @throws {AppError} `usage` */
function refuseOtherOutput({
  detach,
  json,
  live,
}: {
  readonly [option in 'detach' | 'json' | 'live']?: boolean | undefined;
}): void {
  if (detach && json) {
    throw usage(
      '--detach prints only the ID. Remove --json, and print the events later: loupe follow RUN --json.',
    );
  }
  if (detach && live) {
    throw usage('--detach prints only the ID. Remove --live, and follow the run later: loupe follow RUN.');
  }
  if (json && live) {
    throw usage('--json prints events, not the text as it is written. Remove --live or --json.');
  }
}

/** A folder as the server finds it: its own working folder is another one. The home folder (`~`) is the server's. */
function folderOf(option: string, path: string): string {
  if (path === '') throw usage(`${option} needs the path of a folder.`);
  return path.startsWith('~') || isAbsolute(path) ? path : resolve(path);
}

/** The fields that options set, read by the type of their value; the server checks its limits. */
function readFlags(flags: readonly Flag[], texts: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    flags.flatMap(({ flag, field, type, whole, min = 1, isList, isJson }): [string, unknown][] => {
      const text = texts[flag];
      if (text === true) return [[field, true]];
      if (typeof text !== 'string') return [];
      if (isList) return [[field, text.split(',').map((name) => name.trim())]];
      if (isJson) return [[field, jsonOf(`--${flag}`, text)]];
      if (type !== 'number') return [[field, text]];
      return [[field, whole ? wholeNumber(`--${flag}`, text, min) : amount(`--${flag}`, text)]];
    }),
  );
}

function jsonOf(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usage(`${option}: the value must be JSON. To read it from a file: ${option} "$(cat FILE)"`);
  }
}

function amount(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw usage(`${option} is "${text}"; it must be a number above 0.`);
  }
  return value;
}

function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** @throws {AppError} `usage` */
function checkOf(text: string): unknown {
  const read = readCheckArgument(text);
  if ('problem' in read) throw usage(`--check "${text}" ${read.problem}`);
  return read.check;
}

/** @throws {AppError} `usage` for an option that is given twice */
function modelOptionsOf(pairs: readonly string[]): Record<string, unknown> {
  const options = pairs.map(readOption);
  const twice = firstRepeated(options.map(([key]) => key));
  if (twice === undefined) return Object.fromEntries(options);
  const hint = twice === 'stop' ? ` Write several as a list: --option 'stop=["a", "b"]'.` : '';
  throw usage(`--option ${twice} is given twice.${hint}`);
}

/** `temperature=0.2`: numbers and booleans are converted, everything else is text. */
function readOption(pair: string): [string, number | boolean | string | unknown[]] {
  const [key, text] = split('--option', pair);
  // An empty stop string would end every reply at once.
  if (text === '') throw usage(`--option ${key} needs a value.`);
  if (key === 'stop') return [key, readJsonList(text) ?? [text]];
  if (text === 'true' || text === 'false') return [key, text === 'true'];
  return [key, text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text];
}

/** A list written as JSON. */
function readJsonList(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // a text
  }
}

/**
 * Reads fields like `checks=[{"type":"file_exists","path":"a.md"}]`.
 *
 * @param body the fields that other options set, which it must not replace
 * @throws {AppError} `usage`
 */
export function readFields(
  pairs: readonly (readonly [string, string])[],
  body: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(([key, text]) => {
      if (Object.hasOwn(body, key)) throw usage(`--set ${key}: another option also sets this field.`);
      try {
        return [key, JSON.parse(text)];
      } catch {
        throw usage(`--set ${key}: the value must be JSON; a string needs quotes: --set ${key}='"…"'.`);
      }
    }),
  );
}

function split(name: string, pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw usage(`${name} is "${pair}"; it must be KEY=VALUE.`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

import { EXPERIMENT_EXPORTS } from '../api/experiment-files.ts';
import type { StudySize } from '../api/study.ts';
import type { AppError } from '../errors/app-error.ts';
import { nearestName } from '../util/nearest-name.ts';
import { COMMON, one, outputOf, parse, usage, wholeNumber } from './options.ts';

/** The files that `loupe experiment export` writes. */
const EXPERIMENT_FORMATS = ['csv', 'jsonl', ...EXPERIMENT_EXPORTS] as const;
type ExperimentFormat = (typeof EXPERIMENT_FORMATS)[number];

/** How an experiment is started and followed. */
interface Following {
  /** The models to run instead of the plan's; empty: the plan's models. */
  models: readonly string[];
  /** How many runs are wanted, for plans with many. */
  confirmed?: number;
  detach: boolean;
  json: boolean;
  /** The lowest pass rate of a cell that counts as a success, from 0 to 1. */
  failUnder?: number;
}

export type ExperimentCommand =
  | ({ action: 'run'; file: string } & Following)
  | ({ action: 'study'; study: string; size: StudySize } & Following)
  | { action: 'studies'; json: boolean }
  | { action: 'status'; id?: string; json: boolean }
  | { action: 'results'; id: string; json: boolean; failUnder?: number }
  | { action: 'export'; id: string; format: ExperimentFormat; redact: boolean; output?: string }
  | { action: 'stop'; id: string; force: boolean }
  | { action: 'continue' | 'retry'; id: string }
  | { action: 'delete'; id: string; runs: boolean };

export const EXPERIMENT_USAGE = `  loupe experiment run PLAN [--model|-m NAME] [--confirm RUNS] [--fail-under RATE] [--detach] [--json]
      run a plan file (docs/experiments.md); exits with 1 if a cell's pass rate is below RATE, such as 0.8;
      --model replaces the models of the plan, and may be repeated
  loupe experiment study [--json]   list the studies that ship with Loupe
  loupe experiment study STUDY --model|-m NAME [--small] [--confirm RUNS] [--fail-under RATE] [--detach] [--json]
      run a study; --small runs a few cases once
  loupe experiment status [ID] [--json]
  loupe experiment results ID [--fail-under RATE] [--json]
  loupe experiment export ID [--format ${EXPERIMENT_FORMATS.join('|')}] [--raw] [--output|-o FILE]
      default: csv. html is a report, redacted unless --raw is given; bundle is a zip file with plan, suite, results, report and all logs
  loupe experiment stop ID [--force]        after the current run, or immediately
  loupe experiment continue ID
  loupe experiment retry ID                 retry the runs that did not run, such as those of a missing model
  loupe experiment delete ID [--runs]       its runs are kept unless --runs is given`;

const FOLLOWING = {
  ...COMMON,
  model: { type: 'string', short: 'm', multiple: true },
  confirm: { type: 'string' },
  'fail-under': { type: 'string' },
  detach: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** The names of the commands, as the help lists them. */
const ACTIONS = [
  'run',
  'study',
  'status',
  'results',
  'export',
  'stop',
  'continue',
  'retry',
  'delete',
] as const satisfies readonly ExperimentCommand['action'][];

const EXPERIMENT_FORMS = `Usage: loupe experiment run PLAN, or ${ACTIONS.slice(1).join(', ')}.`;

/** Options of a list of studies. */
const LISTING: ReadonlySet<string> = new Set(['json', ...Object.keys(COMMON)]);

/** Parses what follows `loupe experiment`. Pure. @throws {AppError} `usage` */
export function readExperiment(args: readonly string[]): { command: ExperimentCommand; url?: string } {
  const [action, ...rest] = args;
  switch (action) {
    case 'run': {
      const { values, positionals } = parse(rest, FOLLOWING);
      const file = one(positionals, 'experiment run PLAN');
      return { command: { action, file, ...followingOf(values) }, ...urlOf(values) };
    }
    case 'study': {
      const { values, positionals } = parse(rest, { ...FOLLOWING, small: { type: 'boolean' } });
      if (positionals.length === 0) {
        const unused = Object.keys(values).filter((option) => !LISTING.has(option));
        if (unused.length > 0)
          throw usage(`Name the study that --${unused[0]} is for: loupe experiment study NAME.`);
        return { command: { action: 'studies', json: values.json === true }, ...urlOf(values) };
      }
      const study = one(positionals, 'experiment study NAME');
      const following = followingOf(values);
      if (following.models.length === 0) throw usage('Name the model: --model NAME. It may be repeated.');
      return {
        command: { action, study, size: values.small ? 'small' : 'full', ...following },
        ...urlOf(values),
      };
    }
    case 'status': {
      const { values, positionals } = parse(rest, { ...COMMON, json: { type: 'boolean' } });
      if (positionals.length > 1 || positionals[0] === '') throw usage('Usage: loupe experiment status [ID]');
      const [id] = positionals;
      return {
        command: { action, json: values.json === true, ...(id === undefined ? {} : { id }) },
        ...urlOf(values),
      };
    }
    case 'results': {
      const { values, positionals } = parse(rest, {
        ...COMMON,
        json: { type: 'boolean' },
        'fail-under': { type: 'string' },
      });
      const id = one(positionals, 'experiment results ID');
      return {
        command: { action, id, json: values.json === true, ...rateOf(values['fail-under']) },
        ...urlOf(values),
      };
    }
    case 'export':
      return readExport(rest);
    case 'stop': {
      const { values, positionals } = parse(rest, { ...COMMON, force: { type: 'boolean' } });
      const id = one(positionals, 'experiment stop ID');
      return { command: { action, id, force: values.force === true }, ...urlOf(values) };
    }
    case 'continue':
    case 'retry': {
      const { values, positionals } = parse(rest, COMMON);
      return { command: { action, id: one(positionals, `experiment ${action} ID`) }, ...urlOf(values) };
    }
    case 'delete': {
      const { values, positionals } = parse(rest, { ...COMMON, runs: { type: 'boolean' } });
      const id = one(positionals, 'experiment delete ID');
      return { command: { action, id, runs: values.runs === true }, ...urlOf(values) };
    }
    case undefined:
      throw usage(EXPERIMENT_FORMS);
    default:
      throw noSuchAction(action);
  }
}

/** Refuses a word after `loupe help experiment` that is none of its commands. @throws {AppError} `usage` */
export function requireAction(action: string): void {
  if (!ACTIONS.some((known) => known === action)) throw noSuchAction(action);
}

function noSuchAction(action: string): AppError {
  const nearest = nearestName(action, ACTIONS);
  const hint = nearest ? `; did you mean "${nearest}"?` : `. ${EXPERIMENT_FORMS}`;
  return usage(`"experiment ${action}" is not a command${hint}`);
}

function readExport(args: readonly string[]): { command: ExperimentCommand; url?: string } {
  const { values, positionals } = parse(args, {
    ...COMMON,
    format: { type: 'string' },
    raw: { type: 'boolean' },
    output: { type: 'string', short: 'o' },
  });
  const format = EXPERIMENT_FORMATS.find((known) => known === (values.format ?? 'csv'));
  if (!format) {
    throw usage(`--format is "${values.format}"; it must be one of ${EXPERIMENT_FORMATS.join(', ')}.`);
  }
  const output = outputOf(values.output);
  return {
    command: {
      action: 'export',
      id: one(positionals, 'experiment export ID'),
      format,
      redact: values.raw !== true,
      ...(output === undefined ? {} : { output }),
    },
    ...urlOf(values),
  };
}

function followingOf(values: {
  model?: string[];
  confirm?: string;
  'fail-under'?: string;
  detach?: boolean;
  json?: boolean;
}): Following {
  if (values.detach && values.json) {
    throw usage(
      '--detach prints only the ID. Remove --json, and print the results later: loupe experiment results ID --json.',
    );
  }
  if (values.detach && values['fail-under'] !== undefined) {
    throw usage(
      '--fail-under needs the results, which --detach does not wait for. Use it later: loupe experiment results ID --fail-under RATE.',
    );
  }
  return {
    models: values.model ?? [],
    ...(values.confirm === undefined ? {} : { confirmed: wholeNumber('--confirm', values.confirm, 1) }),
    detach: values.detach === true,
    json: values.json === true,
    ...rateOf(values['fail-under']),
  };
}

function rateOf(text: string | undefined): { failUnder?: number } {
  if (text === undefined) return {};
  const rate = Number(text);
  if (text.trim() === '' || !(rate >= 0 && rate <= 1)) {
    throw usage(`--fail-under is "${text}"; it must be a number from 0 to 1, such as 0.8.`);
  }
  return { failUnder: rate };
}

function urlOf({ url }: { url?: string }): { url?: string } {
  return url === undefined ? {} : { url };
}

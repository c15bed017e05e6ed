import { z } from 'zod';
import { type Check, check } from '../events/check.ts';
import {
  MAX_CASE_FILES,
  MAX_CASE_PATH_CHARS,
  MAX_METADATA_CHARS,
  MAX_OFFERED_TOOLS,
  MAX_PATH_CHARS,
  MAX_SUITE_CASES,
  MAX_SUITE_NAME_CHARS,
  MAX_TAGS,
  MAX_TARGETS,
  MAX_TASK_CHARS,
} from '../events/limits.ts';
import { MAX_TOOL_NAME_CHARS } from '../events/mcp-names.ts';
import { kindFacts, modeAndTools, type RunKind, runKinds } from '../events/modes.ts';
import { MAX_CHECKS } from '../events/settings.ts';
import { isGitStep } from '../sandbox/git-step.ts';
import { formatCount } from '../util/numbers.ts';
import { VISIBLE_LINE } from '../util/visible-line.ts';
import { caseId, caseTag } from './case-names.ts';
import { contradictions, runFields } from './create-run.ts';
import { withoutUnused } from './unused-fields.ts';

/** The mark of a suite file. The number changes when older programs could not read the format. */
export const SUITE_FORMAT = 'loupe-suite/1';

/** The kind of run that a case is if it names none. */
const DEFAULT_CASE_MODE = 'task' satisfies RunKind;

const MAX_TARGET_CHARS = 10_000;

const target = z.string().min(1, 'A target must not be empty.').max(MAX_TARGET_CHARS);

/** The files that a case starts with, by their path in the workspace. */
const caseFiles = z.record(z.string(), z.string()).superRefine((files, context) => {
  const paths = Object.keys(files);
  const complain = (message: string, path: string[] = []) =>
    context.addIssue({ code: 'custom', path, message });
  if (paths.length > MAX_CASE_FILES) complain(`A case can have at most ${MAX_CASE_FILES} files.`);
  const problems = new Map(paths.map((path) => [path, pathProblem(path)]));
  // Not of a path that is too long: together, its folders have the square of its length.
  const folders = new Set(paths.filter((path) => problems.get(path) === undefined).flatMap(foldersOf));
  for (const [path, problem] of problems) {
    if (problem !== undefined) complain(problem, [path]);
    else if (folders.has(path)) complain('This is also the folder of another file.', [path]);
  }
});

const metadata = z
  .record(z.string(), z.json())
  .refine(
    (value) => JSON.stringify(value).length <= MAX_METADATA_CHARS,
    `The metadata must have at most ${formatCount(MAX_METADATA_CHARS)} characters as JSON.`,
  );

/** The settings of a case need not be complete: the plan of an experiment has further ones. */
const PART = { isComplete: false };

/** The settings of the runs of a case, as in an experiment. Checks have a separate field. */
const caseSettings = runFields.omit({
  ...{
    images: true,
    mode: true,
    agentic: true,
    title: true,
    task: true,
    model: true,
    workspace: true,
    workspace_copy: true,
  },
  ...{ checks: true, model_options: true, max_cycles: true, turn_delay: true, unattended: true },
});

const caseFields = z.strictObject({
  id: caseId,
  /** The task or the prompt; empty in an exploration. Named as in the samples of Inspect. */
  input: z.string().max(MAX_TASK_CHARS).default(''),
  /** The answer must contain this text, or one of these texts. */
  target: z
    .union(
      [target, z.array(target).min(1).max(MAX_TARGETS)],
      'A target must be a string or a list of strings.',
    )
    .optional(),
  /** The text of each file, by its path in the workspace. */
  files: caseFiles.optional(),
  /** Absolute path of a folder; each run works on a copy of it. */
  folder: z
    .string()
    .max(MAX_PATH_CHARS)
    .regex(/^(?:\/|~(?:\/|$)|[A-Za-z]:[\\/])[^\p{Cc}]*$/u, 'The folder must be an absolute path.')
    .optional(),
  mode: z.enum(runKinds).optional(),
  /** The tools that are offered, also of servers (`server__tool`); all of the mode if missing or empty. */
  tools: z.array(z.string().max(MAX_TOOL_NAME_CHARS)).max(MAX_OFFERED_TOOLS).optional(),
  settings: caseSettings.optional(),
  tags: z
    .array(caseTag)
    .max(MAX_TAGS)
    .refine((tags) => new Set(tags).size === tags.length, 'A tag is listed twice.')
    .optional(),
  checks: z.array(check).max(MAX_CHECKS).optional(),
  metadata: metadata.optional(),
});

/** One task on which models are tried, with what its result must be. */
const suiteCase = caseFields.superRefine((one, context) => {
  for (const [path, message] of caseProblems(one)) context.addIssue({ code: 'custom', path, message });
});
export type SuiteCase = z.output<typeof suiteCase>;
export type SuiteCaseInput = z.input<typeof suiteCase>;

/** The cases of a suite as they are stored. Rules between fields may be newer: settings without effect are left out. */
export const storedCases = z.array(
  caseFields.transform(({ settings, ...one }): SuiteCase => {
    const { mode, agentic } = modeAndTools(modeOfCase(one));
    if (!settings) return one;
    const { mode: _mode, agentic: _agentic, ...used } = withoutUnused({ ...settings, mode, agentic }, PART);
    return { ...one, settings: used };
  }),
);

/** The kind of run that a case is. */
export function modeOfCase({ mode = DEFAULT_CASE_MODE }: Pick<SuiteCase, 'mode'>): RunKind {
  return mode;
}

/** Everything that a case checks: its target, which the answer must contain regardless of case, then its checks. */
export function checksOfCase({ target, checks = [] }: Pick<SuiteCase, 'target' | 'checks'>): Check[] {
  return target === undefined ? checks : [{ type: 'answer_contains', text: target }, ...checks];
}

/** The names of the settings that a case can have. */
export const CASE_SETTINGS: readonly string[] = Object.keys(caseSettings.shape);

const suiteName = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(MAX_SUITE_NAME_CHARS)
  .regex(VISIBLE_LINE, 'A name must be one line of visible characters.');

/** The cases of a suite: at least one, with different IDs. */
export const suiteCases = z
  .array(suiteCase)
  .min(1, 'A suite must have at least one case.')
  .max(MAX_SUITE_CASES, `A suite can have at most ${MAX_SUITE_CASES} cases.`)
  .superRefine((cases, context) => {
    const first = new Map<string, number>();
    for (const [index, { id }] of cases.entries()) {
      const earlier = first.get(id);
      if (earlier === undefined) first.set(id, index);
      else {
        const message = `Another case has this ID: number ${earlier + 1}.`;
        context.addIssue({ code: 'custom', path: [index, 'id'], message });
      }
    }
  });

/** The suite's own fields in a suite file: the header of JSON Lines. */
export const suiteHeader = z.strictObject({
  format: z.literal(SUITE_FORMAT).optional(),
  name: suiteName,
  description: z.string().trim().max(4000).default(''),
});

/** A named list of cases, as in a suite file. */
export const suite = suiteHeader.omit({ format: true }).extend({ cases: suiteCases });
export type Suite = z.output<typeof suite>;

/** A suite in a list. */
export const suiteRecord = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Hash of the current cases. */
  hash: z.string(),
  /** How many cases the current version has. */
  cases: z.int().nonnegative(),
  created_at: z.int().nonnegative(),
  updated_at: z.int().nonnegative(),
});
export type SuiteRecord = z.output<typeof suiteRecord>;

/** A version of the cases of a suite, without the cases. */
export const suiteVersion = z.object({
  hash: z.string(),
  cases: z.int().nonnegative(),
  created_at: z.int().nonnegative(),
});
export type SuiteVersion = z.output<typeof suiteVersion>;

/** The formats of suite files. */
export const suiteFileFormat = z.enum(['yaml', 'json', 'jsonl']);
export type SuiteFileFormat = z.output<typeof suiteFileFormat>;

/** Body of `POST /api/suites`: a suite file, a suite that ships with Loupe, or a suite. */
export const createSuiteRequest = z
  .strictObject({
    /** The text of a suite file, in `format`. */
    text: z.string().optional(),
    format: suiteFileFormat.optional(),
    /** The suite's name, for a file without one. */
    name: suiteName.optional(),
    /** The name of a suite that ships with Loupe. */
    shipped: z.string().optional(),
    /** Checked like the content of a file. */
    suite: z.unknown().optional(),
  })
  .refine(
    ({ text, shipped, suite: given }) =>
      [text, shipped, given].filter((value) => value !== undefined).length === 1,
    'Send "text" with "format", "shipped" or "suite".',
  )
  .refine(({ text, format }) => (text === undefined) === (format === undefined), {
    path: ['format'],
    message: `A text needs its format: "${suiteFileFormat.options.join('", "')}".`,
  });
export type CreateSuiteRequest = z.output<typeof createSuiteRequest>;

/** Body of `PUT /api/suites/{id}`. `base` is the hash of the version that was edited. */
export const updateSuiteRequest = z.strictObject({
  suite: z.unknown(),
  base: z.string().optional(),
});
export type UpdateSuiteRequest = z.output<typeof updateSuiteRequest>;

/** Body of `POST /api/suites/{id}/cases`: a case from the request of a run. */
export const addCaseRequest = z.strictObject({
  run_id: z.string().min(1).max(100),
  /** ID of the case; default: the ID of the run. */
  id: caseFields.shape.id.optional(),
  target: caseFields.shape.target,
  tags: caseFields.shape.tags,
});
export type AddCaseRequest = z.output<typeof addCaseRequest>;

export interface SuiteListReply {
  suites: SuiteRecord[];
  /** The suites that ship with Loupe, for `POST /api/suites` `{shipped}`. */
  shipped: { name: string; title: string; description: string; cases: number }[];
}

export interface SuiteReply {
  suite: SuiteRecord;
  cases: SuiteCase[];
  /** Newest first. */
  versions: SuiteVersion[];
}

/** `GET /api/shipped-suites/{name}` */
export interface ShippedSuiteReply {
  name: string;
  hash: string;
  cases: SuiteCase[];
}

/** `GET /api/experiments/{id}/cases`: the cases that it runs, as they were when it was created. */
export interface ExperimentCasesReply {
  cases: SuiteCase[];
}

export interface AddedCaseReply {
  suite: SuiteRecord;
  case: SuiteCase;
}

/** Problems of interdependent fields of a case, with their path. */
function caseProblems(one: z.output<typeof caseFields>): [path: (string | number)[], message: string][] {
  const { mode = DEFAULT_CASE_MODE, input, files, folder, tools, checks } = one;
  const facts = kindFacts(mode);
  const problems: [(string | number)[], string][] = [];
  const needsInput = facts.task === 'required';
  if (needsInput && input.trim() === '') problems.push([['input'], 'Say what the model should do.']);
  if (files && folder !== undefined) problems.push([['folder'], 'A case has either files or a folder.']);
  for (const [field, value] of Object.entries({ files, folder })) {
    if (value !== undefined && !facts.usesFiles) {
      problems.push([[field], `The mode "${mode}" works without files.`]);
    }
  }
  if (one.target !== undefined && !facts.answers) {
    problems.push([['target'], `The mode "${mode}" gives no answer.`]);
  }
  if (one.target !== undefined && (checks?.length ?? 0) >= MAX_CHECKS) {
    problems.push([['target'], `The target is a check, too: there can be at most ${MAX_CHECKS} with it.`]);
  }
  if (tools && one.settings?.tools)
    problems.push([['settings', 'tools'], "Use the case's own field tools instead."]);
  const request = { ...modeAndTools(mode), task: input, tools, ...one.settings, checks };
  for (const [field, message] of contradictions(request, PART)) {
    const isOwn = field === 'checks' || (field === 'tools' && tools !== undefined);
    const path = field === 'task' ? ['input'] : isOwn ? [field] : ['settings', field];
    problems.push([path, message]);
  }
  return problems;
}

function pathProblem(path: string): string | undefined {
  if (path === '' || path.length > MAX_CASE_PATH_CHARS) {
    return `A path must have 1 to ${formatCount(MAX_CASE_PATH_CHARS)} characters.`;
  }
  if (/[\\\p{Cc}]/u.test(path)) return 'A path must not contain backslashes or control characters.';
  if (/^(?:\/|~|[A-Za-z]:)/.test(path)) return 'The path must be relative to the workspace.';
  const steps = path.split('/');
  if (steps.some((step) => step === '' || step === '.' || step === '..')) {
    return 'The path must not contain "..", "." or empty parts.';
  }
  if (steps.some((step) => step === '__proto__')) return 'The name "__proto__" is not allowed.';
  return steps.some(isGitStep) ? 'The path must not lead into a .git folder.' : undefined;
}

/** The folders on the way to a file. */
function foldersOf(path: string): string[] {
  const steps = path.split('/');
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('/'));
}

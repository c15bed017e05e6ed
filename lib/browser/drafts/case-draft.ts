import type { SuiteCase, SuiteFileFormat } from '../../api/suite.ts';
import { kindFacts, type RunKind } from '../../events/modes.ts';
import { firstRepeated } from '../../util/first-repeated.ts';
import { type JsonObject, type JsonValue, jsonObject, jsonValue } from '../../util/json.ts';
import { type DraftCheck, draftOfCheck, readCheck } from './check-draft.ts';

/** A case in the form: everything as text. */
export interface CaseDraft {
  id: string;
  mode: RunKind;
  input: string;
  /** One target per line. */
  target: string;
  files: { path: string; text: string }[];
  folder: string;
  /** Separated by commas, as are the tools. */
  tags: string;
  tools: string;
  checks: DraftCheck[];
  /** JSON objects; empty if there are none. */
  settings: string;
  metadata: string;
}

/** A case as a request has it; the server checks its fields. */
export type WrittenCase = Record<string, JsonValue>;

export type ReadCase = { ok: true; value: WrittenCase } | { ok: false; problem: string };

export const EMPTY_CASE: CaseDraft = {
  ...{ id: '', mode: 'task', input: '', target: '', files: [], folder: '' },
  ...{ tags: '', tools: '', checks: [], settings: '', metadata: '' },
};

/** Fills the form with a case. */
export function caseDraftOf(one: SuiteCase): CaseDraft {
  return {
    id: one.id,
    mode: one.mode ?? 'task',
    input: one.input,
    target: targetText(one.target),
    files: Object.entries(one.files ?? {}).map(([path, text]) => ({ path, text })),
    folder: one.folder ?? '',
    tags: (one.tags ?? []).join(', '),
    tools: (one.tools ?? []).join(', '),
    checks: (one.checks ?? []).map(draftOfCheck),
    settings: jsonText(one.settings),
    metadata: jsonText(one.metadata),
  };
}

/**
 * Reads the form.
 *
 * @param before the case that filled the form, also one that is duplicated; what the form cannot show exactly is taken
 *   from it
 */
export function caseOf(draft: CaseDraft, before?: SuiteCase): ReadCase {
  const settings = objectOf(draft.settings);
  const metadata = objectOf(draft.metadata);
  if (settings === undefined) return { ok: false, problem: 'The settings must be a JSON object.' };
  if (metadata === undefined) return { ok: false, problem: 'The metadata must be a JSON object.' };
  const paths = draft.files.map(({ path }) => path);
  const twice = firstRepeated(paths);
  if (twice !== undefined) return { ok: false, problem: `The file "${twice}" is listed twice.` };
  const targets = draft.target.split('\n').filter((line) => line.trim() !== '');
  // A target may have several lines, which the form shows as several targets.
  const target =
    before?.target !== undefined && targetText(before.target) === draft.target
      ? before.target
      : targets.length === 1
        ? targets[0]
        : targets;
  // Fields that the mode lacks are not shown, and must not be sent.
  const { usesFiles, answers, task } = kindFacts(draft.mode);
  const tags = listOf(draft.tags);
  const tools = listOf(draft.tools);
  const checks: JsonValue[] = [];
  for (const [index, each] of (answers ? draft.checks : []).entries()) {
    const read = readCheck(each, toolsOfCase(draft));
    if (!read.ok) return { ok: false, problem: `Check ${index + 1}: ${read.problem}` };
    checks.push({ ...read.check });
  }
  const value: WrittenCase = {
    id: draft.id.trim(),
    ...(draft.input === '' || task === 'none' ? {} : { input: draft.input }),
    ...(target === undefined || target.length === 0 || !answers ? {} : { target }),
    ...(paths.length > 0 && usesFiles
      ? { files: Object.fromEntries(draft.files.map(({ path, text }) => [path, text])) }
      : {}),
    ...(draft.folder.trim() === '' || !usesFiles ? {} : { folder: draft.folder.trim() }),
    ...(draft.mode === 'task' && before?.mode === undefined ? {} : { mode: draft.mode }),
    ...(tools.length > 0 ? { tools } : {}),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(checks.length > 0 ? { checks } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  return { ok: true, value };
}

/** Fills the form with a copy of a case under an ID that is free; `like` is the `before` of `caseOf`. */
export function duplicateOf(one: SuiteCase, taken: readonly string[]): { draft: CaseDraft; like: SuiteCase } {
  return { draft: { ...caseDraftOf(one), id: freeCaseId(one.id, taken) }, like: one };
}

/** The cases of a suite with one that was written: in the place of the one before, or last if that is gone. Pure. */
export function withCase(
  cases: readonly SuiteCase[],
  one: WrittenCase,
  before?: SuiteCase,
): (SuiteCase | WrittenCase)[] {
  return cases.some(({ id }) => id === before?.id)
    ? cases.map((each) => (each.id === before?.id ? one : each))
    : [...cases, one];
}

/** The tools that the run of a case has: those it names, or all of its mode. */
export function toolsOfCase({ mode, tools }: Pick<CaseDraft, 'mode' | 'tools'>): readonly string[] {
  const named = listOf(tools);
  return named.length > 0 ? named : kindFacts(mode).tools;
}

/** An ID like another one that no case has yet. */
export function freeCaseId(id: string, taken: readonly string[]): string {
  let free = id;
  for (let number = 2; free === '' || taken.includes(free); number += 1) {
    free = `${id.slice(0, 90) || 'case'}-${number}`;
  }
  return free;
}

/** The format of a suite file, by its name or else by its text. */
export function formatOf(text: string, fileName = ''): SuiteFileFormat {
  const ending = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase();
  if (ending === 'jsonl' || ending === 'ndjson') return 'jsonl';
  if (ending === 'json') return 'json';
  if (ending === 'yaml' || ending === 'yml') return 'yaml';
  const start = text.trimStart();
  if (!start.startsWith('{') && !start.startsWith('[')) return 'yaml';
  const [first = ''] = start.split('\n', 1);
  return jsonValue(first) !== undefined && jsonValue(text) === undefined ? 'jsonl' : 'json';
}

/** The cases with a text in their ID, task or tags, and a tag. */
export function matchingCases(
  cases: readonly SuiteCase[],
  { text, tag }: { text: string; tag: string },
): SuiteCase[] {
  const wanted = text.trim().toLowerCase();
  return cases.filter(
    ({ id, input, tags = [] }) =>
      (tag === '' || tags.includes(tag)) &&
      [id, input, ...tags].some((each) => each.toLowerCase().includes(wanted)),
  );
}

function targetText(target: SuiteCase['target']): string {
  return target === undefined ? '' : [target].flat().join('\n');
}

function jsonText(value: object | undefined): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function objectOf(text: string): JsonObject | undefined {
  return text.trim() === '' ? {} : jsonObject(text);
}

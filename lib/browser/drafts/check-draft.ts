import { checkProblems } from '../../api/check-problems.ts';
import { definedOf } from '../../api/run-settings.ts';
import type { Check } from '../../events/check.ts';
import { CHECK_LIMITS, MAX_TARGETS } from '../../events/limits.ts';
import { kindFacts, type RunKind } from '../../events/modes.ts';
import { offersSetting } from '../../events/settings.ts';
import { assertNever } from '../../util/assert-never.ts';
import { isBoundedObject, jsonObject, jsonValue } from '../../util/json.ts';
import { keysOf } from '../../util/records.ts';

/** The fields of checks, under their names in the API. */
export type CheckField =
  | 'command'
  | 'path'
  | 'text'
  | 'texts'
  | 'pattern'
  | 'value'
  | 'tolerance'
  | 'schema'
  | 'tool'
  | 'arguments'
  | 'at_least'
  | 'at_most'
  | 'iterations'
  | 'criteria'
  | 'model';

interface FieldFacts {
  readonly label: string;
  readonly placeholder: string;
  readonly input: 'text' | 'number' | 'json' | 'tool' | 'prose';
  readonly optional?: true;
}

export const CHECK_FIELDS: Readonly<Record<CheckField, FieldFacts>> = {
  command: { label: 'Command', placeholder: 'npm test', input: 'text' },
  path: { label: 'Path', placeholder: 'summary.md', input: 'text' },
  text: { label: 'Text', placeholder: 'the text', input: 'text' },
  texts: { label: 'Texts', placeholder: '["4", "four"]', input: 'json' },
  pattern: { label: 'Regular expression', placeholder: '\\bcity: \\w+', input: 'text' },
  value: { label: 'Value', placeholder: '42', input: 'text' },
  tolerance: { label: 'Tolerance', placeholder: '0', input: 'number', optional: true },
  schema: { label: 'JSON schema', placeholder: '{"type": "object", "required": ["city"]}', input: 'json' },
  tool: { label: 'Tool', placeholder: '', input: 'tool' },
  arguments: { label: 'With arguments', placeholder: '{"path": "a.md"}', input: 'json', optional: true },
  at_least: { label: 'At least', placeholder: '1', input: 'number', optional: true },
  at_most: { label: 'At most', placeholder: 'no limit', input: 'number', optional: true },
  iterations: { label: 'Iterations', placeholder: '5', input: 'number' },
  criteria: { label: 'Criteria', placeholder: 'Names the cause and a way out of it.', input: 'prose' },
  model: { label: 'Judged by model', placeholder: 'the model of the run', input: 'text', optional: true },
};

interface ChoiceFacts {
  readonly label: string;
  readonly group: 'Workspace' | 'Answer' | 'Behavior' | 'Opinion';
  readonly fields: readonly CheckField[];
  /** Whether it can distinguish upper and lower case. */
  readonly hasCase?: true;
}

/**
 * What the form offers: the kinds of checks, with two for the two kinds of values of `answer_contains` and
 * `answer_equals`.
 */
const CHECK_CHOICES = {
  command: { label: 'Command succeeds', group: 'Workspace', fields: ['command'] },
  file_exists: { label: 'File exists', group: 'Workspace', fields: ['path'] },
  file_contains: { label: 'File contains', group: 'Workspace', fields: ['path', 'text'] },
  answer_contains: { label: 'Answer contains', group: 'Answer', fields: ['text'], hasCase: true },
  answer_contains_any: {
    label: 'Answer contains one of',
    group: 'Answer',
    fields: ['texts'],
    hasCase: true,
  },
  answer_equals: { label: 'Answer equals text', group: 'Answer', fields: ['value'] },
  answer_number: { label: 'Answer is number', group: 'Answer', fields: ['value', 'tolerance'] },
  answer_matches: { label: 'Answer matches', group: 'Answer', fields: ['pattern'], hasCase: true },
  answer_schema: { label: 'Answer fits JSON schema', group: 'Answer', fields: ['schema'] },
  tool_called: {
    label: 'Tool called',
    group: 'Behavior',
    fields: ['tool', 'at_least', 'at_most', 'arguments'],
  },
  tool_not_called: { label: 'Tool not called', group: 'Behavior', fields: ['tool'] },
  iterations_at_most: { label: 'Iterations at most', group: 'Behavior', fields: ['iterations'] },
  rubric: { label: 'Opinion of a model', group: 'Opinion', fields: ['criteria', 'model'] },
} as const satisfies Record<string, ChoiceFacts>;
export type CheckChoice = keyof typeof CHECK_CHOICES;

const CHOICES: readonly CheckChoice[] = keysOf(CHECK_CHOICES);

export const CHECK_GROUPS = ['Workspace', 'Answer', 'Behavior', 'Opinion'] as const;

/** A single answer has neither workspace nor calls. */
const NEEDS_TOOLS: ReadonlySet<ChoiceFacts['group']> = new Set(['Workspace', 'Behavior']);

export function choiceFacts(choice: CheckChoice): ChoiceFacts {
  return CHECK_CHOICES[choice];
}

export function isCheckChoice(value: string): value is CheckChoice {
  return Object.hasOwn(CHECK_CHOICES, value);
}

/** A check as it is filled in. Texts stay when another kind is chosen. */
export interface DraftCheck {
  choice: CheckChoice;
  texts: Partial<Record<CheckField, string>>;
  caseSensitive: boolean;
}

/** An empty check. */
export function newCheck(choice: CheckChoice): DraftCheck {
  return { choice, texts: {}, caseSensitive: false };
}

/** The choices for a run: a single answer (`tools` is empty) has neither workspace nor calls; commands need a sandbox. */
export function offeredChoices({
  tools,
  withCommands,
}: {
  tools: readonly string[];
  withCommands: boolean;
}): CheckChoice[] {
  return CHOICES.filter(
    (choice) =>
      (tools.length > 0 || !NEEDS_TOOLS.has(choiceFacts(choice).group)) &&
      (withCommands || choice !== 'command'),
  );
}

/** The draft of a check. Pure. */
export function draftOfCheck(check: Check): DraftCheck {
  const { type: _type, ...fields } = check;
  const choice = choiceOf(check);
  const texts = Object.entries(fields).flatMap(([given, value]) => {
    if (typeof value === 'boolean' || value === undefined) return [];
    const name = choice === 'answer_contains_any' && given === 'text' ? 'texts' : given;
    return [[name, typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)]];
  });
  return {
    choice,
    texts: Object.fromEntries(texts),
    caseSensitive: 'case_sensitive' in check && check.case_sensitive === true,
  };
}

function choiceOf(check: Check): CheckChoice {
  if (check.type === 'answer_equals' && typeof check.value === 'number') return 'answer_number';
  return check.type === 'answer_contains' && typeof check.text !== 'string'
    ? 'answer_contains_any'
    : check.type;
}

type ReadCheck = { ok: true; check: Check } | { ok: false; problem: string };

/** Reads a check, or says what is wrong with it. Pure. @param tools of the run */
export function readCheck(draft: DraftCheck, tools: readonly string[]): ReadCheck {
  const { label, fields, group } = choiceFacts(draft.choice);
  if (NEEDS_TOOLS.has(group) && tools.length === 0) {
    return refused(`“${label}” needs a run with tools. Remove it, or choose a check of the answer.`);
  }
  const written = (field: CheckField) => draft.texts[field]?.trim() ?? '';
  for (const field of fields) {
    const facts = CHECK_FIELDS[field];
    const text = written(field);
    if (text === '' && !facts.optional) return refused(`Fill in “${facts.label}”, or remove the check.`);
    const problem = text === '' ? undefined : fieldProblem(draft.choice, field, text);
    if (problem) return refused(`${facts.label}: ${problem}`);
  }
  const check = checkOf(draft, written);
  const [problem] = checkProblems([check], tools);
  return problem === undefined ? { ok: true, check } : refused(problem.slice(problem.indexOf(': ') + 2));
}

type ReadChecks = { ok: true; checks: Check[] } | { ok: false; problem: string };

/** Reads the checks of a run of a kind, or says which one is wrong and why. A kind without checks has none. Pure. */
export function readChecks(kind: RunKind, drafts: readonly DraftCheck[]): ReadChecks {
  if (!offersSetting(kind, 'checks')) return { ok: true, checks: [] };
  const checks: Check[] = [];
  for (const [index, draft] of drafts.entries()) {
    const read = readCheck(draft, kindFacts(kind).tools);
    if (!read.ok) return { ok: false, problem: `Check ${index + 1}: ${read.problem}` };
    checks.push(read.check);
  }
  return { ok: true, checks };
}

function refused(problem: string): ReadCheck {
  return { ok: false, problem };
}

function fieldProblem(choice: CheckChoice, field: CheckField, text: string): string | undefined {
  const { max_json_chars, max_json_depth, max_count } = CHECK_LIMITS;
  if (field === 'value') {
    return choice === 'answer_number' && !Number.isFinite(Number(text)) ? 'A number.' : undefined;
  }
  if (field === 'tolerance') return Number(text) >= 0 ? undefined : 'A number of at least 0.';
  switch (CHECK_FIELDS[field].input) {
    case 'number': {
      const min = field === 'at_least' ? 0 : 1;
      const count = Number(text);
      return Number.isInteger(count) && count >= min && count <= max_count
        ? undefined
        : `A whole number from ${min} to ${max_count}.`;
    }
    case 'json':
      if (field === 'texts') {
        return textList(text) ? undefined : `A list of texts, such as ${CHECK_FIELDS.texts.placeholder}.`;
      }
      return isBoundedObject(jsonValue(text), { maxChars: max_json_chars, maxDepth: max_json_depth })
        ? undefined
        : `A JSON object, such as ${CHECK_FIELDS[field].placeholder}.`;
    default:
      return undefined;
  }
}

/** The check that valid fields make. */
function checkOf(
  { choice, texts, caseSensitive }: DraftCheck,
  written: (field: CheckField) => string,
): Check {
  const number = (field: CheckField) => (written(field) === '' ? undefined : Number(written(field)));
  const json = (field: CheckField) => jsonObject(written(field));
  const sensitive = caseSensitive ? { case_sensitive: true } : {};
  switch (choice) {
    case 'command':
      return { type: choice, command: written('command') };
    case 'file_exists':
      return { type: choice, path: written('path') };
    case 'file_contains':
      return { type: choice, path: written('path'), text: texts.text ?? '' };
    case 'answer_contains':
      return { type: choice, text: texts.text ?? '', ...sensitive };
    case 'answer_contains_any':
      return { type: 'answer_contains', text: textList(written('texts')) ?? [], ...sensitive };
    case 'answer_matches':
      return { type: choice, pattern: texts.pattern ?? '', ...sensitive };
    case 'answer_equals':
      return { type: choice, value: written('value') };
    case 'answer_number':
      return {
        type: 'answer_equals',
        value: number('value') ?? 0,
        ...definedOf({ tolerance: number('tolerance') }),
      };
    case 'answer_schema':
      return { type: choice, schema: json('schema') ?? {} };
    case 'tool_called':
      return {
        type: choice,
        tool: written('tool'),
        ...definedOf({
          arguments: json('arguments'),
          at_least: number('at_least'),
          at_most: number('at_most'),
        }),
      };
    case 'tool_not_called':
      return { type: choice, tool: written('tool') };
    case 'iterations_at_most':
      return { type: choice, iterations: number('iterations') ?? 0 };
    case 'rubric':
      return {
        type: choice,
        criteria: written('criteria'),
        ...(written('model') !== '' && { model: written('model') }),
      };
    default:
      return assertNever(choice);
  }
}

/** JSON text as a list of texts for `answer_contains`; `undefined` if it is something else. */
function textList(text: string): string[] | undefined {
  const value = jsonValue(text);
  const texts = Array.isArray(value) ? value.filter((each) => typeof each === 'string' && each !== '') : [];
  const isList = Array.isArray(value) && texts.length === value.length;
  return isList && texts.length >= 1 && texts.length <= MAX_TARGETS ? texts.map(String) : undefined;
}

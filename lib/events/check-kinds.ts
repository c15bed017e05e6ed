import { keysOf } from '../util/records.ts';
import type { Check } from './check.ts';

/**
 * The subject of a check: files and commands, the answer, or the calls and iterations of the attempt. An opinion is a
 * model's view of the answer: it is shown separately and decides nothing.
 */
type Subject = 'workspace' | 'answer' | 'behavior' | 'opinion';

/** All kinds of checks, with their subject. */
const CHECK_SUBJECTS = {
  command: 'workspace',
  file_exists: 'workspace',
  file_contains: 'workspace',
  answer_contains: 'answer',
  answer_matches: 'answer',
  answer_equals: 'answer',
  answer_schema: 'answer',
  tool_called: 'behavior',
  tool_not_called: 'behavior',
  iterations_at_most: 'behavior',
  rubric: 'opinion',
} as const satisfies Record<Check['type'], Subject>;

type TypeAbout<About extends Subject> = {
  [Type in Check['type']]: (typeof CHECK_SUBJECTS)[Type] extends About ? Type : never;
}[Check['type']];

/** A check that runs in the workspace. */
export type WorkspaceCheck = Extract<Check, { type: TypeAbout<'workspace'> }>;
/** A check of the answer. */
export type AnswerCheck = Extract<Check, { type: TypeAbout<'answer'> }>;
/** A check of what the attempt did. */
export type BehaviorCheck = Extract<Check, { type: TypeAbout<'behavior'> }>;

/** A check that a model judges. */
export type RubricCheck = Extract<Check, { type: TypeAbout<'opinion'> }>;

const CHECK_TYPES: readonly Check['type'][] = keysOf(CHECK_SUBJECTS);

/** The kinds that quick prompts can have, too. */
export const ANSWER_CHECK_TYPES = CHECK_TYPES.filter((type) => !needsTools(type));

export function isCheckType(type: unknown): type is Check['type'] {
  return typeof type === 'string' && Object.hasOwn(CHECK_SUBJECTS, type);
}

export function isWorkspaceCheck(check: Check): check is WorkspaceCheck {
  return CHECK_SUBJECTS[check.type] === 'workspace';
}

export function isAnswerCheck(check: Check): check is AnswerCheck {
  return CHECK_SUBJECTS[check.type] === 'answer';
}

export function isBehaviorCheck(check: Check): check is BehaviorCheck {
  return CHECK_SUBJECTS[check.type] === 'behavior';
}

export function isRubric(check: Check): check is RubricCheck {
  return CHECK_SUBJECTS[check.type] === 'opinion';
}

/** Whether a check needs a run with tools: a quick prompt has no workspace, no calls and one iteration. */
export function needsTools(type: Check['type']): boolean {
  const subject = CHECK_SUBJECTS[type];
  return subject !== 'answer' && subject !== 'opinion';
}

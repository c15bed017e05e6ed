import { z } from 'zod';
import { isBoundedObject, type JsonObject } from '../util/json.ts';
import { formatCount } from '../util/numbers.ts';
import { CHECK_LIMITS, MAX_PATH_CHARS, MAX_TARGETS } from './limits.ts';

const { max_text_chars, max_pattern_chars, max_json_chars, max_json_depth, max_count } = CHECK_LIMITS;

const checkedText = z.string().min(1).max(max_text_chars);
const count = z.int().max(max_count);
/** A JSON object of limited size and depth: arguments, or a JSON schema. */
export const boundedJson = z.custom<JsonObject>(
  (value) => isBoundedObject(value, { maxChars: max_json_chars, maxDepth: max_json_depth }),
  `This must be a JSON object of at most ${formatCount(max_json_chars)} characters and ${max_json_depth} levels.`,
);

/** Criteria by which a model judges the answer. */
export const rubricCheck = z.strictObject({
  type: z.literal('rubric'),
  /** Criteria of a good answer, for the judging model. */
  criteria: checkedText,
  /** The model that judges. Default: the run's own. */
  model: z.string().min(1).max(200).optional(),
});

/**
 * A verification check (V11) of the workspace, the answer, or the attempt's behavior. A log may contain one with
 * masked texts, so further requirements for new checks are in `checkProblems`.
 */
export const check = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('command'), command: z.string().min(1).max(4000) }),
  z.strictObject({ type: z.literal('file_exists'), path: z.string().min(1).max(MAX_PATH_CHARS) }),
  z.strictObject({
    type: z.literal('file_contains'),
    path: z.string().min(1).max(MAX_PATH_CHARS),
    text: checkedText,
  }),
  z.strictObject({
    type: z.literal('answer_contains'),
    /** A text, or texts of which one is enough. */
    text: z.union([checkedText, z.array(checkedText).min(1).max(MAX_TARGETS)]),
    /** Default: `false`. */
    case_sensitive: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('answer_matches'),
    /** A regular expression of JavaScript, searched for in the answer with the flag `u`. */
    pattern: z.string().min(1).max(max_pattern_chars),
    /** Default: `false`. */
    case_sensitive: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('answer_equals'),
    /** A text is compared with the whole answer, a number with the last number in it. */
    value: z.union([checkedText, z.number()]),
    /** How far the number may be off. Default: 0. */
    tolerance: z.number().min(0).optional(),
  }),
  z.strictObject({ type: z.literal('answer_schema'), schema: boundedJson }),
  z.strictObject({
    type: z.literal('tool_called'),
    tool: z.string().min(1).max(200),
    /** Only calls with these arguments count; a call may have more. */
    arguments: boundedJson.optional(),
    /** Default: 1. */
    at_least: count.min(0).optional(),
    at_most: count.min(1).optional(),
  }),
  z.strictObject({ type: z.literal('tool_not_called'), tool: z.string().min(1).max(200) }),
  z.strictObject({ type: z.literal('iterations_at_most'), iterations: count.min(1) }),
  rubricCheck,
]);
export type Check = z.infer<typeof check>;
export type CheckOf<Type extends Check['type']> = Extract<Check, { type: Type }>;

import { schemaProblem } from '../../api/check-problems.ts';
import { CHECK_LIMITS } from '../../events/limits.ts';
import { errorMessage } from '../../util/error-message.ts';
import { isBoundedObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { formatCount } from '../../util/numbers.ts';

/** The initial text of the field: a typical schema to edit. */
export const SAMPLE_SCHEMA = JSON.stringify(
  {
    type: 'object',
    properties: { answer: { type: 'string' }, files: { type: 'array', items: { type: 'string' } } },
    required: ['answer'],
  },
  undefined,
  2,
);

/** Reads the schema of the answer as it is written in the form. Empty: the answer may be any text. Pure. */
export function readAnswerSchema(
  text: string,
): { ok: true; schema: JsonObject | undefined } | { ok: false; problem: string } {
  if (text.trim() === '') return { ok: true, schema: undefined };
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, problem: `This is not JSON: ${errorMessage(error)}` };
  }
  const { max_json_chars, max_json_depth } = CHECK_LIMITS;
  if (!isBoundedObject(value, { maxChars: max_json_chars, maxDepth: max_json_depth })) {
    return {
      ok: false,
      problem: `This must be a JSON object of at most ${formatCount(max_json_chars)} characters and ${max_json_depth} levels.`,
    };
  }
  const problem = schemaProblem(value);
  return problem === undefined ? { ok: true, schema: value } : { ok: false, problem };
}

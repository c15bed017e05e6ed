import { type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { JsonObject } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';

const MAX_PROBLEMS = 5;

/** Keywords whose errors only say that something inside a value does not fit, which has its own error. */
const REPORTED_WITH_CAUSE: ReadonlySet<string> = new Set([
  '$ref',
  '$recursiveRef',
  'allOf',
  'dependentSchemas',
  'false',
  'items',
  'patternProperties',
  'prefixItems',
  'properties',
]);

/** Where a value does not fit a schema: the first problems, and how many more there are. */
export interface SchemaProblems {
  problems: readonly string[];
  more: number;
}

/**
 * Checks a value against a JSON schema of the draft that it names, or of 2020-12. Pure; throws for schemas and values nested too deeply for the validator,
 * and can run arbitrarily long: see `askThread`.
 */
export function schemaProblems(value: unknown, schema: JsonObject): SchemaProblems {
  // The validator writes into the schema.
  const validator = new Validator(structuredClone(schema), draftOf(schema), false);
  const { valid, errors } = validator.validate(value);
  if (valid) return { problems: [], more: 0 };
  const causes = errors.filter(({ keyword }) => !REPORTED_WITH_CAUSE.has(keyword));
  const shown = (causes.length > 0 ? causes : errors).slice(0, MAX_PROBLEMS);
  return {
    problems: shown.map(
      ({ instanceLocation, error }) => `${placeIn(instanceLocation)}: ${shortText(error, 300)}`,
    ),
    more: Math.max(0, causes.length - shown.length),
  };
}

/** The schema's draft, since drafts differ: in draft 4, for example, `exclusiveMaximum` is not a number. */
function draftOf({ $schema: dialect }: JsonObject): SchemaDraft {
  const named =
    typeof dialect === 'string' ? /\/(draft-0[3467]|2019-09)\/schema#?$/.exec(dialect)?.[1] : undefined;
  return DRAFTS.get(named) ?? '2020-12';
}

const DRAFTS: ReadonlyMap<string | undefined, SchemaDraft> = new Map([
  ['draft-03', '4'],
  ['draft-04', '4'],
  ['draft-06', '7'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
]);

/** A JSON pointer such as `#/items/0/name` as a path. */
function placeIn(location: string): string {
  return location === '#' ? 'the whole value' : shortText(location.slice(2), 200);
}

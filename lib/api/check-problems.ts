import type { Check } from '../events/check.ts';
import { isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import { nearestName } from '../util/nearest-name.ts';
import { regularExpression } from '../util/regular-expression.ts';
import { shortMiddle, shortText } from '../util/short-text.ts';

/** Problems of the checks in a request other than their form, with the number of the check. Pure. */
export function checkProblems(checks: readonly Check[], tools: readonly string[]): string[] {
  return checks.flatMap((check, index) => {
    const problem = problemOf(check, tools);
    return problem === undefined ? [] : [`Check ${index + 1} (${check.type}): ${problem}`];
  });
}

function problemOf(check: Check, tools: readonly string[]): string | undefined {
  switch (check.type) {
    case 'answer_matches':
      return patternProblem(check.pattern);
    case 'answer_equals':
      return typeof check.value === 'string' && check.tolerance !== undefined
        ? 'tolerance applies to numbers; give the value without quotes.'
        : undefined;
    case 'answer_schema':
      return schemaProblem(check.schema);
    case 'tool_called':
      if (check.at_most !== undefined && check.at_most < (check.at_least ?? 1)) {
        return `at_most is ${check.at_most}, below at_least, which is ${check.at_least ?? 1}.`;
      }
      return toolProblem(check.tool, tools);
    case 'tool_not_called':
      return toolProblem(check.tool, tools);
    default:
      return undefined;
  }
}

/** A schema can have texts of any length. */
const MAX_QUOTED_CHARS = 80;
const MAX_PLACE_CHARS = 200;

function shown(value: JsonValue | undefined): string {
  return shortText(JSON.stringify(value) ?? '', MAX_QUOTED_CHARS);
}

function patternProblem(pattern: string): string | undefined {
  return regularExpression(pattern, 'u')
    ? undefined
    : `"${pattern}" is not a valid regular expression (JavaScript, with the flag u).`;
}

function toolProblem(tool: string, tools: readonly string[]): string | undefined {
  if (tools.includes(tool)) return undefined;
  const nearest = nearestName(tool, tools);
  return `"${shortText(tool, MAX_QUOTED_CHARS)}" is not a tool; ${nearest ? `did you mean "${nearest}"?` : `it must be one of ${tools.join(', ')}.`}`;
}

const TYPES: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);
/** Keywords that contain values or names, not schemas. */
const PLAIN_KEYWORDS: ReadonlySet<string> = new Set([
  'const',
  'default',
  'dependentRequired',
  'enum',
  'examples',
]);
/** Keywords that contain schemas by names of properties or definitions. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** The first mistake of a JSON schema that would fail every answer; the validator reads no meta-schema. */
export function schemaProblem(root: JsonObject): string | undefined {
  const visit = (schema: JsonValue, path: string): string | undefined => {
    if (typeof schema !== 'object' || schema === null) return undefined;
    if (Array.isArray(schema))
      return first(schema.map((each, index) => () => visit(each, `${path}/${index}`)));
    return first([
      () => keywordProblem(schema, root, path),
      ...Object.entries(schema).map(([keyword, value]) => () => {
        if (PLAIN_KEYWORDS.has(keyword)) return undefined;
        const place = `${path}/${keyword}`;
        if (!NAMED_SCHEMAS.has(keyword) || !isRecord(value)) return visit(value, place);
        return first(
          Object.entries(value).map(
            ([name, each]) =>
              () =>
                visit(each, `${place}/${name}`),
          ),
        );
      }),
    ]);
  };
  return visit(root, 'schema');
}

function keywordProblem(schema: JsonObject, root: JsonObject, place: string): string | undefined {
  const path = shortMiddle(place, MAX_PLACE_CHARS);
  const { type, pattern, patternProperties, $ref } = schema;
  const types = Array.isArray(type) ? type : [type];
  const unknown = type === undefined ? undefined : types.find((each) => !TYPES.has(each));
  if (unknown !== undefined) return `${path}/type: ${shown(unknown)} is not a type of JSON schema.`;
  const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
  const broken = [pattern, ...patterns].find(
    (each) => typeof each === 'string' && !regularExpression(each, 'u'),
  );
  if (broken !== undefined) return `${path}: ${shown(broken)} is not a valid regular expression.`;
  if (typeof $ref === 'string' && !resolves($ref, root)) {
    return `${path}/$ref: ${shown($ref)} does not point to a part of this schema, such as "#/$defs/name".`;
  }
  return undefined;
}

/** Whether a reference leads to a part of the schema. Nothing is fetched. */
function resolves(reference: string, root: JsonObject): boolean {
  if (!reference.startsWith('#')) return false;
  if (!reference.startsWith('#/')) return true; // the whole schema, or an anchor
  let part: JsonValue | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return false;
    part = (part as JsonObject)[key];
  }
  return part !== undefined;
}

function first(problems: readonly (() => string | undefined)[]): string | undefined {
  for (const problem of problems) {
    const found = problem();
    if (found !== undefined) return found;
  }
  return undefined;
}

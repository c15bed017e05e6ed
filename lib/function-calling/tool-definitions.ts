import { CATEGORIES } from '../api/benchmark-categories.ts';
import type { ParameterSchema, ToolDefinition } from '../parser/types.ts';
import { isRecord } from '../util/json.ts';
import type { FunctionCase, FunctionDescription } from './function-case.ts';

/** The files' type names, as JSON schema has them. @see `GORILLA_TO_OPENAPI` in `bfcl_eval/constants/type_mappings.py` */
const JSON_TYPES: Readonly<Record<string, string>> = {
  ...{ integer: 'integer', byte: 'integer', short: 'integer', long: 'integer', Bigint: 'integer' },
  ...{ number: 'number', float: 'number', double: 'number', boolean: 'boolean', bool: 'boolean' },
  ...{ array: 'array', list: 'array', tuple: 'array', ArrayList: 'array', Array: 'array' },
  ...{ Queue: 'array', Stack: 'array' },
  ...{ dict: 'object', object: 'object', HashMap: 'object', Hashtable: 'object' },
  ...{ string: 'string', String: 'string', char: 'string', any: 'string', Any: 'string' },
};

const LANGUAGE_HINTS = {
  python: ' Note that the provided function is in Python 3 syntax.',
  java: ' Note that the provided function is in Java 8 SDK syntax.',
  javascript: ' Note that the provided function is in JavaScript syntax.',
} as const;

type Property = FunctionDescription['parameters']['properties'][string];

/** The name under which a function is declared: servers take no dots in names, so each becomes an underscore. */
export function toolName(name: string): string {
  return name.replaceAll('.', '_');
}

/**
 * Declares the functions of a case as tools, as the leaderboard does for models with native calls: names without dots,
 * types of JSON schema, and a hint at the language. Arguments in Java and JavaScript are texts of expressions.
 *
 * @see `_func_doc_language_specific_pre_processing` in `bfcl_eval/utils.py` and `convert_to_tool` in
 *   `bfcl_eval/model_handler/utils.py`, both in the Python package `bfcl-eval` 2026.3.23
 */
export function toolDefinitions({ functions, category }: FunctionCase): ToolDefinition[] {
  const { language } = CATEGORIES[category];
  return functions.map(({ name, description, parameters }) => ({
    type: 'function',
    function: {
      name: toolName(name),
      description: description + LANGUAGE_HINTS[language],
      parameters: {
        ...parameters,
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(parameters.properties).map(([key, property]) => [
            key,
            schemaOf(language === 'python' ? property : asExpression(property, language)),
          ]),
        ),
      },
    },
  }));
}

function asExpression(
  { items, properties, ...property }: Property,
  language: 'java' | 'javascript',
): Property {
  const called = language === 'java' ? 'Java' : 'JavaScript';
  const notes = [
    property.type === 'any'
      ? ` This parameter can be of any type of ${called} object in string representation.`
      : ` This is ${called} ${property.type} type parameter in string representation.`,
  ];
  if (typeof items === 'object' && items !== null && 'type' in items) {
    notes.push(
      ` The list elements are of type ${String(items.type)}; they are not in string representation.`,
    );
  }
  if (properties !== undefined && language === 'javascript') {
    notes.push(
      ` The dictionary entries have the following schema; they are not in string representation. ${JSON.stringify(properties)}`,
    );
  }
  return { ...property, type: 'string', description: `${property.description ?? ''}${notes.join('')}` };
}

/** A described value as JSON schema, at every depth. */
function schemaOf(described: { readonly [key: string]: unknown }): ParameterSchema {
  const { type, properties, items, ...rest } = described;
  const isFloat = type === 'float';
  return {
    ...rest,
    ...(isFloat && { format: 'float', description: `${rest.description ?? ''} This is a float type value.` }),
    type: (typeof type === 'string' && JSON_TYPES[type]) || 'string',
    ...(isRecord(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, schemaOf(isRecord(value) ? value : {})]),
      ),
    }),
    ...(isRecord(items) && { items: schemaOf(items) }),
  };
}

import { CATEGORIES } from '../api/benchmark-categories.ts';
import type { FunctionCase, FunctionDescription } from './function-case.ts';
import { readJavaValue } from './java-value.ts';
import { readJavascriptValue } from './javascript-value.ts';
import { type ExpectedType, judgeValue } from './judge-value.ts';
import {
  Float,
  isAmong,
  isList,
  isObject,
  type PythonObject,
  type PythonType,
  type PythonValue,
  shown,
  typeOf,
} from './python-value.ts';
import { toolName } from './tool-definitions.ts';

/** A call of a reply, with the function's name as it was declared to the model. */
export interface JudgedCall {
  readonly name: string;
  readonly arguments: PythonValue;
}

/** Whether a reply is right, and if not, why. */
export type Judgment = { readonly right: true } | { readonly right: false; readonly reason: string };

/** A longer expression is not parsed, because the patterns take quadratic time. */
const MAX_EXPRESSION_CHARS = 4000;

const PYTHON_TYPES: Readonly<Record<string, PythonType>> = {
  ...{ string: 'str', integer: 'int', float: 'float', boolean: 'bool' },
  ...{ array: 'list', tuple: 'list', dict: 'dict', any: 'str' },
};
const JAVA_TYPES: Readonly<Record<string, PythonType>> = {
  ...{ byte: 'int', short: 'int', integer: 'int', long: 'int', float: 'float', double: 'float' },
  ...{ boolean: 'bool', char: 'str', String: 'str', any: 'str' },
  ...{ Array: 'list', ArrayList: 'list', Queue: 'list', Stack: 'list', HashMap: 'dict', Hashtable: 'dict' },
};
const JAVASCRIPT_TYPES: Readonly<Record<string, PythonType>> = {
  ...{ String: 'str', integer: 'int', float: 'float', Bigint: 'int', Boolean: 'bool' },
  ...{ dict: 'dict', array: 'list', any: 'str' },
};
const LANGUAGES = {
  python: { types: PYTHON_TYPES, lists: ['array', 'tuple'], read: undefined },
  java: { types: JAVA_TYPES, lists: ['ArrayList', 'Array'], read: readJavaValue },
  javascript: { types: JAVASCRIPT_TYPES, lists: ['array'], read: readJavascriptValue },
} as const;

/**
 * Judges the calls of a reply by the rules of the Berkeley Function Calling Leaderboard. Pure: the same calls always get
 * the same judgment.
 *
 * @see `ast_checker` in `bfcl_eval/eval_checker/ast_eval/ast_checker.py` and `_evaluate_single_relevance_entry` in
 *   `bfcl_eval/eval_checker/eval_runner.py`, both in the Python package `bfcl-eval` 2026.3.23
 */
export function judgeReply(one: FunctionCase, calls: readonly JudgedCall[]): Judgment {
  const { expects } = CATEGORIES[one.category];
  const readable = calls.every((call) => isObject(call.arguments));
  // A reply with unreadable arguments is not in the format of calls, so it has none.
  const called = readable && calls.length > 0;
  if (expects === 'none') return called ? wrong('The reply calls a function, but none is suitable.') : RIGHT;
  if (expects === 'some') return called ? RIGHT : wrong('The reply calls no function.');
  if (!readable) return wrong('The arguments of a call are not an object.');
  const count = expects === 'one' ? 1 : one.answers.length;
  if (calls.length !== count) return wrong(`The reply has ${calls.length} calls, not ${count}.`);
  if (expects === 'several') return judgeSeveral(one, calls);
  const [answer] = one.answers;
  const [call] = calls;
  if (!answer || !call) return wrong('The case has no possible answer.');
  return judgeCall(one, call, {
    answer,
    described: expects === 'one' ? one.functions[0] : describedFor(one, answer),
  });
}

const RIGHT: Judgment = { right: true };

function wrong(reason: string): Judgment {
  return { right: false, reason };
}

function describedFor({ functions }: FunctionCase, answer: PythonObject): FunctionDescription | undefined {
  const [name] = Object.keys(answer);
  return functions.find((each) => each.name === name);
}

/** Each expected call takes the first call that matches it and is left: their order doesn't matter. */
function judgeSeveral(one: FunctionCase, calls: readonly JudgedCall[]): Judgment {
  const left = [...calls];
  for (const [index, answer] of one.answers.entries()) {
    const described = describedFor(one, answer);
    const judgments = left.map((call) => judgeCall(one, call, { answer, described }));
    const match = judgments.findIndex(({ right }) => right);
    if (match < 0) {
      const [first] = judgments;
      const reason = left.length === 1 && first && !first.right ? ` ${first.reason}` : '';
      return wrong(`No call matches expected call ${index + 1}, of "${Object.keys(answer)[0]}".${reason}`);
    }
    left.splice(match, 1);
  }
  return RIGHT;
}

function judgeCall(
  { category }: FunctionCase,
  call: JudgedCall,
  { answer, described }: { answer: PythonObject; described: FunctionDescription | undefined },
): Judgment {
  if (!described) return wrong(`The function "${Object.keys(answer)[0]}" is not described.`);
  if (call.name !== toolName(described.name)) {
    return wrong(`"${call.name}" is called, not "${toolName(described.name)}".`);
  }
  const possible = Object.values(answer)[0];
  if (!isObject(possible) || !isObject(call.arguments)) return wrong('The possible answer has no arguments.');
  const { properties, required } = described.parameters;
  const args = call.arguments;
  const missing = required.find((param) => !Object.hasOwn(args, param));
  if (missing !== undefined) return wrong(`The required argument "${missing}" is missing.`);
  for (const [param, value] of Object.entries(args)) {
    const detail = Object.hasOwn(properties, param) ? properties[param] : undefined;
    const values = Object.hasOwn(possible, param) ? possible[param] : undefined;
    if (!detail || values === undefined || !isList(values)) {
      return wrong(`The argument "${param}" is not expected.`);
    }
    const reason = judgeArgument(param, value, { category, detail, possible: values });
    if (reason !== undefined) return wrong(reason);
  }
  const needed = Object.entries(possible).find(
    ([param, values]) => !Object.hasOwn(args, param) && !(isList(values) && isAmong('', values)),
  );
  return needed ? wrong(`The argument "${needed[0]}" is missing, and must not be.`) : RIGHT;
}

function judgeArgument(
  param: string,
  value: PythonValue,
  {
    category,
    detail,
    possible,
  }: {
    category: FunctionCase['category'];
    detail: FunctionDescription['parameters']['properties'][string];
    possible: readonly PythonValue[];
  },
): string | undefined {
  const language = LANGUAGES[CATEGORIES[category].language];
  const described = detail.type;
  const nested = language.lists.some((each) => each === described) ? elementType(detail) : undefined;
  const type = language.types[described];
  const elements = nested === undefined ? undefined : language.types[nested];
  if (type === undefined || (nested !== undefined && elements === undefined)) {
    return `The type of "${param}" in the function's description is unknown.`;
  }
  const expected: ExpectedType = { described, type, ...(elements && { elements }) };
  if (language.read) {
    if (typeof value !== 'string') {
      return `"${param}" must be the text of an expression; ${shown(value)} is ${typeOf(value)}.`;
    }
    const read = value.length > MAX_EXPRESSION_CHARS ? value : language.read(value, described, nested);
    return judgeValue(param, read, expected, possible);
  }
  // Python takes an integer where a float is expected.
  const own = described === 'float' && typeof value === 'number' ? new Float(value) : value;
  return judgeValue(param, own, expected, possible);
}

function elementType({ items }: { readonly [key: string]: unknown }): string | undefined {
  return typeof items === 'object' && items !== null && 'type' in items ? String(items.type) : undefined;
}

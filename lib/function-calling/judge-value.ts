import {
  equals,
  isAmong,
  isList,
  isObject,
  type PythonObject,
  type PythonType,
  type PythonValue,
  shown,
  typeOf,
} from './python-value.ts';

/** The type that a function's description demands, and the type of a list's elements. */
export interface ExpectedType {
  /** As written in the description. */
  readonly described: string;
  readonly type: PythonType;
  readonly elements?: PythonType;
}

/**
 * Judges one argument by the possible answers, as `type_checker` and the checkers after it do: strings without spaces,
 * case and the punctuation `,./-_*^`, lists in their order, dicts key by key. A possible answer of another type than the
 * description stands for a variable, and is compared as it is.
 *
 * @returns why it is wrong; `undefined` if it is right
 * @see `bfcl_eval/eval_checker/ast_eval/ast_checker.py` in the Python package `bfcl-eval` 2026.3.23
 */
export function judgeValue(
  param: string,
  value: PythonValue,
  expected: ExpectedType,
  possible: readonly PythonValue[],
): string | undefined {
  const typed = checkType(value, { ...expected, possible });
  if (typed === 'wrong') {
    return `The type of "${param}" is wrong: ${expected.described} is expected, ${shown(value)} is ${typeOf(value)}.`;
  }
  const wrong = `The value of "${param}" is wrong: ${shown(value)} is none of ${shown(possible)}.`;
  if (typed !== 'variable') {
    if (isObject(value)) return judgeDict(value, possible);
    if (isList(value) && expected.elements === 'dict') return judgeDicts(value, possible);
    if (typeof value === 'string') {
      const texts = possible.filter((answer) => typeof answer === 'string');
      return texts.some((answer) => normalized(answer) === normalized(value)) ? undefined : wrong;
    }
    if (isList(value)) {
      const own = value.map(normalizedText);
      return possible.some((answer) => equals(own, elementsOf(answer).map(normalizedText)))
        ? undefined
        : wrong;
    }
  }
  return isAmong(value, possible) ? undefined : wrong;
}

function checkType(
  value: PythonValue,
  { type, elements, possible }: { type: PythonType; elements?: PythonType; possible: readonly PythonValue[] },
): 'right' | 'variable' | 'wrong' {
  const first = possible.find((answer) => answer !== '');
  const answerType = first === undefined ? undefined : typeOf(first);
  if (typeOf(value) === type) {
    const typed = answerType !== undefined && answerType !== type ? 'variable' : 'right';
    if (elements === undefined) return typed;
    const fits = (answer: PythonValue) =>
      !isList(answer) ||
      (isList(value) &&
        value.every((entry) => checkType(entry, { type: elements, possible: answer }) !== 'wrong'));
    return possible.some(fits) ? typed : 'wrong';
  }
  return answerType !== undefined && typeOf(value) === answerType ? 'variable' : 'wrong';
}

function judgeDict(value: PythonObject, possible: readonly PythonValue[]): string | undefined {
  let problem: string | undefined = 'No dictionary is a possible answer.';
  for (const answer of possible) {
    if (answer === '') continue;
    problem = isObject(answer) ? problemOfDict(value, answer) : `${shown(answer)} is expected.`;
    if (problem === undefined) return undefined;
  }
  return problem;
}

function problemOfDict(value: PythonObject, answer: PythonObject): string | undefined {
  for (const [key, entry] of Object.entries(value)) {
    const allowed = Object.hasOwn(answer, key) ? answer[key] : undefined;
    if (allowed === undefined) return `The key "${key}" is not expected.`;
    if (!isAmong(normalizedText(entry), elementsOf(allowed).map(normalizedText))) {
      return `The value of the key "${key}" is wrong: ${shown(entry)} is none of ${shown(allowed)}.`;
    }
  }
  const missing = Object.entries(answer).find(
    ([key, allowed]) => !Object.hasOwn(value, key) && !isOptional(allowed),
  );
  return missing && `The key "${missing[0]}" is missing.`;
}

/** Python finds "" in every text: a key whose values are one text instead of a list can be left out. */
function isOptional(allowed: PythonValue): boolean {
  return typeof allowed === 'string' || (isList(allowed) && isAmong('', allowed));
}

/** A list of dicts must have the dicts of one possible answer, in its order. */
function judgeDicts(value: readonly PythonValue[], possible: readonly PythonValue[]): string | undefined {
  let problem: string | undefined = 'No list is a possible answer.';
  for (const answer of possible) {
    const expected = elementsOf(answer);
    if (expected.length !== value.length) {
      problem = `The list has ${value.length} dictionaries, not ${expected.length}.`;
      continue;
    }
    problem = undefined;
    for (const [index, entry] of value.entries()) {
      problem = isObject(entry)
        ? judgeDict(entry, [expected[index] ?? ''])
        : `${shown(entry)} is not a dictionary.`;
      if (problem !== undefined) break;
    }
    if (problem === undefined) return undefined;
  }
  return problem;
}

/** A possible answer as a list, as Python iterates over it: a text by its characters. */
function elementsOf(answer: PythonValue): readonly PythonValue[] {
  return isList(answer) ? answer : typeof answer === 'string' ? [...answer] : [answer];
}

function normalizedText(value: PythonValue): PythonValue {
  return typeof value === 'string' ? normalized(value) : value;
}

/** A text as it is compared: "April 1, 2024" equals "april 1 2024". */
function normalized(text: string): string {
  return text
    .replaceAll(/[ ,./\-_*^]/g, '')
    .toLowerCase()
    .replaceAll("'", '"');
}

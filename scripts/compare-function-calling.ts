import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CATEGORY_NAMES, type Category, hasAnswers } from '../lib/api/benchmark-categories.ts';
import type { FunctionCase } from '../lib/function-calling/function-case.ts';
import { judgeReply } from '../lib/function-calling/judge-reply.ts';
import {
  isList,
  isObject,
  type PythonObject,
  type PythonValue,
  parsePythonJson,
  plainValue,
} from '../lib/function-calling/python-value.ts';
import { readCases } from '../lib/function-calling/read-cases.ts';
import { toolName } from '../lib/function-calling/tool-definitions.ts';
import { FUNCTION_CALL_SAMPLES } from '../lib/testing/function-call-samples.ts';

/*
 * Compares our judgments of function calls with those of the leaderboard's own checker: on the samples of our tests, and
 * on replies made from its possible answers, right and wrong ones. Needs the unpacked Python package `bfcl-eval` and a Python with the packages
 * that its checker imports (numpy, pandas, filelock, tqdm, python-dotenv, tenacity, pydantic):
 *
 *   node scripts/compare-function-calling.ts FOLDER [PYTHON]
 *
 * FOLDER contains `bfcl_eval`. Prints the counts by category, and exits with 1 if a judgment differs.
 */

/** The checker loads every provider's client to look up whether names have underscores; here they always do. */
const CHECKER = `
import json, sys, types
root, data, path = sys.argv[1:4]
sys.path.insert(0, root)
model = types.SimpleNamespace(underscore_to_dot=True)
stub = types.ModuleType('bfcl_eval.constants.model_config')
stub.MODEL_CONFIG_MAPPING = {'model': model}
sys.modules['bfcl_eval.constants.model_config'] = stub
from bfcl_eval.constants.enums import Language
from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker
from bfcl_eval.utils import is_empty_output, is_function_calling_format_output, load_file
def entries(name):
    try: return load_file(f'{data}/{name}', use_lock=False)
    except FileNotFoundError: return None
current = None
with open(path) as lines:
    for line in lines:
        asked = json.loads(line)
        category = asked['category']
        if category != current:
            current = category
            cases = {case['id']: case for case in entries(f'BFCL_v4_{category}.json')}
            answers = entries(f'possible_answer/BFCL_v4_{category}.json')
            answers = answers and {answer['id']: answer['ground_truth'] for answer in answers}
        decoded = json.loads(asked['reply'])
        try:
            if answers is None:
                called = not is_empty_output(decoded)
                valid = called != ('irrelevance' in category)
            elif not is_function_calling_format_output(decoded):
                valid = False
            else:
                language = Language.JAVA if 'java' in category and 'javascript' not in category else Language.JAVASCRIPT if 'javascript' in category else Language.PYTHON
                functions, answer = cases[asked['id']]['function'], answers[asked['id']]
                valid = ast_checker(functions, decoded, answer, language, category, 'model')['valid']
        except Exception as error:
            valid = 'failed: ' + repr(error)
        print(json.dumps(valid))
`;

import { isRecord } from '../lib/util/json.ts';

interface Reply {
  one: FunctionCase;
  kind: string;
  /** A list of calls in JSON. */
  text: string;
  /** The judgment that our tests expect. */
  right?: boolean;
}

const [folder, python = 'python3'] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node scripts/compare-function-calling.ts FOLDER [PYTHON]');
  process.exit(2);
}
const own = samplesFolder();
try {
  const samples = compare(ownReplies(), { root: folder, data: own, interpreter: python });
  const data = join(folder, 'bfcl_eval', 'data');
  const made = compare(madeReplies(data), { root: folder, data, interpreter: python });
  process.exitCode = samples + made > 0 ? 1 : 0;
} finally {
  rmSync(own, { recursive: true });
}

/** A folder in the format, with the samples of our tests. */
function samplesFolder(): string {
  const scratch = mkdtempSync(join(tmpdir(), 'loupe-compare-'));
  mkdirSync(join(scratch, 'possible_answer'));
  for (const { category, question, answer } of FUNCTION_CALL_SAMPLES) {
    appendFileSync(join(scratch, `BFCL_v4_${category}.json`), `${question}\n`);
    if (answer) appendFileSync(join(scratch, 'possible_answer', `BFCL_v4_${category}.json`), `${answer}\n`);
  }
  return scratch;
}

function ownReplies(): Reply[] {
  return FUNCTION_CALL_SAMPLES.flatMap((sample) =>
    sample.replies.map(([text, right]) => ({ one: caseOf(sample), kind: `a sample, ${right}`, text, right })),
  );
}

function madeReplies(data: string): Reply[] {
  return CATEGORY_NAMES.flatMap((category) =>
    casesOf(data, category).flatMap((one) => repliesTo(one).map(([kind, text]) => ({ one, kind, text }))),
  );
}

/** @returns how many replies are judged differently */
function compare(
  replies: readonly Reply[],
  where: { root: string; data: string; interpreter: string },
): number {
  const verdicts = askChecker(replies, where);
  let differences = 0;
  const counts = new Map<string, { right: number; wrong: number; differ: number; failed: number }>();
  for (const [index, { one, kind, text, right }] of replies.entries()) {
    const theirs = verdicts[index];
    const ours = judgeReply(one, callsOf(text));
    const count = counts.get(one.category) ?? { right: 0, wrong: 0, differ: 0, failed: 0 };
    counts.set(one.category, count);
    // If the checker itself fails on a case, there is no judgment to compare.
    if (typeof theirs !== 'boolean') {
      count.failed += 1;
      continue;
    }
    count[theirs ? 'right' : 'wrong'] += 1;
    if (theirs === ours.right && theirs === (right ?? theirs)) continue;
    count.differ += 1;
    differences += 1;
    if (differences <= 20) console.info(`${one.id} (${kind}): theirs ${theirs}`, ours, text.slice(0, 300));
  }
  for (const [category, count] of counts) console.info(category, count);
  console.info(`${replies.length} replies, ${differences} judged differently.`);
  return differences;
}

function casesOf(data: string, category: Category): FunctionCase[] {
  const read = (name: string) => ({ name, text: readFileSync(join(data, name), 'utf8') });
  return readCases(category, {
    questions: read(`BFCL_v4_${category}.json`),
    answers: hasAnswers(category) ? read(`possible_answer/BFCL_v4_${category}.json`) : undefined,
  });
}

function caseOf({ category, question, answer }: (typeof FUNCTION_CALL_SAMPLES)[number]): FunctionCase {
  const [one] = readCases(category, {
    questions: { name: 'question', text: question },
    answers: answer === undefined ? undefined : { name: 'answer', text: answer },
  });
  if (!one) throw new Error('A sample has a case');
  return one;
}

function askChecker(
  replies: readonly Reply[],
  { root, data, interpreter }: { root: string; data: string; interpreter: string },
): unknown[] {
  const scratch = mkdtempSync(join(tmpdir(), 'loupe-compare-'));
  try {
    const path = join(scratch, 'replies.jsonl');
    const lines = replies.map(({ one: { id, category }, text }) =>
      JSON.stringify({ category, id, reply: text }),
    );
    writeFileSync(path, `${lines.join('\n')}\n`);
    const output = execFileSync(interpreter, ['-c', CHECKER, root, data, path], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    return output
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function callsOf(text: string): { name: string; arguments: PythonValue }[] {
  const calls = parsePythonJson(text);
  if (!isList(calls)) throw new Error('A reply is a list of calls');
  return calls
    .filter(isObject)
    .flatMap((call) => Object.entries(call).map(([name, args]) => ({ name, arguments: args })));
}

type Call = { name: string; args: Record<string, unknown> };

/** Replies to a case with the calls that are expected, and with changes that make most of them wrong. */
function repliesTo(one: FunctionCase): [kind: string, text: string][] {
  if (!hasAnswers(one.category)) {
    const call = { name: toolName(one.functions[0]?.name ?? 'any'), args: {} };
    return [
      ['no call', '[]'],
      ['a call', written([call])],
      ['a call without an object', `[{${JSON.stringify(call.name)}:[1]}]`],
    ];
  }
  const language = one.category.endsWith('_java')
    ? 'java'
    : one.category.endsWith('_javascript')
      ? 'js'
      : 'python';
  const express =
    language === 'python' ? (value: unknown) => value : (value: unknown) => asText(value, language);
  const calls = one.answers.map((answer) => callOf(answer, { last: false, optional: true, express }));
  const last = one.answers.map((answer) => callOf(answer, { last: true, optional: false, express }));
  const replies: [string, string][] = [
    ['expected', written(calls)],
    ['without optional arguments', written(last)],
    ['reversed', written([...calls].reverse())],
    ['none', '[]'],
    ['one too many', written([...calls, ...calls.slice(0, 1)])],
    ['one too few', written(calls.slice(1))],
    ['other name', written(calls.map((call) => ({ ...call, name: `${call.name}_x` })))],
    [
      'original name',
      written(
        calls.map((call, index) => ({ ...call, name: Object.keys(one.answers[index] ?? {})[0] ?? '' })),
      ),
    ],
    [
      'unexpected argument',
      written(calls.map((call) => ({ ...call, args: { ...call.args, unexpected: 1 } }))),
    ],
    ['no arguments', written(calls.map((call) => ({ ...call, args: {} })))],
  ];
  const [first] = calls;
  for (const [param, value] of Object.entries(first?.args ?? {})) {
    for (const [kind, other] of variantsOf(value)) {
      replies.push([`${param}: ${kind}`, changed(calls, param, other)]);
    }
  }
  return replies;
}

function callOf(
  answer: PythonObject,
  { last, optional, express }: { last: boolean; optional: boolean; express: (value: unknown) => unknown },
): Call {
  const [entry] = Object.entries(answer);
  const [name = '', params = {}] = entry ?? [];
  const args: Record<string, unknown> = {};
  for (const [param, values] of Object.entries(isObject(params) ? params : {})) {
    if (!isList(values)) continue;
    const present = values.filter((value) => value !== '');
    if (!optional && present.length < values.length) continue;
    const value = last ? present.at(-1) : present[0];
    if (value !== undefined) args[param] = express(choose(value));
  }
  return { name: toolName(name), args };
}

/** Dictionaries among the possible answers list the values of each key. */
function choose(value: PythonValue): unknown {
  if (isList(value)) return value.map(choose);
  if (!isObject(value)) return plainValue(value);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, values]) => {
      if (!isList(values)) return [[key, choose(values)]];
      const first = values.find((each) => each !== '');
      return first === undefined ? [] : [[key, plainValue(first)]];
    }),
  );
}

function variantsOf(value: unknown): [string, string][] {
  const json = JSON.stringify(value);
  const variants: [string, string][] = [
    ['null', 'null'],
    ['true', 'true'],
    ['number', '7'],
    ['float', '7.5'],
    ['empty text', '""'],
    ['other text', '"something else"'],
    ['as text', JSON.stringify(json)],
    ['in a list', `[${json}]`],
    ['empty list', '[]'],
    ['empty dictionary', '{}'],
    ['in a dictionary', `{"a":${json}}`],
  ];
  if (typeof value === 'string') {
    variants.push(['upper case', JSON.stringify(value.toUpperCase())]);
    variants.push(['with spaces', JSON.stringify([...value].join(' '))]);
    variants.push(['with punctuation', JSON.stringify(`${value}.,/-_*^`)]);
    variants.push(['other quotes', JSON.stringify(value.replaceAll('"', "'"))]);
    variants.push(['with an exclamation mark', JSON.stringify(`${value}!`)]);
  }
  if (typeof value === 'number') {
    variants.push(['with a point', Number.isInteger(value) ? `${value}.0` : `${value}`]);
    variants.push(['next', `${value + 1}`], ['as truth', value === 0 ? 'false' : 'true']);
  }
  if (Array.isArray(value)) {
    variants.push(
      ['reversed', JSON.stringify([...value].reverse())],
      ['longer', JSON.stringify([...value, ...value])],
    );
    variants.push(['shorter', JSON.stringify(value.slice(1))]);
    variants.push(['elements as text', JSON.stringify(value.map(String))]);
    variants.push([
      'upper case',
      json.toUpperCase().replaceAll(/TRUE|FALSE|NULL/g, (word) => word.toLowerCase()),
    ]);
    variants.push(['with points', json.replaceAll(/(?<=[[,])(-?\d+)(?=[\],])/g, '$1.0')]);
  }
  if (isRecord(value)) {
    const entries = Object.entries(value);
    variants.push(['without a key', JSON.stringify(Object.fromEntries(entries.slice(1)))]);
    variants.push(['with a key', JSON.stringify({ ...value, more: 1 })]);
    variants.push([
      'other value',
      JSON.stringify(Object.fromEntries(entries.map(([key]) => [key, 'other']))),
    ]);
    variants.push([
      'texts in upper case',
      JSON.stringify(
        Object.fromEntries(
          entries.map(([key, each]) => [key, typeof each === 'string' ? each.toUpperCase() : each]),
        ),
      ),
    ]);
  }
  return variants;
}

function written(calls: readonly Call[]): string {
  return JSON.stringify(calls.map(({ name, args }) => ({ [name]: args })));
}

function changed(calls: readonly Call[], param: string, json: string): string {
  return `[${calls
    .map(({ name, args }, index) => {
      const fields = Object.entries(args).map(
        ([key, value]) =>
          `${JSON.stringify(key)}:${index === 0 && key === param ? json : JSON.stringify(value)}`,
      );
      return `{${JSON.stringify(name)}:{${fields.join(',')}}}`;
    })
    .join(',')}]`;
}

/** A value as an expression of the language. */
function asText(value: unknown, language: 'java' | 'js'): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const inner = value
      .map((each) => (typeof each === 'string' ? `"${each}"` : asText(each, language)))
      .join(', ');
    if (language === 'js') return `[${inner}]`;
    return value.length % 2 ? `new ArrayList<>(Arrays.asList(${inner}))` : `new Object[]{${inner}}`;
  }
  if (typeof value === 'object' && value !== null) {
    if (language === 'js') return JSON.stringify(value);
    const puts = Object.entries(value).map(([key, each]) => `put("${key}", ${JSON.stringify(each)});`);
    return `new HashMap<String, Object>() {{ ${puts.join(' ')} }}`;
  }
  return String(value);
}

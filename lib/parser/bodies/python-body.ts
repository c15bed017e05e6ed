import { isRecord, type JsonObject, type JsonValue } from '../../util/json.ts';
import { buildCall, refusal } from '../call-shape.ts';
import type { Dialect, TextRepair } from '../json/json-cursor.ts';
import { UNSAFE_KEYS } from '../json/json-reader.ts';
import type { BodyContext, BodyReading, Verdict } from '../reading.ts';
import { skipSpace } from '../space.ts';

const NAME = /[\p{L}_][\p{L}\p{N}_.-]{0,127}/uy;
const KEYWORD = /([\p{L}_][\p{L}\p{N}_]{0,127})\s{0,20}=(?!=)/uy;
const SEPARATOR = /[\s,;]*/y;

const PYTHON: Dialect = {
  native: new Set(['single-quotes', 'triple-quotes', 'python-literal', 'trailing-comma', 'bad-escape']),
  python: true,
};

/** Calls in Python notation, in a list or in sequence: `[f(a='x', b=[1]), g()]`. */
export function readPythonBody(context: BodyContext, at: number): BodyReading | undefined {
  const { text } = context.source;
  const listed = text[at] === '[';
  let next = listed ? skipSpace(text, at + 1) : at;
  let end = next;
  const verdicts: Verdict[] = [];
  let isCut = false;
  for (;;) {
    const call = readPythonCall(context, next);
    if (call === undefined) break;
    verdicts.push(call.verdict);
    end = call.end;
    if ('refusal' in call.verdict && call.broken) {
      isCut = call.verdict.refusal.reason === 'cut';
      break;
    }
    SEPARATOR.lastIndex = end;
    next = end + (SEPARATOR.exec(text)?.[0].length ?? 0);
  }
  if (verdicts.length === 0) return undefined;
  if (listed) {
    const closer = Math.max(next, end);
    if (text[closer] === ']') end = closer + 1;
    else if (closer < text.length && context.strength === 'weak' && !isCut) return undefined;
  }
  return { kind: 'python', end, verdicts };
}

interface PythonCall {
  verdict: Verdict;
  end: number;
  broken?: true;
}

/** Reads one `f(a=1)` whose name starts at `at`. `print(f(a=1))` is read as the inner call. */
function readPythonCall(context: BodyContext, at: number, depth = 0): PythonCall | undefined {
  const { text } = context.source;
  NAME.lastIndex = at;
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  const open = skipSpace(text, at + name.length);
  if (text[open] !== '(') return undefined;
  if (name === 'print' && depth === 0 && context.tools.offered(name) === undefined) {
    const inner = readPythonCall(context, skipSpace(text, open + 1), depth + 1);
    if (inner === undefined) return undefined;
    const close = skipSpace(text, inner.end);
    return { ...inner, end: text[close] === ')' ? close + 1 : inner.end };
  }
  return readArguments(context, name, open + 1);
}

function readArguments(context: BodyContext, name: string, from: number): PythonCall {
  const { source } = context;
  const { text } = source;
  const named: JsonObject = {};
  const positional: JsonValue[] = [];
  const repairs: TextRepair[] = [];
  let at = skipSpace(text, from);
  while (text[at] !== ')') {
    KEYWORD.lastIndex = at;
    const keyword = KEYWORD.exec(text);
    const start = keyword ? skipSpace(text, at + keyword[0].length) : at;
    const reading = source.readJson(start, { dialect: PYTHON });
    const stop = reading.ok ? reading.end : reading.at;
    if (!reading.ok || stop >= text.length) {
      const cut = stop >= text.length || (!reading.ok && reading.reason === 'cut');
      const problem = cut ? 'is cut off' : `could not be read (stopped at offset ${stop})`;
      return broken(refusal(cut ? 'cut' : 'malformed', `The call of ${name} ${problem}.`, name), stop);
    }
    const key = keyword?.[1];
    const unsafe = key !== undefined && UNSAFE_KEYS.has(key) ? key : reading.unsafeKey;
    if (unsafe !== undefined) {
      return broken(refusal('unsafe-key', `The call of ${name} contains the key "${unsafe}".`, name), stop);
    }
    if (key === undefined) positional.push(reading.value);
    else named[key] = reading.value;
    repairs.push(...reading.repairs);
    at = skipSpace(text, stop);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (text[at] !== ')') {
      return broken(
        refusal('malformed', `The call of ${name} could not be read (stopped at offset ${at}).`, name),
        at,
      );
    }
  }
  const given = withPositional(context, name, { named, positional });
  if (given === undefined) {
    return {
      verdict: refusal('malformed', `The arguments of ${name} need names: ${name}(key=value).`, name),
      end: at + 1,
    };
  }
  const verdict =
    context.strength === 'weak' && context.tools.offered(name) === undefined
      ? refusal('name-not-offered', `${name} is not among the offered tools.`, name)
      : buildCall(name, given, context);
  if ('call' in verdict) verdict.call.repairs.unshift(...repairs);
  return { verdict, end: at + 1 };
}

function broken(verdict: Verdict, end: number): PythonCall {
  return { verdict, end, broken: true };
}

/** Assigns positional arguments to the tool's parameters in order. A single object already has names. */
function withPositional(
  context: BodyContext,
  name: string,
  { named, positional }: { named: JsonObject; positional: JsonValue[] },
): JsonObject | undefined {
  const [first] = positional;
  if (first === undefined) return named;
  if (positional.length === 1 && isRecord(first) && Object.keys(named).length === 0) return first;
  const offered = context.tools.offered(name);
  if (context.strength === 'weak' || offered === undefined) return undefined;
  const parameters = Object.keys(context.tools.schema(offered)?.properties ?? {});
  if (positional.length > parameters.length) return undefined;
  const result: JsonObject = { ...named };
  for (const [index, value] of positional.entries()) {
    const parameter = parameters[index];
    if (parameter === undefined || Object.hasOwn(result, parameter)) return undefined;
    result[parameter] = value;
  }
  return result;
}

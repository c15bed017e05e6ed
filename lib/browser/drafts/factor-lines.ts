import { FACTOR_NAMES, optionOfFactor, unknownFactor } from '../../api/factor-names.ts';
import { misspelledOption, optionType } from '../../api/model-options.ts';
import { MAX_FACTOR_VALUES, MAX_FACTORS } from '../../events/limits.ts';
import {
  isWithin,
  MODEL_OPTION_NAMES,
  MODEL_OPTIONS,
  type NumberFacts,
  OPTION_PREFIX,
  SETTING_NAMES,
  SETTINGS,
} from '../../events/settings.ts';
import type { JsonValue } from '../../util/json.ts';
import { distinctValues } from '../../util/sorted-json.ts';

/** Factors with their values, as in `POST /api/experiments`. */
export type Factors = Record<string, JsonValue[]>;

/**
 * Reads factors, one per line: `window_tokens: 8192, 32768`. Values are JSON or plain words; a comma within brackets or
 * quotes belongs to its value. The server validates the rest. Pure.
 */
export function readFactors(text: string): { ok: true; factors: Factors } | { ok: false; problem: string } {
  const factors: Factors = {};
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name = '', list = ''] = /^\s*([^\s:=]+)\s*[:=](.*)$/.exec(line) ?? [];
    if (name === '') return { ok: false, problem: 'Write one factor per line, such as top_p: 0.9, 0.5.' };
    const values = distinctValues(splitValues(list).map(readValue));
    const problem = Object.hasOwn(factors, name)
      ? 'It has two lines. Write all its values in one.'
      : (nameProblem(name) ?? valuesProblem(name, values));
    if (problem !== undefined) return { ok: false, problem: `${name}: ${problem}` };
    factors[name] = values;
  }
  return Object.keys(factors).length > MAX_FACTORS
    ? { ok: false, problem: `At most ${MAX_FACTORS} factors are possible.` }
    : { ok: true, factors };
}

function nameProblem(name: string): string | undefined {
  if (FACTOR_NAMES.includes(name)) return undefined;
  if (name === 'seed' || name === `${OPTION_PREFIX}seed`) return 'Seeds have their own field.';
  const option = optionOfFactor(name);
  return option === undefined ? unknownFactor(name) : misspelledOption(option);
}

function valuesProblem(name: string, values: readonly JsonValue[]): string | undefined {
  if (values.length === 0) return 'Write at least one value.';
  if (values.length > MAX_FACTOR_VALUES) return `At most ${MAX_FACTOR_VALUES} values are possible.`;
  const expected = expectationOf(name);
  const wrong = expected && values.find((value) => !expected.fits(value));
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} must be ${expected?.words}.`;
}

/** The allowed values of a factor; `undefined` if only the server knows them. */
function expectationOf(name: string): { fits: (value: JsonValue) => boolean; words: string } | undefined {
  const other = optionOfFactor(name);
  if (other !== undefined) return optionType(other);
  const option = MODEL_OPTION_NAMES.find((known) => known === name);
  const setting = SETTING_NAMES.find((known) => known === name);
  if (option !== undefined) return numbers(MODEL_OPTIONS[option]);
  if (setting === undefined) return undefined;
  const facts = SETTINGS[setting];
  switch (facts.type) {
    case 'number':
      return numbers(facts, 'nullable' in facts);
    case 'switch':
      return { fits: (value) => typeof value === 'boolean', words: 'true or false' };
    case 'choice': {
      const { options } = facts;
      return { fits: (value) => options.some((each) => each === value), words: options.join(', ') };
    }
    case 'other':
      return undefined;
  }
}

function numbers(facts: NumberFacts, nullable = false) {
  const { min, max, above, whole } = facts;
  const kind = whole ? 'a whole number' : 'a number';
  const from = above === undefined ? ` from ${min ?? 0}` : ` above ${above}`;
  return {
    fits: (value: JsonValue) => (nullable && value === null) || isWithin(facts, value),
    words: `${kind}${from}${max === undefined ? '' : ` to ${max}`}${nullable ? ', or null' : ''}`,
  };
}

/** The texts between commas, apart from commas within quotes, brackets and braces. In one pass. */
function splitValues(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quoted && char === '\\') at += 1;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth = Math.max(0, depth - 1);
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim()).filter(Boolean);
}

function readValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

import { nearestName } from '../util/nearest-name.ts';
import { quotedName } from '../util/short-text.ts';

/** The values that an option takes. */
interface OptionType {
  readonly fits: (value: unknown) => boolean;
  readonly words: string;
}

const whole: OptionType = { fits: Number.isSafeInteger, words: 'a whole number' };
const positive: OptionType = {
  fits: (value) => whole.fits(value) && Number(value) > 0,
  words: 'a whole number of at least 1',
};
const number: OptionType = { fits: (value) => typeof value === 'number', words: 'a number' };
const boolean: OptionType = { fits: (value) => typeof value === 'boolean', words: 'true or false' };
const single: OptionType = {
  fits: (value) => ['number', 'string', 'boolean'].includes(typeof value),
  words: 'a number, a string, true or false',
};
const strings: OptionType = {
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  words: 'a list of strings, such as ["END"]',
};

/**
 * The model options that Ollama knows, and those that earlier versions knew. Ollama refuses a request with a value of
 * another type, except that it cuts off the decimals of whole numbers; a batch of 0 tokens makes its runner fail. Of names
 * that are equally near to a misspelled one, the first is suggested.
 *
 * @see https://github.com/ollama/ollama/blob/main/api/types.go (`Options`, `Runner` and `Options.FromMap`)
 */
const OPTION_TYPES: ReadonlyMap<string, OptionType> = new Map([
  ...entries(whole, ['num_keep', 'seed', 'num_predict']),
  ...entries(number, ['temperature']),
  ...entries(strings, ['stop']),
  ...entries(whole, ['top_k']),
  ...entries(number, ['top_p', 'min_p', 'typical_p', 'tfs_z']),
  ...entries(whole, ['mirostat']),
  ...entries(number, ['mirostat_tau', 'mirostat_eta']),
  ...entries(whole, ['repeat_last_n']),
  ...entries(number, ['repeat_penalty', 'presence_penalty', 'frequency_penalty']),
  ...entries(boolean, ['penalize_newline']),
  ...entries(whole, ['num_ctx']),
  ...entries(positive, ['num_batch']),
  ...entries(whole, ['num_gpu', 'main_gpu', 'num_thread', 'num_gqa']),
  ...entries(boolean, ['numa', 'low_vram', 'f16_kv', 'use_mmap', 'use_mlock']),
  ...entries(boolean, ['logits_all', 'vocab_only', 'embedding_only']),
  ...entries(number, ['rope_frequency_base', 'rope_frequency_scale']),
]);

function entries(type: OptionType, names: readonly string[]): [string, OptionType][] {
  return names.map((name) => [name, type]);
}

/** The names of Ollama's options. */
export const OLLAMA_OPTIONS: readonly string[] = [...OPTION_TYPES.keys()];

/** The values that an option takes. An unknown one may be an option of a newer Ollama, so it takes any but a list. */
export function optionType(name: string): OptionType {
  return OPTION_TYPES.get(name) ?? single;
}

/** What is wrong with the value of an option: `must be a number, not "hot".` */
export function optionValueProblem(name: string, value: unknown): string | undefined {
  const { fits, words } = optionType(name);
  return fits(value) ? undefined : `must be ${words}, not ${quotedName(JSON.stringify(value))}.`;
}

/** The options of one set. Ollama knows about thirty; each name is compared with all of them. */
const MAX_MODEL_OPTIONS = 100;

/** The problem of a set of options that has too many. */
export function tooManyOptions(options: Readonly<Record<string, unknown>> = {}): string | undefined {
  return Object.keys(options).length > MAX_MODEL_OPTIONS
    ? `There can be at most ${MAX_MODEL_OPTIONS} options.`
    : undefined;
}

/**
 * Says which option is meant by a misspelled name; `undefined` for a known option, and for a name that resembles none: it
 * may be an option of a newer Ollama. Ollama ignores unknown options, so a misspelled one would silently have no effect.
 */
export function misspelledOption(name: string): string | undefined {
  if (OPTION_TYPES.has(name)) return undefined;
  const near = nearestName(name, OLLAMA_OPTIONS);
  return near === undefined ? undefined : `There is no such model option. Did you mean ${near}?`;
}

/** The misspelled names among model options that a request sets, each with the option that is meant. `null` removes one. */
export function misspelledOptionProblems(options: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const problem = value === null ? undefined : misspelledOption(name);
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
}

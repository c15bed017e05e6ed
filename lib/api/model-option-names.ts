import { nearestName } from '../util/nearest-name.ts';

/**
 * The model options that Ollama knows, and those that earlier versions knew.
 *
 * @see https://github.com/ollama/ollama/blob/main/api/types.go (`Options` and `Runner`)
 */
export const OLLAMA_OPTIONS: readonly string[] = [
  ...['num_keep', 'seed', 'num_predict', 'temperature', 'stop'],
  ...['top_k', 'top_p', 'min_p', 'typical_p', 'tfs_z', 'mirostat', 'mirostat_tau', 'mirostat_eta'],
  ...['repeat_last_n', 'repeat_penalty', 'presence_penalty', 'frequency_penalty', 'penalize_newline'],
  ...['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread', 'num_gqa', 'numa', 'low_vram', 'f16_kv'],
  ...['use_mmap', 'use_mlock', 'logits_all', 'vocab_only', 'embedding_only'],
  ...['rope_frequency_base', 'rope_frequency_scale'],
];

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
  if (OLLAMA_OPTIONS.includes(name)) return undefined;
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

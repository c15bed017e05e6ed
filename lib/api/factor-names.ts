import { MODEL_OPTION_NAMES, OPTION_PREFIX, SETTING_NAMES } from '../events/settings.ts';
import { nearestName } from '../util/nearest-name.ts';
import { OLLAMA_OPTIONS } from './model-options.ts';

/** The model option that a factor varies: `top_p` for `model_options.top_p`; `undefined` for a setting. Pure. */
export function optionOfFactor(name: string): string | undefined {
  return name.startsWith(OPTION_PREFIX) ? name.slice(OPTION_PREFIX.length) : undefined;
}

/** Fields of a plan that vary something themselves, and settings that no experiment varies, with what to do instead. */
export const NOT_FACTORS: Readonly<Record<string, string>> = {
  model: 'List models in the field models.',
  models: 'List models in the field models.',
  seed: 'List seeds in the field seeds.',
  seeds: 'List seeds in the field seeds.',
  repeats: 'Set the field repeats.',
  model_options: 'Vary each option by itself, such as model_options.top_p.',
  turn_delay: 'A pause only delays an experiment.',
  unattended: 'The sessions of an experiment are always unattended.',
};

/** The names of all factors but Ollama's other options, which are `model_options.NAME`. */
export const FACTOR_NAMES: readonly string[] = [...MODEL_OPTION_NAMES, ...SETTING_NAMES].filter(
  (name) => !Object.hasOwn(NOT_FACTORS, name),
);

/** A message that no factor has this name, with a suggestion. Needs no schemas, so that the form can use it, too. */
export function unknownFactor(name: string): string {
  const near = nearestName(name, FACTOR_NAMES);
  const option = nearestName(name, OLLAMA_OPTIONS) ?? name.slice(0, 60);
  return near === undefined
    ? `There is no such setting. For an option of Ollama, write ${OPTION_PREFIX}${option}.`
    : `There is no such setting. Did you mean ${near}?`;
}

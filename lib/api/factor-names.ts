import { OPTION_PREFIX } from '../events/settings.ts';
import { nearestName } from '../util/nearest-name.ts';

/**
 * Says that no factor has this name, and which one may be meant. Without schemas, so that the form can say it, too.
 *
 * @param known the names of the factors
 */
export function unknownFactor(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined
    ? `There is no such setting. For an option of Ollama, write ${OPTION_PREFIX}${name.slice(0, 60)}.`
    : `There is no such setting. Did you mean ${near}?`;
}

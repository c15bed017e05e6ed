import { nearestName } from '../util/nearest-name.ts';

/**
 * The installed model that a missing name most likely means: another tag of the same model, otherwise the name with
 * the smallest edit distance. Pure.
 *
 * @returns its name without `:latest`, or `undefined` if none is close
 */
export function nearestModel(missing: string, installed: readonly string[]): string | undefined {
  const wanted = withoutLatest(missing);
  const names = installed.map(withoutLatest).filter((name) => name !== wanted);
  const sameModel = names.filter((name) => withoutTag(name) === withoutTag(wanted));
  return nearestName(wanted, sameModel) ?? sameModel[0] ?? nearestName(wanted, names);
}

function withoutLatest(name: string): string {
  return name.replace(/:latest$/, '');
}

function withoutTag(name: string): string {
  return (
    name
      .slice(name.lastIndexOf('/') + 1)
      .split(':')[0]
      ?.toLowerCase() ?? ''
  );
}

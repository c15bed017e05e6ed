/** The suffix of the hash in the marker of a node_modules folder without development packages. */
const WITHOUT_DEV = ' without development packages';

/**
 * What to install. A start needs no development packages, which take a third of the time; they come with the first
 * command that needs them, and a folder that has had them keeps them.
 *
 * @param {object} options
 * @param {string | undefined} options.marker content of the marker in node_modules, if there is one
 * @param {string} options.hash of the lock file
 * @param {boolean} options.omitDev whether the command works without development packages
 * @returns {{ omitDev: boolean, marker: string } | undefined} with the marker to write after it; `undefined` for nothing
 */
export function packagesToInstall({ marker, hash, omitDev }) {
  const withoutDev = `${hash}${WITHOUT_DEV}`;
  if (marker === hash || (omitDev && marker === withoutDev)) return undefined;
  const hasDev = marker !== undefined && !marker.endsWith(WITHOUT_DEV);
  return omitDev && !hasDev ? { omitDev: true, marker: withoutDev } : { omitDev: false, marker: hash };
}

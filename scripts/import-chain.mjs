// A long chain of imports means that a small part cannot be read, tested or loaded without many others. The stage
// `rooms` of `npm test` keeps the longest one short.

/** The most files that may import each other in a row, the first and the last included. */
export const MAX_CHAIN = 15;

const PRODUCT = /^(app|components|lib)\/.*\.tsx?$/;
const FOR_TESTS = /\.test\.tsx?$|^lib\/(.*\/)?testing\/|\/under-test\.ts$/;

/**
 * Finds the longest chain of imports between files of the product, imports of types included.
 *
 * @param {readonly { source: string, dependencies: readonly { resolved: string }[] }[]} modules
 *   as dependency-cruiser reports them; a cycle, which is reported separately, ends a chain
 * @returns {string[]} from the first importer to a file that imports none
 */
export function longestChain(modules) {
  const imports = new Map(
    modules
      .filter(({ source }) => PRODUCT.test(source) && !FOR_TESTS.test(source))
      .map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)]),
  );
  /** @type {Map<string, string[]>} */
  const chains = new Map();
  /** @param {string} file @returns {string[]} */
  const chainFrom = (file) => {
    const known = chains.get(file);
    if (known) return known;
    chains.set(file, []);
    const below = longest((imports.get(file) ?? []).filter((each) => imports.has(each)).map(chainFrom));
    const chain = [file, ...below];
    chains.set(file, chain);
    return chain;
  };
  return longest([...imports.keys()].map(chainFrom));
}

/** @param {string[][]} chains @returns {string[]} */
function longest(chains) {
  return chains.reduce((most, chain) => (chain.length > most.length ? chain : most), []);
}

import { createHash } from 'node:crypto';
import { SUITE_FORMAT, type SuiteCase } from '../api/suite.ts';
import { sortedJson } from '../util/sorted-json.ts';

/**
 * The hash of a version of a suite: SHA-256 of its cases as JSON with sorted keys, in hexadecimal digits. Name and
 * description don't count: results under a hash stay comparable when the suite is renamed.
 */
export function suiteHash(cases: readonly SuiteCase[]): string {
  // Through JSON, so that a field that is undefined counts as missing.
  const content = JSON.parse(JSON.stringify({ format: SUITE_FORMAT, cases }));
  return createHash('sha256').update(sortedJson(content)).digest('hex');
}

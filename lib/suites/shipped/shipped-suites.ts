import { type Suite, type SuiteListReply, suite } from '../../api/suite.ts';
import { BASICS } from './basics.ts';
import { LONG_READING } from './long-reading.ts';
import { PROBES_SUITE } from './probes.ts';

/** The suites that ship with Loupe, by the name that requests use. */
const SHIPPED = new Map<string, () => Suite>([
  ['basics', () => suite.parse(BASICS)],
  ['long-reading', () => suite.parse(LONG_READING)],
  ['probes', () => suite.parse(PROBES_SUITE)],
]);

/** A suite that ships with Loupe. */
export function shippedSuite(name: string): Suite | undefined {
  return SHIPPED.get(name)?.();
}

/** The suites that ship with Loupe, for lists. */
export function shippedSuites(): SuiteListReply['shipped'] {
  return [...SHIPPED].map(([name, read]) => {
    const { name: title, description, cases } = read();
    return { name, title, description, cases: cases.length };
  });
}

import { createHash } from 'node:crypto';
import { asJson } from './json.ts';
import { sortedJson } from './sorted-json.ts';

/** Identifies a value by its content as JSON, whatever the order of its fields: 32 hexadecimal digits of SHA-256. */
export function jsonHash(value: unknown): string {
  return createHash('sha256')
    .update(sortedJson(asJson(value)))
    .digest('hex')
    .slice(0, 32);
}

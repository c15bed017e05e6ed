import { MAX_SUITE_BYTES } from '../events/limits.ts';

const MAX_DEPTH = 50;
const MAX_VALUES = 1_000_000;
export const TOO_LARGE = `The suite is larger than ${MAX_SUITE_BYTES / 1024 / 1024} MB.`;

/**
 * Why a value cannot be a suite, regardless of its fields: too large (aliases of YAML count each time), too deep, or
 * not JSON. `undefined` if it can.
 */
export function sizeProblem(value: unknown): string | undefined {
  const stack: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  let values = 0;
  let chars = 0;
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const { value: current, depth } = entry;
    values += 1;
    if (values > MAX_VALUES) return TOO_LARGE;
    if (depth > MAX_DEPTH) return `The values are nested more than ${MAX_DEPTH} levels deep.`;
    const texts = typeof current === 'string' ? [current] : isObject(current) ? Object.keys(current) : [];
    for (const text of texts) {
      chars += text.length;
      if (!text.isWellFormed()) return 'A text is not valid Unicode (half of a surrogate pair).';
    }
    if (chars > MAX_SUITE_BYTES) return TOO_LARGE;
    if (typeof current === 'number' && !Number.isFinite(current)) return 'A number is not finite.';
    if (isObject(current)) {
      for (const inner of Object.values(current)) stack.push({ value: inner, depth: depth + 1 });
    }
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

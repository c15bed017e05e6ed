import fc from 'fast-check';
import { z } from 'zod';
import { type RunEvent, runEvent } from '../events/registry.ts';
import { keysOf } from '../util/records.ts';

/** Every schema without parts accepts some of these. */
const LEAVES: readonly unknown[] = [
  ...['the-text', 'the-other-text', '', 'the_name', 'example.com', 'a'.repeat(64)],
  ...[0, 1, 2, 0.5, -1, 100, 5000, 100_000],
  ...[{}, { error: 'the-text' }, { function: { name: 'the-name', arguments: { a: 'the-text' } } }],
];

const anyJson = fc.constantFrom('the-text', 1, null, ['the-text'], { a: { b: 'the-text' } });

/** An event of any type, valid by its schema, with any of its optional fields. */
export const anyEvent: fc.Arbitrary<RunEvent> = fc
  .oneof(...runEvent.options.map(matching))
  .map((value) => runEvent.safeParse(value).data)
  .filter((event) => event !== undefined);

function matching(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  // Narrows to the public union of all schema kinds, which the general type does not allow.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return objectOf(def.shape);
    case 'array':
      return fc.array(matching(def.element), { maxLength: 2 });
    case 'tuple':
      return fc.tuple(...def.items.map(matching));
    case 'record':
      return fc.dictionary(fc.constantFrom('a', 'b'), matching(def.valueType), { maxKeys: 2 });
    case 'nullable':
      return fc.option(matching(def.innerType));
    case 'optional':
    case 'readonly':
    case 'default':
      return matching(def.innerType);
    case 'union':
      return fc.oneof(...def.options.map(matching));
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'literal':
      return fc.constantFrom(...def.values);
    case 'boolean':
      return fc.boolean();
    case 'unknown':
    case 'lazy':
      return anyJson;
    default:
      return fc.constantFrom(...LEAVES.filter((value) => z.safeParse(schema, value).success));
  }
}

function objectOf(shape: Readonly<Record<string, z.core.$ZodType>>): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(shape).map(([name, part]) => [name, matching(part)]));
  const requiredKeys = keysOf(shape).filter((name) => shape[name]?._zod.optin === undefined);
  return fc.record(fields, { requiredKeys });
}

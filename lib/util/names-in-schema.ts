import type { z } from 'zod';

/**
 * The fields that a schema has for the object at a path; of a union, those of all its options. Empty where it has no
 * object, or one with any names. Pure.
 */
export function namesInSchema(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  // Narrows to the public union of all schema kinds, which the general type does not allow.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [step, ...rest] = path;
  switch (def.type) {
    case 'object': {
      if (step === undefined) return Object.keys(def.shape);
      const part = typeof step === 'string' && Object.hasOwn(def.shape, step) ? def.shape[step] : undefined;
      return part ? namesInSchema(part, rest) : [];
    }
    case 'array':
      return step === undefined ? [] : namesInSchema(def.element, rest);
    case 'record':
      return step === undefined ? [] : namesInSchema(def.valueType, rest);
    case 'optional':
    case 'nullable':
    case 'default':
      return namesInSchema(def.innerType, path);
    case 'union':
      return [...new Set(def.options.flatMap((option) => namesInSchema(option, path)))];
    default:
      return [];
  }
}

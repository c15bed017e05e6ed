import type { JsonObject } from '../util/json.ts';

/** Accessors for arguments that were already validated against the tool's schema. */
export function textArgument(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') throw new TypeError(`${name} was not checked`);
  return value;
}

export function optionalText(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

export function optionalInteger(args: JsonObject, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}

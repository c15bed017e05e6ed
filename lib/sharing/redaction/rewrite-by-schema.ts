import { z } from 'zod';

/** Where a text stands: the key above it, and what its schema demands; nothing where any JSON may stand. */
export interface TextPlace {
  key: string | undefined;
  schema: z.core.$ZodType | undefined;
}
export type RewriteText = (text: string, place: TextPlace) => string;

/** Names of this program for things in a log: the folds join events by them. */
const IDENTIFIERS = new Set(['run_id', 'call_id', 'message_id', 'message_ids']);

/**
 * A value with every text in it rewritten. The schema tells texts from structure: what it takes from a closed list
 * (a type, a role, a reason) stays as it is, so a new kind of event needs nothing here. Where it takes any JSON, all
 * texts are rewritten, the keys among them. Nothing that the schema does not know is kept.
 */
export function rewriteBySchema(schema: z.core.$ZodType, value: unknown, rewrite: RewriteText): unknown {
  return visit(schema, value, { rewrite, key: undefined });
}

interface Context {
  rewrite: RewriteText;
  key: string | undefined;
}

function visit(schema: z.core.$ZodType, value: unknown, context: Context): unknown {
  if (value === undefined || value === null) return value;
  // The public union of all kinds of schema, which the general type is not narrowed to by itself.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return isRecord(value) ? visitObject(def, value, context) : anything(value, context);
    case 'array':
      return Array.isArray(value)
        ? value.map((item) => visit(def.element, item, context))
        : anything(value, context);
    case 'tuple':
      return Array.isArray(value)
        ? value.map((item, index) => {
            const part = def.items[index];
            return part ? visit(part, item, context) : anything(item, context);
          })
        : anything(value, context);
    case 'record':
      return isRecord(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, item]) => [
              context.rewrite(key, { key: undefined, schema: undefined }),
              visit(def.valueType, item, { ...context, key }),
            ]),
          )
        : anything(value, context);
    case 'optional':
    case 'nullable':
    case 'readonly':
    case 'default':
      return visit(def.innerType, value, context);
    case 'union': {
      const option = optionFor(def, value);
      return option ? visit(option, value, context) : anything(value, context);
    }
    case 'enum':
    case 'literal':
    case 'number':
    case 'boolean':
      return value;
    case 'string':
      if (typeof value !== 'string' || (context.key !== undefined && IDENTIFIERS.has(context.key)))
        return value;
      return context.rewrite(value, { key: context.key, schema });
    default:
      return anything(value, context);
  }
}

function visitObject(
  def: z.core.$ZodObjectDef,
  value: Record<string, unknown>,
  context: Context,
): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const part = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
    if (part) entries.push([key, visit(part, item, { ...context, key })]);
    else if (def.catchall) {
      entries.push([
        context.rewrite(key, { key: undefined, schema: undefined }),
        anything(item, { ...context, key }),
      ]);
    }
  }
  return Object.fromEntries(entries);
}

/** The option of a union that takes the value: by its discriminator where there is one, else by trying. */
function optionFor(def: z.core.$ZodUnionDef, value: unknown): z.core.$ZodType | undefined {
  const name =
    'discriminator' in def && typeof def.discriminator === 'string' ? def.discriminator : undefined;
  if (name !== undefined && isRecord(value)) {
    return def.options.find((option) => {
      const tag = option instanceof z.ZodObject ? option.def.shape[name] : undefined;
      return tag instanceof z.ZodLiteral && [...tag.values].some((one) => one === value[name]);
    });
  }
  return def.options.find((option) => z.safeParse(option, value).success);
}

/**
 * Where any JSON may stand. An argument list (`["--token", "…"]`) names its values as an object does, and so does a list
 * of settings (`{"name": "DB_PASSWORD", "value": "…"}`).
 */
function anything(value: unknown, context: Context): unknown {
  const { rewrite } = context;
  if (typeof value === 'string') return rewrite(value, { key: context.key, schema: undefined });
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      const flag: unknown = value[index - 1];
      const key = typeof flag === 'string' && flag.startsWith('--') ? flag : context.key;
      return anything(item, { rewrite, key });
    });
  }
  if (typeof value === 'number' && context.key !== undefined) {
    const written = String(value);
    const masked = rewrite(written, { key: context.key, schema: undefined });
    return masked === written ? value : masked;
  }
  if (!isRecord(value)) return value;
  const label = value.name ?? value.key;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      rewrite(key, { key: undefined, schema: undefined }),
      anything(item, { rewrite, key: key === 'value' && typeof label === 'string' ? label : key }),
    ]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

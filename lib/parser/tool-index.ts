import leven from 'leven';
import { memoized } from '../util/memoized.ts';
import { MAX_NAME_CHARS } from './limits.ts';
import type { OfferedTools } from './reading.ts';
import { soundSchema } from './schema-types.ts';
import type { ParameterSchema, ToolDefinition } from './types.ts';

/** Namespaces that models put before a tool's name: `functions.read_file`, `default_api.read_file`. */
const NAMESPACE = /^(?:functions?|tools?|default_api)[.:/]/;
/** Kimi numbers its calls after the name: `read_file:0`. Other models put a colon before the arguments. */
const CALL_INDEX = /:\d{0,10}$/;
/** Llama 3.1 calls its built-in tools as methods: `brave_search.call(…)`. */
const CALL_METHOD = /\.call$/;
/** Control tokens that stick to names: `read_file<|channel|>commentary` (gpt-oss), `read_file<tool_sep>` (Hunyuan). */
const CONTROL_TOKEN = /<(?:[|｜]|tool_sep>)/;

/** The index of a list of tools, shared by all replies of a run. */
export const indexOf = memoized((tools: readonly ToolDefinition[]) => new ToolIndex(tools));

/** The offered tools, looked up by the names that models write. */
export class ToolIndex implements OfferedTools {
  readonly #schemas = new Map<string, ParameterSchema>();
  readonly #byLowerCase = new Map<string, string | undefined>();

  constructor(tools: readonly ToolDefinition[]) {
    for (const tool of tools) {
      const name = tool?.function?.name;
      if (typeof name !== 'string' || name === '') continue;
      this.#schemas.set(name, soundSchema(tool.function.parameters ?? {}));
      const lower = name.toLowerCase();
      // When two tools differ only in case, a third spelling matches neither.
      const known = this.#byLowerCase.get(lower);
      this.#byLowerCase.set(lower, this.#byLowerCase.has(lower) && known !== name ? undefined : name);
    }
  }

  get size(): number {
    return this.#schemas.size;
  }

  /** The offered name for a written one: an exact match, else without namespace or index, else in another case. */
  offered(written: string): string | undefined {
    if (this.#schemas.has(written)) return written;
    const clean = cleanName(written);
    if (this.#schemas.has(clean)) return clean;
    return (
      this.#byLowerCase.get(clean.toLowerCase()) ??
      this.#byLowerCase.get(clean.toLowerCase().replace(CALL_METHOD, ''))
    );
  }

  /** The offered name, or the written one without namespace, index and control tokens. */
  resolve(written: string): string {
    return this.offered(written) ?? cleanName(written);
  }

  schema(name: string): ParameterSchema | undefined {
    return this.#schemas.get(name);
  }

  /** The only tool whose parameters pass a predicate; `undefined` when none or several do. */
  onlyOne(passes: (schema: ParameterSchema) => boolean): string | undefined {
    const names = [...this.#schemas].filter(([, schema]) => passes(schema)).map(([name]) => name);
    return names.length === 1 ? names[0] : undefined;
  }

  /** Whether the parameters of any tool pass a predicate. */
  some(passes: (schema: ParameterSchema) => boolean): boolean {
    return [...this.#schemas.values()].some(passes);
  }

  /** The offered name closest to `name`, if no more than a third of its letters differ. */
  nearest(name: string): string | undefined {
    const wanted = cleanName(name).toLowerCase().slice(0, MAX_NAME_CHARS);
    let best: string | undefined;
    let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
    for (const candidate of this.#schemas.keys()) {
      const distance = leven(wanted, candidate.toLowerCase().slice(0, MAX_NAME_CHARS), {
        maxDistance: bestDistance,
      });
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best;
  }
}

function cleanName(written: string): string {
  const token = written.search(CONTROL_TOKEN);
  const visible = (token === -1 ? written : written.slice(0, token)).trim();
  return visible.replace(NAMESPACE, '').replace(CALL_INDEX, '').trim();
}

import { MAX_NAME_CHARS } from './limits.ts';
import type { ParameterSchema, ToolDefinition } from './types.ts';

/** Names that models put before the tool's own: `functions.read_file`, `default_api.read_file`. */
const NAMESPACE = /^(?:functions?|tools?|default_api)[.:/]/;
/** Kimi counts its calls behind the name: `read_file:0`. Others set the arguments off with a colon. */
const CALL_INDEX = /:\d{0,10}$/;
/** Llama 3.1 calls its built-in tools as methods: `brave_search.call(…)`. */
const CALL_METHOD = /\.call$/;
/** Control tokens get glued to names: `read_file<|channel|>commentary` (gpt-oss), `read_file<tool_sep>` (Hunyuan). */
const CONTROL_TOKEN = /<(?:[|｜]|tool_sep>)/;

/** The tools that were offered, found by the names that models write. */
export class ToolIndex {
  readonly #schemas = new Map<string, ParameterSchema>();
  readonly #byLowerCase = new Map<string, string | undefined>();

  constructor(tools: readonly ToolDefinition[]) {
    for (const tool of tools) {
      const name = tool?.function?.name;
      if (typeof name !== 'string' || name === '') continue;
      this.#schemas.set(name, tool.function.parameters ?? {});
      const lower = name.toLowerCase();
      // Two tools that differ in case only are no match for a third spelling.
      const known = this.#byLowerCase.get(lower);
      this.#byLowerCase.set(lower, this.#byLowerCase.has(lower) && known !== name ? undefined : name);
    }
  }

  get size(): number {
    return this.#schemas.size;
  }

  /** The offered name that is meant: the same one, else without namespace or index, else in another case. */
  offered(written: string): string | undefined {
    if (this.#schemas.has(written)) return written;
    const clean = cleanName(written);
    if (this.#schemas.has(clean)) return clean;
    return (
      this.#byLowerCase.get(clean.toLowerCase()) ??
      this.#byLowerCase.get(clean.toLowerCase().replace(CALL_METHOD, ''))
    );
  }

  /** The name to pass on: the offered one, or what the model wrote without namespace, index and control tokens. */
  resolve(written: string): string {
    return this.offered(written) ?? cleanName(written);
  }

  schema(name: string): ParameterSchema | undefined {
    return this.#schemas.get(name);
  }

  /** The offered name that differs least from `name`, if it differs in no more than a third of its letters. */
  nearest(name: string): string | undefined {
    const wanted = cleanName(name).toLowerCase().slice(0, MAX_NAME_CHARS);
    let best: string | undefined;
    let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
    for (const candidate of this.#schemas.keys()) {
      const distance = editDistance(wanted, candidate.toLowerCase().slice(0, MAX_NAME_CHARS), bestDistance);
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

/** How many letters have to be changed, added or removed; `limit` when it is that many or more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(swap, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return Math.min(limit, previous[b.length] ?? limit);
}

/** Ollama's full name of a model: `qwen3` means `qwen3:latest`. Pure. */
export function fullName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).includes(':') ? model : `${model}:latest`;
}

/** Whether two names mean the same model of a server. Pure. */
export function isSameModel(one: string, other: string): boolean {
  return fullName(one) === fullName(other);
}

/**
 * Whether Ollama finds the same model under both names: it ignores case (`server/routes.go`, `getExistingName`) and the
 * prefix of its default registry. Pure.
 */
export function isSameInOllama(one: string, other: string): boolean {
  const plain = (name: string) => fullName(name.replace(/^(registry\.ollama\.ai\/)?(library\/)?/i, ''));
  return plain(one).toLowerCase() === plain(other).toLowerCase();
}

/** Each model once, under the first of its names. Pure. */
export function distinctModels(models: readonly string[]): string[] {
  const named = new Map<string, string>();
  for (const model of models) if (!named.has(fullName(model))) named.set(fullName(model), model);
  return [...named.values()];
}

/** All names of a model: `qwen3` and `qwen3:latest`. Pure. */
export function namesOfModel(model: string): string[] {
  const full = fullName(model);
  const short = full.replace(/:latest$/, '');
  return short === full ? [full] : [full, short];
}

/** Ollama's full name of a model: `qwen3` means `qwen3:latest`. Pure. */
export function fullName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).includes(':') ? model : `${model}:latest`;
}

/** Whether two names mean the same model of a server. Pure. */
export function isSameModel(one: string, other: string): boolean {
  return fullName(one) === fullName(other);
}

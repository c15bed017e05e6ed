import { expect, vi } from 'vitest';

/**
 * The models that Ollama lists. On a busy machine its answer may be late; it then counts as unknown and is requested
 * again.
 */
export function listedModels<Model>(servers: {
  list(): Promise<{ models: Model[]; ollama: unknown }>;
}): Promise<Model[]> {
  return vi.waitFor(async () => {
    const { models, ollama } = await servers.list();
    expect(ollama).toBe('ok');
    return models;
  });
}

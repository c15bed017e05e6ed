import type { NewEvent } from '../events/registry.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ModelError } from '../model/model-error.ts';
import { adviceByEmbeddings, adviceByWords, reflectionsToEmbed } from '../policies/diversity.ts';
import type { ReadyState } from '../policies/rule.ts';

/**
 * Compares the last reflection with earlier ones using an embedding model (X21). If that fails, it compares word
 * n-grams and logs a warning: advice never ends a run.
 */
export async function compareReflections(
  state: ReadyState,
  options: { model: ChatModel; embeddingModel: string; signal: AbortSignal },
): Promise<NewEvent[]> {
  const { model, embeddingModel, signal } = options;
  const texts = reflectionsToEmbed(state).map(({ text }) => text);
  try {
    const vectors =
      texts.length === 0
        ? []
        : await model.embed(
            { model: embeddingModel, texts, keepAlive: state.config.keep_alive },
            { signal, timeoutMs: state.config.call_timeout_ms },
          );
    const advice = adviceByEmbeddings(state, vectors);
    if (advice) return [advice];
    return byWords(
      state,
      `${embeddingModel} returned embeddings that do not match the ${texts.length} texts.`,
    );
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return byWords(state, error.message);
  }
}

function byWords(state: ReadyState, why: string): NewEvent[] {
  const advice = adviceByWords(state);
  return [
    {
      type: 'policy.warned',
      code: 'embeddings_failed',
      message: `Reflections are compared by their words instead of embeddings: ${why}`,
    },
    ...(advice ? [advice] : []),
  ];
}

import type { ChatModel } from '../model/chat-model.ts';
import { chatModelOn } from '../model/ollama-chat-model.ts';
import { connectOllama, type OllamaLimits } from '../model/ollama-connection.ts';
import type { OllamaHost } from '../model/ollama-host.ts';

/** The client for an Ollama server, on a new connection. */
export function createOllamaChatModel(
  options: { host: OllamaHost; allowRemoteModels?: boolean } & Partial<OllamaLimits>,
): ChatModel {
  const { host, allowRemoteModels, ...limits } = options;
  return chatModelOn(connectOllama(host, limits, { allowRemoteModels }));
}

/**
 * A runner in memory (`/api/ps`), listed under the model that loaded it; other models with the same weights share it.
 */
export interface RunningModel {
  name: string;
  digest?: string;
  sizeBytes?: number;
  /** Part of `sizeBytes` in graphics memory; the rest is computed by the CPU. */
  vramBytes?: number;
  contextTokens?: number;
  /** RFC 3339 time at which Ollama unloads it when it stays unused. */
  expiresAt?: string;
  /** The server's clock at that time, in milliseconds since 1970. */
  serverTimeMs?: number;
  /** File format, which determines the runner: `gguf`, `safetensors`. */
  format?: string;
  family?: string;
  parameterSize?: string;
  quantization?: string;
}

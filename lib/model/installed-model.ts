import type { RemoteModel } from './chat-model.ts';

/** A model that is installed on the server. */
export interface InstalledModel {
  /** As Ollama lists it, with its tag: `qwen3:8b`. */
  name: string;
  digest?: string;
  sizeBytes?: number;
  modifiedAt?: string;
  family?: string;
  parameterSize?: string;
  quantization?: string;
  format?: string;
  /** Set if the server forwards requests for this model to another machine. */
  remote?: RemoteModel;
}

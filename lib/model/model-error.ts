import { AppError } from '../errors/app-error.ts';

/** What can go wrong between the engine and Ollama. The engine decides by this kind alone. */
export type ModelErrorKind =
  | 'unreachable'
  | 'model_missing'
  | 'no_tool_support'
  | 'no_thinking_support'
  | 'overflow'
  | 'busy'
  | 'timeout'
  | 'cut_off'
  | 'malformed_call'
  | 'bad_response'
  | 'http'
  | 'aborted';

/** What became of a call's place at the server after the call was broken off. */
export interface LetGo {
  /** How long after the connection was closed the server had verifiably let go of the model, in milliseconds. */
  readonly afterMs: number;
  /** The server had lost the place, and the model was unloaded so that it has one again. */
  readonly unloaded: boolean;
}

export interface ModelErrorOptions {
  kind: ModelErrorKind;
  message: string;
  hint?: string;
  status?: number;
  promptTokens?: number;
  contextTokens?: number;
  partialText?: string;
  raw?: string;
  letGo?: LetGo;
  /** Overrides what the kind says about `transient`. */
  transient?: boolean;
  /** Overrides the code made from the kind. */
  code?: string;
  cause?: unknown;
}

/** A failed call of the model. `malformed_call` is a reply whose tool call Ollama itself could not read (T22). */
export class ModelError extends AppError {
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  /** With `overflow`, when the server tells: tokens sent and tokens that fit. */
  readonly promptTokens: number | undefined;
  readonly contextTokens: number | undefined;
  /** Text received before the failure; kept so that nothing is lost. */
  readonly partialText: string | undefined;
  /** The model's own text inside a server-side parser error (harmony: the raw arguments). */
  readonly raw: string | undefined;
  /** Only of calls that were broken off on this side, where the server told. */
  readonly letGo: LetGo | undefined;
  readonly #transient: boolean | undefined;

  constructor(options: ModelErrorOptions) {
    super({
      code: options.code ?? codeOf(options.kind),
      message: options.message,
      hint: options.hint,
      cause: options.cause,
    });
    this.name = 'ModelError';
    this.kind = options.kind;
    this.status = options.status;
    this.promptTokens = options.promptTokens;
    this.contextTokens = options.contextTokens;
    this.partialText = options.partialText;
    this.raw = options.raw;
    this.letGo = options.letGo;
    this.#transient = options.transient;
  }

  /** Whether the same request may succeed a moment later. */
  get transient(): boolean {
    if (this.#transient !== undefined) return this.#transient;
    return (
      this.kind === 'unreachable' ||
      this.kind === 'busy' ||
      this.kind === 'cut_off' ||
      this.kind === 'bad_response' ||
      (this.kind === 'http' && (this.status === undefined || this.status >= 500))
    );
  }

  /** The same error, with the text that had arrived before it, and what became of the call's place. */
  after({ partialText, letGo }: { partialText?: string; letGo?: LetGo }): ModelError {
    return new ModelError({
      kind: this.kind,
      message: this.message,
      hint: this.hint,
      status: this.status,
      promptTokens: this.promptTokens,
      contextTokens: this.contextTokens,
      partialText,
      letGo,
      raw: this.raw,
      transient: this.#transient,
      code: this.code,
      cause: this.cause,
    });
  }
}

/** No Ollama answers at the address (S1). */
export class OllamaUnavailableError extends ModelError {
  constructor(options: { url: string; detail?: string; hint?: string; cause?: unknown }) {
    super({
      kind: 'unreachable',
      code: 'ollama_unreachable',
      message: `Cannot connect to Ollama at ${options.url}${options.detail ? ` (${options.detail})` : ''}. Is Ollama running?`,
      hint: options.hint ?? 'Start it with: ollama serve. If it runs elsewhere, set OLLAMA_HOST.',
      cause: options.cause,
    });
    this.name = 'OllamaUnavailableError';
  }
}

/** The model cannot be used (S2): it is missing (404), or the check itself failed and the status is named (K-34). */
export class ModelNotAvailableError extends ModelError {
  readonly model: string;

  /** @param options.detail what the check met, with the status when there was one */
  constructor(options: { model: string; status?: number; detail: string; cause?: unknown }) {
    const { model, status, detail, cause } = options;
    const pull = `ollama pull ${model}`;
    super(
      status === 404
        ? {
            kind: 'model_missing',
            message: `Model "${model}" is missing. Run: ${pull}`,
            hint: `Run: ${pull}`,
            status,
            cause,
          }
        : {
            kind: 'http',
            code: 'model_check_failed',
            message: `Model "${model}" could not be checked: ${detail}. If it is not installed, run: ${pull}`,
            hint: 'Look at the log of the Ollama server, then try again.',
            status,
            cause,
          },
    );
    this.name = 'ModelNotAvailableError';
    this.model = model;
  }
}

function codeOf(kind: ModelErrorKind): string {
  return kind === 'model_missing' ? kind : `model_${kind}`;
}

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

  constructor(options: {
    kind: ModelErrorKind;
    message: string;
    hint?: string;
    status?: number;
    promptTokens?: number;
    contextTokens?: number;
    partialText?: string;
    raw?: string;
    cause?: unknown;
  }) {
    super({ code: `model_${options.kind}`, message: options.message, hint: options.hint, cause: options.cause });
    this.name = 'ModelError';
    this.kind = options.kind;
    this.status = options.status;
    this.promptTokens = options.promptTokens;
    this.contextTokens = options.contextTokens;
    this.partialText = options.partialText;
    this.raw = options.raw;
  }

  /** Whether the same request may succeed a moment later. */
  get transient(): boolean {
    return (
      this.kind === 'unreachable' ||
      this.kind === 'busy' ||
      this.kind === 'cut_off' ||
      this.kind === 'bad_response' ||
      (this.kind === 'http' && (this.status === undefined || this.status >= 500))
    );
  }
}

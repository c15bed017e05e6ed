import { AppError } from '../errors/app-error.ts';

/** Kinds of errors between the engine and Ollama. The engine decides by the kind alone. */
export type ModelErrorKind =
  | 'unreachable'
  | 'model_missing'
  | 'no_tool_support'
  | 'no_thinking_support'
  | 'no_thinking_levels'
  | 'overflow'
  | 'busy'
  | 'timeout'
  | 'cut_off'
  | 'malformed_call'
  | 'bad_response'
  | 'http'
  | 'aborted';

/** What happened to a call's slot after the call was aborted. */
export interface SlotRelease {
  /** Time from closing the connection until the server was idle, in milliseconds. */
  readonly afterMs: number;
  /** Whether the server had leaked the slot, so that the model was unloaded to recover it. */
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
  partialThinking?: string;
  raw?: string;
  slotRelease?: SlotRelease;
  cleanupMs?: number;
  /** Overrides the kind's default for `transient`. */
  transient?: boolean;
  /** Overrides the code derived from the kind. */
  code?: string;
  cause?: unknown;
}

/** A failed model call. `malformed_call` is a reply whose tool call Ollama could not parse (T22). */
export class ModelError extends AppError {
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  /** For `overflow`, if reported: tokens sent and tokens that fit. */
  readonly promptTokens: number | undefined;
  readonly contextTokens: number | undefined;
  /** Text and thinking received before the failure; kept so that nothing is lost. */
  readonly partialText: string | undefined;
  readonly partialThinking: string | undefined;
  /** The model's own text inside a server-side parser error (harmony: the raw arguments). */
  readonly raw: string | undefined;
  /** Only for calls aborted by Loupe, if the server reported it. */
  readonly slotRelease: SlotRelease | undefined;
  /**
   * Cleanup time after the end of the call in milliseconds: checking whether the server responds, waiting until it is
   * idle, freeing the slot. Not included in the call's duration.
   */
  readonly cleanupMs: number | undefined;
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
    this.partialThinking = options.partialThinking;
    this.raw = options.raw;
    this.slotRelease = options.slotRelease;
    this.cleanupMs = options.cleanupMs;
    this.#transient = options.transient;
  }

  /** Whether retrying the same request may succeed. */
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

  /** The same error, with the partial reply and the state of the call's slot. */
  after({
    partialText,
    partialThinking,
    slotRelease,
    cleanupMs,
  }: Pick<ModelErrorOptions, 'partialText' | 'partialThinking' | 'slotRelease' | 'cleanupMs'>): ModelError {
    return new ModelError({
      kind: this.kind,
      message: this.message,
      hint: this.hint,
      status: this.status,
      promptTokens: this.promptTokens,
      contextTokens: this.contextTokens,
      partialText,
      partialThinking,
      slotRelease,
      cleanupMs,
      raw: this.raw,
      transient: this.#transient,
      code: this.code,
      cause: this.cause,
    });
  }
}

/** No Ollama responds at the address (S1). */
export class OllamaUnavailableError extends ModelError {
  constructor(options: { url: string; detail?: string } & Partial<Omit<ModelErrorOptions, 'kind'>>) {
    const { url, detail, ...rest } = options;
    super({
      kind: 'unreachable',
      ...rest,
      code: rest.code ?? 'ollama_unreachable',
      message:
        rest.message ??
        `Cannot connect to Ollama at ${url}${detail ? ` (${detail})` : ''}. Is Ollama running?`,
      hint: rest.hint ?? 'Start it with: ollama serve. If it runs elsewhere, set OLLAMA_HOST.',
    });
    this.name = 'OllamaUnavailableError';
  }
}

/** Something accepts connections at the address but does not respond: a hung or suspended process. */
export class OllamaNotRespondingError extends OllamaUnavailableError {
  /** @param options.transient false if a retry would take as long again */
  constructor({ url, detail, transient }: { url: string; detail: string; transient?: boolean }) {
    super({
      url,
      code: 'ollama_not_responding',
      message: `Ollama at ${url} is not responding: ${detail}.`,
      hint: 'Its process hangs or is suspended, or the machine is overloaded. If it stays silent, restart Ollama.',
      transient,
    });
    this.name = 'OllamaNotRespondingError';
  }
}

/** The model cannot be used (S2): it is missing (a 404 of Ollama's), or the check itself failed and the status is named (K-34). */
export class ModelNotAvailableError extends ModelError {
  readonly model: string;

  /**
   * @param options.detail the failure of the check, with its status if there was one
   * @param options.nearest an installed model that may be meant instead of a missing one
   */
  constructor(options: {
    model: string;
    status?: number;
    detail: string;
    nearest?: string;
    hint?: string;
    transient?: boolean;
    cause?: unknown;
  }) {
    const { model, status, detail, nearest, cause } = options;
    const pull = `ollama pull ${model}`;
    // The page of a proxy says nothing about the model.
    const isPage = cause instanceof ModelError && cause.kind !== 'model_missing';
    super(
      status === 404 && !isPage
        ? {
            kind: 'model_missing',
            message: nearest
              ? `Model "${model}" is missing. Did you mean "${nearest}"?`
              : `Model "${model}" is missing. Run: ${pull}`,
            hint: nearest ? `Use "${nearest}", or run: ${pull}` : 'Or choose an installed model.',
            status,
            cause,
          }
        : {
            kind: 'http',
            code: 'model_check_failed',
            message:
              options.transient === false
                ? `Model "${model}" cannot be used: ${detail}`
                : `Model "${model}" could not be checked: ${detail}. If it is not installed, run: ${pull}`,
            hint: options.hint ?? 'Look at the log of the Ollama server, then try again.',
            transient: options.transient,
            status,
            cause,
          },
    );
    this.name = 'ModelNotAvailableError';
    this.model = model;
  }
}

/** The code of an `http` error that says that the memory does not suffice. */
export const OUT_OF_MEMORY_CODE = 'model_out_of_memory';

function codeOf(kind: ModelErrorKind): string {
  return kind === 'model_missing' ? kind : `model_${kind}`;
}

/** Ignores a failure of the server, because the next call will report it. */
export function unlessModelError(error: unknown): undefined {
  if (!(error instanceof ModelError)) throw error;
}

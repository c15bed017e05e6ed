import { pathToFileURL } from 'node:url';
import type * as Sdk from '@modelcontextprotocol/client';
import type { AskedRequest } from '../events/mcp-request.ts';
import type { AskOperator, OperatorAnswer } from '../tools/tool.ts';
import { plural } from '../util/numbers.ts';
import { RefusedRequestError, readElicitation, readSampling } from './asked-request.ts';
import type { CallClock } from './call-clock.ts';
import { MAX_REQUESTS_PER_CALL } from './limits.ts';
import type { SecretMask } from './secrets.ts';

/** JSON-RPC errors for requests that the client refuses: an unknown method, invalid parameters, and a refused sample. */
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const REFUSED = -1;

const OUTSIDE_OF_CALL = 'Loupe answers requests only while it waits for the result of a call.';
const NO_OPERATOR = 'Requests of servers are answered in runs only.';

type Client = InstanceType<typeof Sdk.Client>;

/** The server's call in progress, and the operator who answers its requests. */
export interface CurrentCall {
  server: string;
  /** Missing on the Tools page, where nobody answers. */
  ask?: AskOperator | undefined;
  clock: CallClock;
  signal: AbortSignal;
}

/** The outcome of a server's requests during a call. */
export interface RequestCounts {
  asked: number;
  /** Refused without asking a person. */
  refused: number;
  /** Refused because nobody can answer. */
  nobody: number;
}

/**
 * Answers the requests of one server: roots, and within limits input and samples, which the operator of the call in
 * progress decides. After a cancelled request, the call's further requests are refused, so that a server cannot wear a
 * person down.
 */
export class CallRequests {
  readonly #sdk: typeof Sdk;
  readonly #mask: SecretMask;
  readonly #root: string | undefined;
  #current: CurrentCall | undefined;
  #counts: RequestCounts = { asked: 0, refused: 0, nobody: 0 };
  #isCancelled = false;

  /** @param root the folder of the run, if the server may see it */
  constructor(sdk: typeof Sdk, mask: SecretMask, root: string | undefined) {
    this.#sdk = sdk;
    this.#mask = mask;
    this.#root = root;
  }

  /** The client's declared capabilities. */
  static readonly capabilities: Sdk.ClientCapabilities = {
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
  };

  /**
   * Sets the handlers, before the client connects. The library checks the parameters of a request that has a handler of its
   * own with schemas that take seconds for a large one, and answers with a list of all problems. `readElicitation` and
   * `readSampling` stop at the first one.
   */
  handle(client: Client): void {
    client.setRequestHandler('roots/list', () => ({ roots: this.#roots() }));
    client.fallbackRequestHandler = ({ method, params }, { mcpReq }) => {
      if (method === 'elicitation/create') return this.#elicit({ ...params }, mcpReq.signal);
      if (method === 'sampling/createMessage') return this.#sample({ ...params }, mcpReq.signal);
      throw this.#error(METHOD_NOT_FOUND, 'Method not found');
    };
  }

  async #elicit(
    params: Readonly<Record<string, unknown>>,
    withdrawn: AbortSignal,
  ): Promise<Sdk.ElicitResult> {
    const { action, content } = await this.#answer(() => readElicitation(params, this.#mask), withdrawn);
    return { action, ...(content && action === 'accept' && { content: { ...content } }) };
  }

  async #sample(
    params: Readonly<Record<string, unknown>>,
    withdrawn: AbortSignal,
  ): Promise<Sdk.CreateMessageResult> {
    const { action, sample } = await this.#answer(() => readSampling(params, this.#mask), withdrawn);
    if (action !== 'accept' || !sample) throw this.#error(REFUSED, 'The operator did not allow the sample.');
    if ('error' in sample) throw this.#error(REFUSED, `The model wrote nothing: ${sample.error}`);
    const { text, model, isCut } = sample;
    return {
      role: 'assistant',
      content: { type: 'text', text },
      model,
      stopReason: isCut ? 'maxTokens' : 'endTurn',
    };
  }

  /** Runs a call, during which requests are answered. @returns also the outcome of the requests */
  async during<T>(call: CurrentCall, work: () => Promise<T>): Promise<{ value: T; counts: RequestCounts }> {
    const over = new AbortController();
    this.#current = { ...call, signal: AbortSignal.any([call.signal, over.signal]) };
    const current = this.#current;
    const counts = { asked: 0, refused: 0, nobody: 0 };
    this.#counts = counts;
    this.#isCancelled = false;
    try {
      return { value: await work(), counts };
    } finally {
      // A server that has answered the call no longer waits for anything.
      over.abort(new Error('The call has ended.'));
      if (this.#current === current) this.#current = undefined;
    }
  }

  #roots(): { uri: string; name: string }[] {
    return this.#root === undefined ? [] : [{ uri: pathToFileURL(this.#root).href, name: 'workspace' }];
  }

  /** @param withdrawn aborted when the server no longer waits */
  async #answer(read: () => AskedRequest, withdrawn: AbortSignal): Promise<OperatorAnswer> {
    const call = this.#current;
    if (!call) throw this.#error(REFUSED, OUTSIDE_OF_CALL);
    const { ask, clock, server, signal } = call;
    if (!ask) {
      this.#counts.nobody += 1;
      throw this.#error(REFUSED, NO_OPERATOR);
    }
    if (this.#isCancelled || this.#counts.asked >= MAX_REQUESTS_PER_CALL) {
      this.#counts.refused += 1;
      throw this.#error(
        REFUSED,
        `Loupe answers at most ${MAX_REQUESTS_PER_CALL} requests per call, and none after one was cancelled.`,
      );
    }
    const request = this.#read(read);
    this.#counts.asked += 1;
    const over = AbortSignal.any([signal, withdrawn]);
    const answer = await clock.pausedFor(() => ask({ server, request }, over));
    if (answer.action === 'cancel') this.#isCancelled = true;
    return answer;
  }

  #read(read: () => AskedRequest): AskedRequest {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RefusedRequestError)) throw error;
      this.#counts.refused += 1;
      throw this.#error(INVALID_PARAMS, error.message);
    }
  }

  #error(code: number, message: string): Error {
    return new this.#sdk.ProtocolError(code, message);
  }
}

/** Notes for the model on requests that were refused without asking a person. */
export function requestNotes({ refused, nobody }: Pick<RequestCounts, 'refused' | 'nobody'>): string[] {
  return [
    ...(nobody > 0
      ? ['The server asked for something that only the operator of a run can give. It was refused.']
      : []),
    ...(refused > 0
      ? [
          `The server asked ${refused === 1 ? 'once' : plural(refused, 'time')} for something that no server may ask for. It was refused.`,
        ]
      : []),
  ];
}

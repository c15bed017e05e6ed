import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ServerEnd, ServerProcess } from '../sandbox/sandbox.ts';
import { sizeProblem } from '../util/field-counter.ts';
import { jsonObject } from '../util/json.ts';
import { CLOSE_GRACE_MS, MAX_MESSAGE_BYTES, MAX_UNREAD_BYTES, STDERR_BYTES } from './limits.ts';
import { ANSWER_LOST, INVALID_ANSWER } from './lost-answer.ts';
import { PendingRequests } from './pending-requests.ts';
import { Traffic } from './traffic.ts';

/** Reads one message. From the client library; throws for anything else. */
type ReadMessage = (line: string) => JSONRPCMessage;

const NEWLINE = 0x0a;
/** A part of a line takes about 500 bytes, however short it is: a server that writes byte by byte must not fill the memory. */
const MAX_PARTS = 1000;

/**
 * The messages of a confined server, one per line on its standard streams. Lines that are not messages are skipped,
 * because many servers print there; a line without end, an object with too many fields, too many objects or messages
 * without end stop the server.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #start: () => Promise<ServerProcess>;
  readonly #read: ReadMessage;
  readonly #traffic = new Traffic();
  readonly pending = new PendingRequests();
  #process: ServerProcess | undefined;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #stderr = Buffer.alloc(0);
  #problem: string | undefined;
  #closing = false;
  #starting: Promise<void> | undefined;
  #watching: Promise<void> | undefined;
  #draining: Promise<void> | undefined;

  constructor(start: () => Promise<ServerProcess>, read: ReadMessage) {
    this.#start = start;
    this.#read = read;
  }

  /** Why the server was stopped or ended on its own; `undefined` while it runs, or if `close` ended it. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The end of what the server wrote to stderr, not cleaned and not masked. */
  get stderr(): string {
    return new TextDecoder().decode(this.#stderr);
  }

  /** Resolves when the server has ended and everything was read, or after a time limit. */
  async ended(withinMs: number): Promise<void> {
    await Promise.race([this.#watching, delay(withinMs, undefined, { ref: false })]);
  }

  start(): Promise<void> {
    this.#starting = this.#open();
    return this.#starting;
  }

  async #open(): Promise<void> {
    const server = await this.#start();
    this.#process = server;
    server.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    server.stderr.on('data', (chunk: Buffer) => this.#keepStderr(chunk));
    for (const stream of [server.stdout, server.stderr]) stream.on('error', () => undefined);
    server.stdout.once('end', () => void this.#stopUnlessEnding(server));
    this.#watching = this.#watch(server);
  }

  /** Stops a server that closed its output and lives on: it can no longer answer. One that exits also closes it. */
  async #stopUnlessEnding({ ended }: ServerProcess): Promise<void> {
    const end = await Promise.race([ended, delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
    if (!end && !this.#closing) this.#stop('It closed its output (stdout) and did not end.');
  }

  /** Waits until everything was read, so that the last words on stderr explain the end. */
  async #watch(server: ServerProcess): Promise<void> {
    const end = await server.ended;
    if (!this.#closing) this.#problem ??= endWords(end);
    await Promise.race([
      Promise.all([server.stdout, server.stderr].map((stream) => stream.closed || once(stream, 'close'))),
      delay(CLOSE_GRACE_MS),
    ]).catch(() => undefined);
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const server = this.#process;
    if (!server?.stdin.writable) throw new Error('The server has ended.');
    // Its requests are answered without waiting for previous answers.
    if (server.stdin.writableLength > MAX_UNREAD_BYTES) this.#stop('It does not read its input.');
    if (this.#problem !== undefined) throw new Error(this.#problem);
    this.pending.sent(message);
    if (server.stdin.write(`${JSON.stringify(message)}\n`)) return;
    try {
      // A server that does not read must not fill the memory, so the next message waits.
      await this.#drained(server);
    } catch (error) {
      // It may have closed its input because it is exiting. The caller closes this on an error, which would lose the reason.
      await Promise.race([server.ended, delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
      throw error;
    }
  }

  /** Until the server has read its input, or has ended. All messages that wait share the listeners. */
  #drained({ stdin, ended }: ServerProcess): Promise<void> {
    this.#draining ??= (async () => {
      const over = new AbortController();
      try {
        await Promise.race([once(stdin, 'drain', { signal: over.signal }), ended]);
      } finally {
        over.abort();
        this.#draining = undefined;
      }
    })();
    return this.#draining;
  }

  /** Asks the server to exit by closing its input, as the protocol specifies, and kills it if it does not. */
  async close(): Promise<void> {
    this.#closing = true;
    // A server that is being started would go on without anybody who could end it.
    await this.#starting?.catch(() => undefined);
    const server = this.#process;
    if (!server) {
      this.onclose?.();
      return;
    }
    server.stdin.end();
    const ended = await Promise.race([server.ended, delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
    if (!ended) server.kill();
    await server.ended;
  }

  #take(chunk: Buffer): void {
    if (this.#problem !== undefined) return;
    if (this.#traffic.isFlood({ bytes: chunk.length })) {
      this.#stop('It sent too much in one second.');
      return;
    }
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at));
      from = at + 1;
      if (!this.#endLine()) return;
    }
    this.#keep(chunk.subarray(from));
    const [start] = this.#line;
    if (start) this.pending.unfinished('line', start);
    else this.pending.finished();
    if (this.#lineBytes > MAX_MESSAGE_BYTES) {
      this.#stop(`It sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB.`);
    }
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#line.push(part);
    this.#lineBytes += part.length;
    if (this.#line.length >= MAX_PARTS) this.#line = [Buffer.concat(this.#line)];
  }

  /** @returns whether the server may continue */
  #endLine(): boolean {
    const bytes = Buffer.concat(this.#line);
    const line = bytes.toString('utf8').trim();
    const isTooLong = this.#lineBytes > MAX_MESSAGE_BYTES;
    this.#line = [];
    this.#lineBytes = 0;
    if (isTooLong) this.#stop(`It sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB.`);
    else if (this.#traffic.isFlood({ messages: 1 })) this.#stop('It sent too many messages in one second.');
    else if (line.startsWith('{')) {
      const tooMany = sizeProblem(bytes);
      if (tooMany !== undefined) this.#stop(`It sent ${tooMany}.`);
      else this.#dispatch(line);
    } else if (line !== '') this.pending.stray('line', line);
    return this.#problem === undefined;
  }

  #dispatch(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = this.#read(line);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      const id = idOfAnswer(line);
      if (id === undefined) {
        this.pending.stray('line', line);
        return;
      }
      message = { jsonrpc: '2.0', id, error: { code: ANSWER_LOST, message: INVALID_ANSWER } };
    }
    const problem = this.pending.received(message);
    if (problem === undefined) this.onmessage?.(message);
    else this.#stop(problem);
  }

  #stop(problem: string): void {
    if (this.#problem !== undefined) return;
    this.#problem = problem;
    this.#line = [];
    this.#process?.stdout.destroy();
    this.#process?.kill();
  }

  #keepStderr(chunk: Buffer): void {
    if (this.#traffic.isFlood({ bytes: chunk.length })) this.#stop('It wrote too much to stderr.');
    else this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-STDERR_BYTES);
  }
}

/**
 * The request that a line answers, so that an invalid answer ends the wait for it; `undefined` if the line is no answer. A
 * line of a log can have an `id`, too.
 */
function idOfAnswer(line: string): string | number | undefined {
  const { jsonrpc, id, method } = jsonObject(line) ?? {};
  const isAnswer = jsonrpc === '2.0' && method === undefined;
  return isAnswer && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
}

/** How a server ended, as a sentence. */
function endWords({ end, exitCode }: ServerEnd): string {
  switch (end) {
    case 'memory_limit':
      return 'It was killed because it used too much memory.';
    case 'process_limit':
      return 'It was killed because it started too many processes.';
    case 'scratch_limit':
      return 'It was killed because it made too many temporary files.';
    case 'disk_full':
      return 'It was killed because the disk is nearly full.';
    case 'exited':
      return exitCode === 127
        ? 'Its command was not found (exit code 127).'
        : `It ended by itself${exitCode === undefined ? '' : ` with exit code ${exitCode}`}.`;
    default:
      return 'It was killed.';
  }
}

import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import type { LoupeRun } from '../client/loupe.ts';
import { AppError } from '../errors/app-error.ts';
import type { RunEvent } from '../events/registry.ts';
import type { Input } from './terminal.ts';

const PROMPT = 'You: ';

/**
 * Sends each line of the input to a session. In a terminal a line is sent when it is entered; from a pipe or a file, when
 * the session waits for a message. When the input ends, the session is ended as soon as it waits.
 */
export class Conversation {
  readonly #run: Pick<LoupeRun, 'say' | 'stop'>;
  readonly #input: Input;
  readonly #stderr: Writable;
  readonly #onError: (error: unknown) => void;
  readonly #lines: ReturnType<typeof createInterface>;
  readonly #unsent: string[] = [];
  #waits = false;
  #isOver = false;
  #isPrompting = false;
  #hasEnded = false;
  #hasFailed = false;
  /** Requests are sent one after another, so that messages keep their order. */
  #last: Promise<void> = Promise.resolve();

  constructor(
    run: Pick<LoupeRun, 'say' | 'stop'>,
    { input, stderr, onError }: { input: Input; stderr: Writable; onError: (error: unknown) => void },
  ) {
    this.#run = run;
    this.#input = input;
    this.#stderr = stderr;
    this.#onError = onError;
    this.#lines = createInterface({ input, terminal: false });
    this.#lines.on('line', (line) => {
      this.#isPrompting = false; // the terminal has ended the line
      if (line.trim() !== '') this.#unsent.push(line.trim());
      this.#advance();
    });
    this.#lines.on('close', () => {
      this.leavePrompt();
      this.#isOver = true;
      this.#advance();
    });
  }

  /** Whether the end of the input ended the session, after an answer to each message. */
  get isComplete(): boolean {
    return this.#hasEnded && !this.#hasFailed;
  }

  /** Call with each event of the session. */
  event({ type }: Pick<RunEvent, 'type'>): void {
    if (type === 'message.awaited') {
      this.#waits = true;
      if (this.#input.isTTY && this.#unsent.length === 0) {
        this.#isPrompting = true;
        this.#stderr.write(PROMPT);
      }
    }
    if (type === 'operator.messaged' || type === 'autopilot.switched' || type === 'stop.requested') {
      this.#waits = false;
    }
    this.#advance();
  }

  /** Ends the line of a prompt that nothing was entered at. Call before anything else is printed. */
  leavePrompt(): void {
    if (!this.#isPrompting) return;
    this.#isPrompting = false;
    this.#stderr.write('\n');
  }

  close(): void {
    this.#lines.removeAllListeners();
    this.#lines.close();
    this.#input.destroy?.();
  }

  #advance(): void {
    if (!this.#waits && !this.#input.isTTY) return;
    const text = this.#unsent.shift();
    if (text !== undefined) {
      const waited = this.#waits;
      this.#waits = false;
      this.#send(
        () => this.#run.say(text),
        // No event follows a message that the server did not accept: the session still waits.
        (error) => waited && isInvalid(error) && this.event({ type: 'message.awaited' }),
      );
    } else if (this.#isOver && this.#waits) {
      this.#waits = false;
      this.#hasEnded = true;
      this.#send(() => this.#run.stop());
    }
  }

  #send(request: () => Promise<unknown>, onError?: (error: unknown) => void): void {
    this.#last = this.#last
      .then(() => request())
      .then(
        () => undefined,
        (error: unknown) => {
          this.#hasFailed = true;
          this.#onError(error);
          onError?.(error);
        },
      );
  }
}

/** Whether the server refused the message itself, such as one that is too long. */
function isInvalid(error: unknown): boolean {
  return error instanceof AppError && error.code === 'invalid_request';
}

import { type Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { plainVisibleLine, plainVisibleText } from '../browser/words/visible-text.ts';
import { durationWords } from '../util/durations.ts';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';
import { escapeControls } from '../util/escape-controls.ts';
import { shortText } from '../util/short-text.ts';
import { EXIT } from './exit-codes.ts';

/** The source of a person's messages: a terminal, a pipe or a file. */
export type Input = Readable & { readonly isTTY?: boolean };

const MAX_MESSAGE_CHARS = 2000;

/** The parts of the process that the CLI needs; `process` satisfies it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Messages to a session, a line each. */
  readonly stdin?: Input;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable;
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  /** Ends the process immediately. */
  exit(code: number): void;
}

/** Ends the process as SIGPIPE ends other programs when `head` or a pager has closed the output. Node ignores the signal. */
export function exitOnClosedOutput(terminal: Terminal): void {
  for (const stream of [terminal.stdout, terminal.stderr]) {
    // Other errors reach the caller of `write`.
    stream.on('error', (error) => {
      if (errno(error) === 'EPIPE') terminal.exit(EXIT.outputClosed);
    });
  }
}

/** Removes control sequences from everything printed to a terminal. Files and pipes get unchanged output. */
export function cleanTerminal(terminal: Terminal): Terminal {
  const { env, stdin, stdout, stderr } = terminal;
  return {
    env,
    stdin,
    stdout: stdout.isTTY ? Object.assign(cleaned(stdout), { isTTY: true, columns: stdout.columns }) : stdout,
    stderr: cleaned(stderr),
    on: (signal, listener) => terminal.on(signal, listener),
    off: (signal, listener) => terminal.off(signal, listener),
    exit: (code) => terminal.exit(code),
  };
}

function cleaned(stream: Writable): Writable {
  const decoder = new StringDecoder('utf8');
  const clean = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      stream.write(plainVisibleText(typeof chunk === 'string' ? chunk : decoder.write(chunk)), done);
    },
  });
  // Errors are handled where the stream itself reports them.
  return clean.on('error', () => undefined);
}

export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((done, fail) => {
    stream.write(text, (error) => (error ? fail(error) : done()));
  });
}

/** Whether the system refused what was printed, such as on a full disk. Errors of files are reported with their path. */
export function isWriteError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall === 'write';
}

/** The width of the terminal; `undefined` for a file, a pipe, or a terminal that does not tell it. */
export function widthOf({ stdout }: Terminal): number | undefined {
  return (stdout.isTTY && stdout.columns) || undefined;
}

/** Says why a list is empty or ends, to a person. A script gets the list alone. */
export async function explain(words: string, { stdout, stderr }: Terminal): Promise<void> {
  if (stdout.isTTY) await write(stderr, `${words}\n`);
}

/** Reports progress, by the lines that the last report did not have. */
export function progressReport({ stderr }: Terminal): (lines: readonly string[]) => Promise<void> {
  let last: readonly string[] = [];
  return async (lines) => {
    const fresh = lines.filter((line) => !last.includes(line));
    last = lines;
    if (fresh.length > 0) await write(stderr, asText(fresh));
  };
}

/** Runs `work` with a handler for Ctrl-C. */
export async function interruptible(
  terminal: Terminal,
  interrupted: () => void,
  work: () => Promise<number>,
): Promise<number> {
  terminal.on('SIGINT', interrupted);
  terminal.on('SIGTERM', interrupted);
  try {
    return await work();
  } finally {
    terminal.off('SIGINT', interrupted);
    terminal.off('SIGTERM', interrupted);
  }
}

export function stopFailed({ stderr }: Terminal): (error: unknown) => void {
  return (error) => {
    const message = errorMessage(error);
    stderr.write(`Could not stop: ${messageLine(message)}\n`);
  };
}

export function reconnecting({ stderr }: Terminal): (waitMs: number) => void {
  return (waitMs) => void stderr.write(`Connection lost; retrying in ${durationWords(waitMs)}.\n`);
}

export function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** JSON on one line, with terminal control characters escaped. */
export function jsonLine(value: unknown): string {
  return escapeControls(JSON.stringify(value));
}

/** A message from the server or the system, which may contain anything. */
export function messageLine(text: string): string {
  return shortText(plainVisibleLine(text), MAX_MESSAGE_CHARS);
}

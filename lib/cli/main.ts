import { constants, createWriteStream, openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckProgress } from '../api/model-check.ts';
import { plainVisibleText } from '../browser/visible-text.ts';
import { AppError } from '../errors/app-error.ts';
import { foldRun } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import { type Command, readArguments, USAGE } from './arguments.ts';
import { checkLines, progressLines } from './check-lines.ts';
import { LoupeClient } from './client.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { endLine, linesOf, listLines } from './lines.ts';

/** How often a check is looked at. */
const CHECK_LOOK_MS = 500;

/** What the program needs of its process; `process` is one. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/**
 * Runs one command line. Progress goes to standard error, answers to standard output, so that a script gets the answer
 * alone.
 *
 * @returns the exit code (`EXIT`, `exitCodeOf`)
 */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const command = readArguments(args);
    if (command.name === 'help') {
      await write(terminal.stdout, USAGE);
      return EXIT.ok;
    }
    return await perform(command, new LoupeClient(command.url, terminal.env), terminal);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await write(
      terminal.stderr,
      `loupe: ${plainVisibleText(error.message)}\n${error.hint ? `       ${plainVisibleText(error.hint)}\n` : ''}`,
    );
    return exitCodeOfError(error.code);
  }
}

function exitCodeOfError(code: string): number {
  switch (code) {
    case 'usage':
    case 'invalid_request':
      return EXIT.usage;
    case 'unreachable':
      return EXIT.unreachable;
    case 'unauthorized':
    case 'not_signed_in':
      return EXIT.notSignedIn;
    default:
      return EXIT.failed;
  }
}

type Performed = Exclude<Command, { name: 'help' }>;

async function perform(command: Performed, client: LoupeClient, terminal: Terminal): Promise<number> {
  const { stdout, stderr } = terminal;
  switch (command.name) {
    case 'run': {
      const { run } = await client.start(command.body);
      if (command.detach) {
        await write(stdout, `${run.id}\n`);
        return EXIT.ok;
      }
      await write(stderr, `${run.id}  ${plainVisibleText(run.model)}\n${client.url}/runs/${run.id}\n`);
      return follow(run.id, { ...command, after: 0, stopsRun: true }, client, terminal);
    }
    case 'follow':
      return follow(command.runId, { ...command, live: false, stopsRun: false }, client, terminal);
    case 'list': {
      const { runs } = await client.list(command.limit);
      const lines = command.json ? runs.map((run) => JSON.stringify(run)) : listLines(runs);
      await write(stdout, asText(lines));
      return EXIT.ok;
    }
    case 'stop': {
      const { run } = await client.stop(command.runId, command.force);
      await write(stderr, run.phase === 'ended' ? `${endLine(run)}\n` : 'Asked to stop.\n');
      return EXIT.ok;
    }
    case 'say': {
      await client.say(command.runId, command.text);
      await write(stderr, 'Queued: it reaches the model at the next boundary of the run.\n');
      return EXIT.ok;
    }
    case 'export': {
      const bytes = await client.export(command.runId, command.format, command.raw);
      if (command.output === undefined) await pipeline(bytes, stdout, { end: false });
      else await pipeline(bytes, createWriteStream(command.output, { flags: 'wx' })).catch(refuseToOverwrite);
      return EXIT.ok;
    }
    case 'import': {
      await access(command.file, constants.R_OK).catch(noSuchFile);
      const { run } = await client.import(await openAsBlob(command.file));
      await write(stderr, `${client.url}/runs/${run.id}\n`);
      await write(stdout, `${run.id}\n`);
      return EXIT.ok;
    }
    case 'check':
      return check(command, client, terminal);
  }
}

/** Has a model checked, tells each probe as it ends, and prints the table. */
async function check(
  { model, json }: { model: string; json: boolean },
  client: LoupeClient,
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr } = terminal;
  const interrupted = () => void client.stopCheck(model).catch(stopFailed(terminal));
  return interruptible(terminal, interrupted, async () => {
    const started = await client.startCheck(model);
    let now: CheckProgress | undefined = started;
    let told: string[] = [];
    for (;;) {
      const lines: string[] = now ? progressLines(now) : [];
      await write(stderr, asText(lines.filter((line) => !told.includes(line))));
      told = lines;
      // Another check may have begun since this one ended; its result is stored all the same.
      if (!now || now.started_at !== started.started_at || now.ended_at !== undefined) break;
      await delay(CHECK_LOOK_MS);
      now = (await client.checking()).check;
    }
    if (now?.started_at === started.started_at && now.status !== 'done') return EXIT.failed;
    const reply = await client.checkResult(model);
    const text = json ? JSON.stringify(reply.check) : checkLines(reply).join('\n');
    await write(stdout, `${text}\n`);
    return reply.summary.passed === reply.check.probes.length ? EXIT.ok : EXIT.failed;
  });
}

/** Shows a run to its end, and turns Ctrl-C into what the command means by it. */
async function follow(
  runId: string,
  options: { after: number; json: boolean; live: boolean; stopsRun: boolean },
  client: LoupeClient,
  terminal: Terminal,
): Promise<number> {
  const leaving = new AbortController();
  let presses = 0;
  const interrupted = () => {
    presses += 1;
    if (!options.stopsRun || presses > 2) {
      leaving.abort();
      return;
    }
    const force = presses === 2;
    terminal.stderr.write(
      force ? 'Stopping at once.\n' : 'Stopping after this step; Ctrl-C again stops at once.\n',
    );
    client.stop(runId, force).catch(stopFailed(terminal));
  };
  return interruptible(terminal, interrupted, () => show(runId, options, client, terminal, leaving.signal));
}

/** Does something during which Ctrl-C means what the command says. */
async function interruptible(
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

function stopFailed({ stderr }: Terminal): (error: unknown) => void {
  return (error) => {
    stderr.write(`The stop did not reach Loupe: ${error instanceof Error ? error.message : error}\n`);
  };
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

async function show(
  runId: string,
  { after, json, live }: { after: number; json: boolean; live: boolean },
  client: LoupeClient,
  { stdout, stderr }: Terminal,
  signal: AbortSignal,
): Promise<number> {
  let state = emptyRunState(runId);
  // Lines need the state before them, so the log is always read from its beginning.
  const text = new LiveText();
  for await (const received of client.follow(runId, 0, signal)) {
    if (received.type === 'lost') {
      await write(stderr, `The connection broke; trying again in ${received.wait_ms} ms.\n`);
      continue;
    }
    if (received.type === 'delta') {
      if (live && !json && received.delta.type === 'text') await write(stderr, text.add(received.delta));
      continue;
    }
    const { event } = received;
    state = foldRun(state, event);
    if (event.seq <= after) continue;
    if (json) await write(stdout, `${JSON.stringify(event)}\n`);
    else await write(stderr, text.end() + asText(linesOf(event, state)));
    if (event.type !== 'run.ended') continue;
    const { run } = await client.run(runId);
    if (!json) {
      await write(stderr, `${endLine(run)}\n`);
      const { output } = event.result;
      // A terminal obeys control characters; a file or another program gets the text as it is.
      if (output !== '') await write(stdout, `${stdout.isTTY ? plainVisibleText(output) : output}\n`);
    }
    return exitCodeOf({ reason: event.result.termination_reason, verification: run.verification });
  }
  // Left by Ctrl-C, or the run had ended before `after`.
  const { run } = await client.run(runId);
  if (run.termination_reason === undefined) return EXIT.ok;
  return exitCodeOf({ reason: run.termination_reason, verification: run.verification });
}

/** Text that is being written, printed once however often a piece comes. */
class LiveText {
  #call = 0;
  #printed = 0;

  add(delta: { call: number; offset: number; text: string }): string {
    if (delta.call !== this.#call) {
      this.#call = delta.call;
      this.#printed = 0;
    }
    const fresh = delta.text.slice(Math.max(0, this.#printed - delta.offset));
    this.#printed = Math.max(this.#printed, delta.offset + delta.text.length);
    return plainVisibleText(fresh);
  }

  /** What separates the text from the line after it. */
  end(): string {
    const separator = this.#printed > 0 ? '\n' : '';
    this.#printed = 0;
    return separator;
  }
}

function write(stream: Writable, text: string): Promise<void> {
  return new Promise((done, fail) => {
    stream.write(text, (error) => (error ? fail(error) : done()));
  });
}

function refuseToOverwrite(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
    throw new AppError({
      code: 'usage',
      message: `${error.message.replace(/^.*'(.*)'$/, '$1')} exists already.`,
      hint: 'Choose another name for --output, or delete the file first.',
    });
  }
  throw error;
}

function noSuchFile(error: unknown): never {
  throw new AppError({
    code: 'usage',
    message: `The file cannot be read: ${error instanceof Error ? error.message : error}`,
    hint: 'Name a run file or a bug bundle.',
  });
}

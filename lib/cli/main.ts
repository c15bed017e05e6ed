import { constants, createWriteStream, openAsBlob } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import type { CreateRunRequest } from '../api/create-run.ts';
import type { AttachedImage } from '../api/image.ts';
import type { CheckProgress } from '../api/model-check.ts';
import { canRun, sortedModels } from '../browser/state/models.ts';
import { noRunsWords, runStateWords } from '../browser/words/run-state-words.ts';
import { plainVisibleLine, plainVisibleText } from '../browser/words/visible-text.ts';
import { isLostAnswer } from '../client/http.ts';
import { Loupe, type LoupeRun } from '../client/loupe.ts';
import { throughRestart } from '../client/through-restart.ts';
import { AppError } from '../errors/app-error.ts';
import { modeFacts } from '../events/modes.ts';
import type { ProgressEvent } from '../events/progress.ts';
import type { RunEvent } from '../events/registry.ts';
import { durationWords } from '../util/durations.ts';
import { errno } from '../util/errno.ts';
import { errorMessage } from '../util/error-message.ts';
import { escapeControls } from '../util/escape-controls.ts';
import { shortText } from '../util/short-text.ts';
import { type Command, readArguments, USAGE, usageOfCommand } from './arguments.ts';
import { benchmarkLines, benchmarkProgress } from './benchmark-lines.ts';
import { checkLines, progressLines } from './check-lines.ts';
import { Conversation, type Input } from './conversation.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { performExperiment } from './experiment-command.ts';
import { autoRunLine, endLine, linesOf, listLines, noticeLine, presetLines } from './lines.ts';
import { ownVersion } from './own-version.ts';
import { beginRating, followRating, ratingLines } from './rate.ts';
import { runOfPreset } from './run-of-preset.ts';
import { toolCheckLines, toolProgressLines } from './tool-check-lines.ts';
import { wrapHelp, wrapLines } from './wrap-help.ts';

/** Polling interval for the progress of a check. */
const CHECK_LOOK_MS = 500;
/** Polling interval for the progress of a benchmark, which takes longer. */
const BENCHMARK_LOOK_MS = 2000;
/** Polling interval for the place of a run in the queue. */
const QUEUE_LOOK_MS = 1000;
const MAX_MESSAGE_CHARS = 2000;
const MORE_RUNS = 'More runs follow. Raise --limit (at most 200) or filter the list.';

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

/**
 * Runs one command line. Progress goes to standard error and answers to standard output, so that scripts receive only the
 * answer.
 *
 * @returns the exit code (`EXIT`, `exitCodeOf`)
 */
export async function main(args: readonly string[], uncleaned: Terminal): Promise<number> {
  exitOnClosedOutput(uncleaned);
  const terminal = cleanTerminal(uncleaned);
  try {
    const command = readArguments(args);
    if (command.name === 'help') {
      const help = command.about ? usageOfCommand(command.about) : USAGE;
      const columns = widthOf(terminal);
      await write(terminal.stdout, columns === undefined ? help : wrapHelp(help, columns));
      return EXIT.ok;
    }
    if (command.name === 'version') {
      await write(terminal.stdout, `${ownVersion()}\n`);
      return EXIT.ok;
    }
    if (command.name === 'mcp') {
      // Loaded on demand, because no other command needs the library.
      const { serveMcp } = await import('./mcp-server.ts');
      return (await serveMcp({ url: command.url, env: terminal.env })) ? EXIT.ok : EXIT.failed;
    }
    return await perform(command, new Loupe({ url: command.url, env: terminal.env }), terminal);
  } catch (error) {
    if (errno(error) === 'EPIPE') return EXIT.outputClosed;
    if (!(error instanceof AppError) && isWriteError(error)) {
      await write(terminal.stderr, `loupe: The output cannot be written: ${messageLine(error.message)}\n`);
      return EXIT.failed;
    }
    if (!(error instanceof AppError)) {
      await write(terminal.stderr, `loupe: ${error instanceof Error ? error.stack : error}\n`);
      return EXIT.failed;
    }
    await write(
      terminal.stderr,
      `loupe: ${messageLine(error.message)}\n${error.hint ? `       ${messageLine(error.hint)}\n` : ''}`,
    );
    return exitCodeOfError(error.code);
  }
}

/** Ends the process as SIGPIPE ends other programs when `head` or a pager has closed the output. Node ignores the signal. */
function exitOnClosedOutput(terminal: Terminal): void {
  for (const stream of [terminal.stdout, terminal.stderr]) {
    // Other errors reach the caller of `write`.
    stream.on('error', (error) => {
      if (errno(error) === 'EPIPE') terminal.exit(EXIT.outputClosed);
    });
  }
}

/** Whether the system refused what was printed, such as on a full disk. Errors of files are reported with their path. */
function isWriteError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && error.syscall === 'write';
}

function exitCodeOfError(code: string): number {
  switch (code) {
    case 'usage':
    case 'bad_url':
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

type Performed = Exclude<Command, { name: 'help' | 'version' | 'mcp' }>;

async function perform(command: Performed, loupe: Loupe, terminal: Terminal): Promise<number> {
  const { stdout, stderr } = terminal;
  switch (command.name) {
    case 'run': {
      const { preset, fields } = command;
      const images = await readImages(command.images);
      const options = images.length > 0 ? { ...command.body, images } : command.body;
      const body =
        preset === undefined
          ? options
          : runOfPreset(await loupe.presets(), { preset, body: options, fields });
      if (body.model === undefined) throw await noModel(loupe);
      // The server validates the fields and reports the invalid ones.
      const run = await loupe.start(body as CreateRunRequest, { onReconnect: reconnecting(terminal) });
      if (command.detach) {
        await write(stdout, `${plainVisibleLine(run.id)}\n`);
        return EXIT.ok;
      }
      const { model, mode } = await run.summary();
      await write(stderr, `${plainVisibleLine(`${run.id}  ${model}`)}\n${loupe.url}/runs/${run.id}\n`);
      const input = modeFacts(mode).isConversation ? terminal.stdin : undefined;
      const page = pageOf(run, loupe);
      return follow(run, { ...command, after: 0, stopsRun: true, input, page }, terminal);
    }
    case 'follow': {
      const run = loupe.run(command.runId);
      const page = pageOf(run, loupe);
      return follow(run, { ...command, live: false, stopsRun: false, page }, terminal);
    }
    case 'list': {
      const { runs, next } = await loupe.listPage({ limit: command.limit, query: command.query });
      const lines = command.json ? runs.map(jsonLine) : listLines(runs, widthOf(terminal));
      await write(stdout, asText(lines));
      const filtered = Object.keys(command.query).some((name) => name !== 'sort');
      const start = filtered ? '' : ' Start one: loupe run "TASK" --model NAME';
      if (runs.length === 0 && !command.json) await explain(`${noRunsWords({ filtered })}${start}`, terminal);
      if (next !== undefined && !command.json) await explain(MORE_RUNS, terminal);
      return EXIT.ok;
    }
    case 'note': {
      const run = await loupe.run(command.runId).annotate(command.change);
      await write(stdout, asText(listLines([run], widthOf(terminal))));
      return EXIT.ok;
    }
    case 'presets': {
      const presets = await loupe.presets();
      const lines = command.json ? presets.map(jsonLine) : presetLines(presets, widthOf(terminal));
      await write(stdout, asText(lines));
      if (presets.length === 0 && !command.json) {
        await explain('There are no presets yet. Save one in the form of a new run.', terminal);
      }
      return EXIT.ok;
    }
    case 'stop': {
      const run = await loupe.run(command.runId).stop({ force: command.force });
      await write(stderr, run.phase === 'ended' ? `${endLine(run)}\n` : 'Stop requested.\n');
      return EXIT.ok;
    }
    case 'say': {
      const images = await readImages(command.images);
      await loupe.run(command.runId).say(command.text, { images, onReconnect: reconnecting(terminal) });
      await write(stderr, 'Queued: it is delivered at the next step of the run.\n');
      return EXIT.ok;
    }
    case 'export': {
      const bytes = await loupe.run(command.runId).export(command.format, { raw: command.raw });
      await save(bytes, command.output, terminal);
      return EXIT.ok;
    }
    case 'import': {
      await access(command.file, constants.R_OK).catch(noSuchFile);
      if (!(await stat(command.file)).isFile()) throw notAFile(command.file);
      const run = await loupe.import(await openAsBlob(command.file));
      await write(stderr, `${loupe.url}/runs/${run.id}\n`);
      await write(stdout, `${plainVisibleLine(run.id)}\n`);
      return EXIT.ok;
    }
    case 'rate':
      return rate(command, loupe, terminal);
    case 'check':
      return command.server === undefined
        ? check(command, loupe, terminal)
        : checkServer({ ...command, server: command.server }, loupe, terminal);
    case 'experiment':
      return performExperiment(command.command, loupe.experiments, {
        columns: widthOf(terminal),
        print: (lines) => write(stdout, asText(lines)),
        explainEmpty: (words) => explain(words, terminal),
        report: (lines) => write(stderr, asText(lines.map(messageLine))),
        json: (value) => write(stdout, `${jsonLine(value)}\n`),
        save: (bytes, output) => save(bytes, output, terminal),
        reconnecting: reconnecting(terminal),
        interruptible: (interrupted, work) => interruptible(terminal, interrupted, work),
      });
    case 'benchmark':
      return benchmark(command, loupe, terminal);
  }
}

/** Writes a download to a new file, or to standard output. */
async function save(
  bytes: ReadableStream<Uint8Array>,
  output: string | undefined,
  { stdout }: Terminal,
): Promise<void> {
  try {
    if (output === undefined) await pipeline(bytes, stdout, { end: false });
    else await pipeline(bytes, createWriteStream(output, { flags: 'wx' })).catch(notWritten(output));
  } catch (error) {
    throw isLostAnswer(error) ? incomplete(output, error) : error;
  }
}

/** Images as the API takes them. @throws {AppError} `usage` for a file that cannot be read */
async function readImages(paths: readonly string[]): Promise<AttachedImage[]> {
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(path).catch(noSuchImage);
      return { name: basename(path), data: bytes.toString('base64') };
    }),
  );
}

/** The error for a run without a model, with the models that can run. */
async function noModel(loupe: Loupe): Promise<AppError> {
  const able = sortedModels((await loupe.models()).filter(canRun)).map(({ name }) => name);
  return new AppError({
    code: 'usage',
    message: 'Name the model: --model NAME.',
    hint: able.length > 0 ? `Installed: ${able.join(', ')}` : 'None is installed. Run: ollama pull qwen3:8b',
  });
}

/** Has texts rated, reports the progress, and prints the matrix with the agreement. */
async function rate(
  command: Extract<Command, { name: 'rate' }>,
  loupe: Loupe,
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr } = terminal;
  const started = await beginRating(command, loupe, reconnecting(terminal));
  const { id } = started.rating;
  await write(stderr, `${loupe.url}/ratings/${id}\n`);
  const interrupted = () => void loupe.stopRating(id).catch(stopFailed(terminal));
  return interruptible(terminal, interrupted, async () => {
    const ended = await followRating(started, loupe, {
      onLine: (line) => write(stderr, `${line}\n`),
      onWait: reconnecting(terminal),
    });
    const results = await loupe.ratingResults(id);
    await write(
      stdout,
      command.json ? `${jsonLine(results)}\n` : asText(ratingLines(ended, results, widthOf(terminal))),
    );
    return ended.rating.status === 'done' && ended.failures.length === 0 ? EXIT.ok : EXIT.failed;
  });
}

/** Checks a model, reports each probe as it ends, and prints the table. */
async function check(
  { model, json }: { model: string; json: boolean },
  loupe: Loupe,
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr } = terminal;
  const interrupted = () => void loupe.stopCheck(model).catch(stopFailed(terminal));
  return interruptible(terminal, interrupted, async () => {
    const started = await loupe.startCheck(model);
    let now: CheckProgress | undefined = started;
    let told: string[] = [];
    for (;;) {
      const lines: string[] = now ? progressLines(now) : [];
      await write(stderr, asText(lines.filter((line) => !told.includes(line))));
      told = lines;
      // Another check may have started since this one ended; the result is stored anyway.
      if (!now || now.started_at !== started.started_at || now.ended_at !== undefined) break;
      await delay(CHECK_LOOK_MS);
      now = await loupe.currentCheck();
    }
    if (now?.started_at === started.started_at && now.status !== 'done') return EXIT.failed;
    const reply = await loupe.checkResult(model);
    const text = json ? jsonLine(reply.check) : wrapLines(checkLines(reply), widthOf(terminal)).join('\n');
    await write(stdout, `${text}\n`);
    return reply.summary.passed === reply.check.probes.length ? EXIT.ok : EXIT.failed;
  });
}

/** Starts or continues a benchmark, reports its progress, and prints the table. */
async function benchmark(
  { start, json }: Extract<Performed, { name: 'benchmark' }>,
  loupe: Loupe,
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr } = terminal;
  let now =
    'continued' in start
      ? await loupe.steerBenchmark(start.continued, 'continue')
      : // The server validates the fields and reports the invalid ones.
        await loupe.startBenchmark(start.body as Parameters<Loupe['startBenchmark']>[0], {
          onReconnect: reconnecting(terminal),
        });
  const { id } = now.benchmark;
  await write(stderr, `${plainVisibleLine(id)}\n${loupe.url}/benchmarks/${encodeURIComponent(id)}\n`);
  const interrupted = () => void loupe.steerBenchmark(id, 'stop').catch(stopFailed(terminal));
  return interruptible(terminal, interrupted, async () => {
    let told = '';
    while (now.benchmark.status === 'waiting' || now.benchmark.status === 'running') {
      const line = benchmarkProgress(now);
      if (line !== told) await write(stderr, `${line}\n`);
      told = line;
      await delay(BENCHMARK_LOOK_MS);
      now = await throughRestart(() => loupe.benchmark(id), reconnecting(terminal));
    }
    await write(stdout, asText(json ? [jsonLine(now)] : benchmarkLines(now, widthOf(terminal))));
    return now.benchmark.status === 'finished' ? EXIT.ok : EXIT.failed;
  });
}

/** Asks a model for calls of a server's tools, reports how many were right, and prints the table. */
async function checkServer(
  { model, server, json }: { model: string; server: string; json: boolean },
  loupe: Loupe,
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr } = terminal;
  const interrupted = () => void loupe.stopToolCheck(model, server).catch(stopFailed(terminal));
  return interruptible(terminal, interrupted, async () => {
    let now = await loupe.startToolCheck(model, server);
    const { id } = now;
    let told: string[] = [];
    for (;;) {
      const lines = toolProgressLines(now);
      await write(stderr, asText(lines.filter((line) => !told.includes(line))));
      told = lines;
      if (now.ended_at !== undefined) break;
      await delay(CHECK_LOOK_MS);
      const { current } = await loupe.toolChecks();
      // Another check may have started since this one ended; the result is stored anyway.
      if (current?.id !== id) break;
      now = current;
    }
    if (now.ended_at !== undefined && now.status !== 'done') return EXIT.failed;
    const reply = await loupe.toolCheck(id);
    const lines = json ? [jsonLine(reply.check)] : wrapLines(toolCheckLines(reply), widthOf(terminal));
    await write(stdout, asText(lines));
    return reply.summary.right === reply.summary.judged ? EXIT.ok : EXIT.failed;
  });
}

/** Follows a run to its end. Ctrl-C stops the run, or only the following, depending on the command. */
async function follow(
  run: LoupeRun,
  options: { after: number; json: boolean; live: boolean; stopsRun: boolean; input?: Input; page: string },
  terminal: Terminal,
): Promise<number> {
  const conversation = options.input && openConversation(run, options.input, terminal);
  const sessionSaysIt = conversation !== undefined && !options.json;
  const leaving = new AbortController();
  let presses = 0;
  const interrupted = () => {
    presses += 1;
    if (!options.stopsRun || presses > 2) {
      leaving.abort();
      return;
    }
    const force = presses === 2;
    conversation?.leavePrompt();
    // A session says it itself, in a notice.
    if (!sessionSaysIt) {
      terminal.stderr.write(
        force
          ? 'Stopping immediately.\n'
          : 'Stopping after this step; press Ctrl-C again to stop immediately.\n',
      );
    }
    run.stop({ force }).catch(stopFailed(terminal));
  };
  return interruptible(terminal, interrupted, () =>
    show(run, { ...options, conversation }, terminal, leaving.signal),
  ).finally(() => conversation?.close());
}

function openConversation(run: LoupeRun, input: Input, { stderr }: Terminal): Conversation {
  return new Conversation(run, {
    input,
    stderr,
    onError: (error) => {
      const message = errorMessage(error);
      stderr.write(`Could not send the message: ${messageLine(message)}\n`);
    },
  });
}

/** Runs `work` with a handler for Ctrl-C. */
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
    const message = errorMessage(error);
    stderr.write(`Could not stop: ${messageLine(message)}\n`);
  };
}

/** The width of the terminal; `undefined` for a file, a pipe, or a terminal that does not tell it. */
function widthOf({ stdout }: Terminal): number | undefined {
  return (stdout.isTTY && stdout.columns) || undefined;
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Says why a list is empty or ends, to a person. A script gets the list alone. */
async function explain(words: string, { stdout, stderr }: Terminal): Promise<void> {
  if (stdout.isTTY) await write(stderr, `${words}\n`);
}

/** How much of a run is shown, and the listener for its events. */
interface Shown {
  after: number;
  live: boolean;
  /** The address of the run's page, where calls are approved. */
  page: string;
  conversation?: Conversation;
}

async function show(
  run: LoupeRun,
  options: Shown & { json: boolean },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  if (options.json) await printEvents(run, options, terminal, signal);
  else await printWords(run, options, terminal, signal);
  const { outcome } = await run.summary();
  if (outcome?.kind === 'stopped' && options.conversation?.isComplete) return EXIT.ok;
  return outcome === undefined ? EXIT.ok : exitCodeOf(outcome.kind); // no outcome: interrupted by Ctrl-C
}

async function printEvents(
  run: LoupeRun,
  { after, conversation }: Shown,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  for await (const update of run.updates({ after, signal })) {
    if (update.type === 'event') conversation?.event(update.event);
    if (update.type === 'event') await write(terminal.stdout, `${jsonLine(update.event)}\n`);
    if (update.type === 'reconnecting') reconnecting(terminal)(update.wait_ms);
  }
}

/** Progress and notices go to standard error; the answer, and all text of a session, to standard output (S12). */
async function printWords(
  run: LoupeRun,
  { after, live, page, conversation }: Shown,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const { stdout, stderr } = terminal;
  const { mode, phase, last_seq: lastSeq } = await run.summary();
  const { isConversation } = modeFacts(mode);
  const says = isConversation ? stdout : stderr;
  let unfinishedLine = false;
  let textIsShown = false;
  let wasWaiting = false;
  const begun = new AbortController();
  const queue =
    phase === 'queued' ? reportQueue(run, terminal, AbortSignal.any([signal, begun.signal])) : undefined;
  const onProgress = (event: ProgressEvent) => {
    if (event.type === 'notice') {
      conversation?.leavePrompt();
      stderr.write(`${noticeLine(event.text)}\n`);
    }
    if (event.type !== 'token' || (!isConversation && !live)) return;
    conversation?.leavePrompt();
    says.write(event.text);
    unfinishedLine = !event.text.endsWith('\n');
    textIsShown = true;
  };
  try {
    await run.follow({
      onProgress,
      onEvent: async (event, state) => {
        if (event.type === 'run.started' || event.type === 'run.ended') begun.abort();
        if (unfinishedLine && endsText(event)) {
          unfinishedLine = false;
          await write(says, '\n');
        }
        const lines = linesOf(event, state, { textIsShown });
        if (endsText(event)) textIsShown = false;
        if (lines.length > 0) conversation?.leavePrompt();
        await write(stderr, asText(lines));
        // Requests in the past of the log have been decided.
        const isWaiting = state.phase === 'awaiting-approval' && event.seq >= lastSeq;
        if (isWaiting && !wasWaiting) await write(stderr, `Waiting for you: ${page}\n`);
        wasWaiting = isWaiting;
        conversation?.event(event);
        if (event.type !== 'run.ended') return;
        const { output, error } = event.result;
        const hint = error?.hint ? [messageLine(error.hint)] : [];
        const autoRun = autoRunLine(state);
        await write(stderr, asText([endLine(await run.summary()), ...hint, ...(autoRun ? [autoRun] : [])]));
        if (!isConversation && output !== '') await write(stdout, `${output}\n`);
      },
      onReconnect: reconnecting(terminal),
      after,
      signal,
    });
  } catch (error) {
    const isOver = error instanceof AppError && error.code === 'no_result';
    if (!signal.aborted && !isOver) throw error;
  } finally {
    begun.abort();
    await queue;
  }
}

/** Prints the place of a run in the queue when it changes, until the run begins. No event tells it. */
async function reportQueue(run: LoupeRun, { stderr }: Terminal, begun: AbortSignal): Promise<void> {
  let told = '';
  while (!begun.aborted) {
    await delay(QUEUE_LOOK_MS, undefined, { signal: begun }).catch(() => undefined);
    // Whatever is wrong with the server, the follower of the run meets and reports it.
    const now = begun.aborted ? undefined : await run.summary(begun).catch(() => undefined);
    if (now?.queue_position === undefined) continue;
    const line = runStateWords(now).label;
    if (line !== told) await write(stderr, `${plainVisibleLine(line)}.\n`);
    told = line;
  }
}

function pageOf({ id }: LoupeRun, { url }: Loupe): string {
  return `${url}/runs/${encodeURIComponent(id)}`;
}

function endsText(event: RunEvent): boolean {
  return event.type === 'reply.parsed' || event.type === 'model-call.failed' || event.type === 'run.ended';
}

function reconnecting({ stderr }: Terminal): (waitMs: number) => void {
  return (waitMs) => void stderr.write(`Connection lost; retrying in ${durationWords(waitMs)}.\n`);
}

/** JSON on one line, with terminal control characters escaped. */
function jsonLine(value: unknown): string {
  return escapeControls(JSON.stringify(value));
}

/** A message from the server or the system, which may contain anything. */
function messageLine(text: string): string {
  return shortText(plainVisibleLine(text), MAX_MESSAGE_CHARS);
}

/** Removes control sequences from everything printed to a terminal. Files and pipes get unchanged output. */
function cleanTerminal(terminal: Terminal): Terminal {
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

function write(stream: Writable, text: string): Promise<void> {
  return new Promise((done, fail) => {
    stream.write(text, (error) => (error ? fail(error) : done()));
  });
}

/** Why a file cannot be written, by the code of the system's error. */
const WRITE_PROBLEMS: Readonly<Record<string, { problem: string; hint: string }>> = {
  EEXIST: {
    problem: 'already exists.',
    hint: 'Choose another name for --output, or delete the file first.',
  },
  ENOENT: {
    problem: 'cannot be written: its folder does not exist.',
    hint: 'Create the folder first, or choose another one for --output.',
  },
  ENOTDIR: {
    problem: 'cannot be written: part of its path is a file.',
    hint: 'Choose another path for --output.',
  },
  EACCES: {
    problem: 'cannot be written: permission denied.',
    hint: 'Choose a folder for --output that you may write to.',
  },
  EROFS: {
    problem: 'cannot be written: the file system is read-only.',
    hint: 'Choose a folder for --output that you may write to.',
  },
  ENOSPC: {
    problem: 'is incomplete: the disk is full.',
    hint: 'Free some space and delete the file, or choose another disk for --output.',
  },
};

function notWritten(output: string): (error: unknown) => never {
  return (error) => {
    const known = WRITE_PROBLEMS[errno(error) ?? ''];
    if (!known) throw error;
    throw new AppError({
      code: 'usage',
      message: `${output} ${known.problem}`,
      hint: known.hint,
      cause: error,
    });
  };
}

/** A download that ended early, such as because the server was stopped. */
function incomplete(output: string | undefined, cause: unknown): AppError {
  return new AppError({
    code: 'unreachable',
    message: `${output ?? 'The output'} is incomplete: the connection to Loupe was lost.`,
    hint: output === undefined ? 'Try again.' : 'Delete the file and try again.',
    cause,
  });
}

function noSuchImage(error: unknown): never {
  throw new AppError({
    code: 'usage',
    message: `The image cannot be read: ${errorMessage(error)}`,
    hint: 'Give the path of a PNG, JPEG, WebP or GIF file.',
  });
}

function notAFile(path: string): AppError {
  return new AppError({
    code: 'usage',
    message: `${path} is not a file.`,
    hint: 'Give a run file or a bug bundle.',
  });
}

function noSuchFile(error: unknown): never {
  throw new AppError({
    code: 'usage',
    message: `The file cannot be read: ${errorMessage(error)}`,
    hint: 'Give a run file or a bug bundle.',
  });
}

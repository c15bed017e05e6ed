import type { CreateRunRequest } from '../api/create-run.ts';
import { canRun, sortedModels } from '../browser/state/models.ts';
import { noRunsWords } from '../browser/words/run-state-words.ts';
import { plainVisibleLine } from '../browser/words/visible-text.ts';
import { Loupe } from '../client/loupe.ts';
import { programVersion } from '../config/program-version.ts';
import { AppError } from '../errors/app-error.ts';
import { modeFacts } from '../events/modes.ts';
import { errno } from '../util/errno.ts';
import { type Command, readArguments } from './arguments.ts';
import { benchmark } from './benchmark-command.ts';
import { check, checkServer } from './check-command.ts';
import { EXIT } from './exit-codes.ts';
import { performExperiment } from './experiment-command.ts';
import { openRunFile, readImages, save } from './files.ts';
import { follow, pageOf } from './follow-run.ts';
import { endLine, listLines, presetLines } from './lines.ts';
import { rate } from './rate.ts';
import { runOfPreset } from './run-of-preset.ts';
import {
  asText,
  cleanTerminal,
  exitOnClosedOutput,
  explain,
  interruptible,
  isWriteError,
  jsonLine,
  messageLine,
  reconnecting,
  type Terminal,
  widthOf,
  write,
} from './terminal.ts';
import { USAGE, usageOfCommand } from './usage-text.ts';
import { wrapHelp } from './wrap-help.ts';

const MORE_RUNS = 'More runs follow. Raise --limit (at most 200) or filter the list.';

/**
 * Runs one command line. Progress goes to standard error and answers to standard output, so that scripts receive only the
 * answer.
 *
 * @param root the folder of the program
 * @returns the exit code (`EXIT`, `exitCodeOf`)
 */
export async function main(args: readonly string[], uncleaned: Terminal, root: string): Promise<number> {
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
      await write(terminal.stdout, `${programVersion(root)}\n`);
      return EXIT.ok;
    }
    if (command.name === 'mcp') {
      // Loaded on demand, because no other command needs the library.
      const { serveMcp } = await import('./mcp-server.ts');
      return (await serveMcp({ url: command.url, env: terminal.env }, programVersion(root)))
        ? EXIT.ok
        : EXIT.failed;
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
    case 'run':
      return startRun(command, loupe, terminal);
    case 'follow': {
      const run = loupe.run(command.runId);
      const page = pageOf(run, loupe);
      return follow(run, { ...command, live: false, stopsRun: false, page }, terminal);
    }
    case 'list':
      return list(command, loupe, terminal);
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
        await explain('There are no presets yet. Save one in the form for a new run.', terminal);
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
      const run = await loupe.import(await openRunFile(command.file));
      await write(stderr, `${pageOf(run, loupe)}\n`);
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
        json: (...values) => write(stdout, asText(values.map(jsonLine))),
        save: (bytes, output) => save(bytes, output, terminal),
        reconnecting: reconnecting(terminal),
        interruptible: (interrupted, work) => interruptible(terminal, interrupted, work),
      });
    case 'benchmark':
      return benchmark(command, loupe, terminal);
  }
}

/** Starts a run, and follows it unless it is detached. */
async function startRun(
  command: Extract<Command, { name: 'run' }>,
  loupe: Loupe,
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr } = terminal;
  const { preset, fields } = command;
  const images = await readImages(command.images);
  const options = images.length > 0 ? { ...command.body, images } : command.body;
  const body =
    preset === undefined ? options : runOfPreset(await loupe.presets(), { preset, body: options, fields });
  if (body.model === undefined) throw await noModel(loupe);
  // The server validates the fields and reports the invalid ones.
  const run = await loupe.start(body as CreateRunRequest, { onReconnect: reconnecting(terminal) });
  if (command.detach) {
    await write(stdout, `${plainVisibleLine(run.id)}\n`);
    return EXIT.ok;
  }
  const { model, mode } = await run.summary();
  const page = pageOf(run, loupe);
  await write(stderr, `${plainVisibleLine(`${run.id}  ${model}`)}\n${page}\n`);
  const input = modeFacts(mode).isConversation ? terminal.stdin : undefined;
  return follow(run, { ...command, after: 0, stopsRun: true, input, page }, terminal);
}

async function list(
  command: Extract<Command, { name: 'list' }>,
  loupe: Loupe,
  terminal: Terminal,
): Promise<number> {
  const { runs, next } = await loupe.listPage({ limit: command.limit, query: command.query });
  const lines = command.json ? runs.map(jsonLine) : listLines(runs, widthOf(terminal));
  await write(terminal.stdout, asText(lines));
  const filtered = Object.keys(command.query).some((name) => name !== 'sort');
  const start = filtered ? '' : ' Start one: loupe run "TASK" --model NAME';
  if (runs.length === 0 && !command.json) await explain(`${noRunsWords({ filtered })}${start}`, terminal);
  if (next !== undefined && !command.json) await explain(MORE_RUNS, terminal);
  return EXIT.ok;
}

/** The error for a run without a model, with the models that can run. */
async function noModel(loupe: Loupe): Promise<AppError> {
  const able = sortedModels((await loupe.models()).filter(canRun)).map(({ name }) => name);
  return new AppError({
    code: 'usage',
    message: 'Name the model: --model NAME.',
    hint:
      able.length > 0 ? `Installed: ${able.join(', ')}` : 'No model is installed. Run: ollama pull qwen3:8b',
  });
}

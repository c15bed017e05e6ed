import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExperimentRequest, ExperimentSummary } from '../api/experiment.ts';
import type { SuiteFileFormat } from '../api/suite.ts';
import { leftOutLines, notRunLines, openLines } from '../browser/words/not-run-words.ts';
import { missingCasesNote, repeatedRatesNote } from '../browser/words/rate-words.ts';
import { plainVisibleLine } from '../browser/words/visible-text.ts';
import type { LoupeExperiments } from '../client/experiments.ts';
import { throughRestart } from '../client/through-restart.ts';
import { errorMessage } from '../util/error-message.ts';
import { nearestName } from '../util/nearest-name.ts';
import { plural } from '../util/numbers.ts';
import { EXIT } from './exit-codes.ts';
import type { ExperimentCommand } from './experiment-arguments.ts';
import { cellLines, missedLines, statusLine, statusLines, studyLines } from './experiment-lines.ts';
import { notRead } from './files.ts';
import { usage } from './options.ts';

/** Polling interval for the progress of an experiment. */
const LOOK_MS = 1000;

const SUITE_FORMATS: Readonly<Record<string, SuiteFileFormat>> = {
  '.yaml': 'yaml',
  '.yml': 'yaml',
  '.json': 'json',
  '.jsonl': 'jsonl',
};

/** The dependencies of the command. */
export interface ExperimentTerminal {
  /** The width of standard output, if it has one. */
  readonly columns?: number | undefined;
  /** To standard output: results. */
  print(lines: readonly string[]): Promise<void>;
  /** Says why a list is empty, if a person reads it. */
  explainEmpty(words: string): Promise<void>;
  /** To standard error: progress. */
  report(lines: readonly string[]): Promise<void>;
  /** To standard output: values as JSON, one per line. */
  json(...values: readonly unknown[]): Promise<void>;
  /** Writes a download to a file, or to standard output. */
  save(bytes: ReadableStream<Uint8Array>, output: string | undefined): Promise<void>;
  /** Says that the connection was lost and is tried again after this time. */
  reconnecting(waitMs: number): void;
  /** Runs `work` with a handler for Ctrl-C. */
  interruptible(interrupted: () => void, work: () => Promise<number>): Promise<number>;
}

/** Performs `loupe experiment …`. @returns the exit code */
export async function performExperiment(
  command: ExperimentCommand,
  experiments: LoupeExperiments,
  terminal: ExperimentTerminal,
): Promise<number> {
  switch (command.action) {
    case 'run':
      return start(await requestOfFile(command.file, experiments), command, experiments, terminal);
    case 'study':
      return start(await requestOfStudy(command, experiments), command, experiments, terminal);
    case 'studies': {
      const studies = await experiments.studies();
      if (command.json) await terminal.json(...studies);
      else await terminal.print(studies.flatMap(studyLines));
      return EXIT.ok;
    }
    case 'status': {
      const found = command.id === undefined ? await experiments.list() : [await experiments.get(command.id)];
      if (command.json) await terminal.json(...found);
      else {
        await terminal.print(statusLines(found, terminal.columns));
        if (found.length === 0) {
          await terminal.explainEmpty('There are no experiments yet. Run one: loupe experiment run PLAN');
        }
      }
      return EXIT.ok;
    }
    case 'results':
      return showResults(command.id, command, experiments, terminal);
    case 'export': {
      const { id, format, redact, output } = command;
      await terminal.save(await experiments.export(id, format, { redact }), output);
      return EXIT.ok;
    }
    case 'stop':
      await terminal.report([statusLine(await experiments.stop(command.id, { force: command.force }))]);
      return EXIT.ok;
    case 'continue':
      await terminal.report([statusLine(await experiments.continue(command.id))]);
      return EXIT.ok;
    case 'retry':
      await terminal.report([statusLine(await experiments.retry(command.id))]);
      return EXIT.ok;
    case 'delete': {
      const { deleted, runs } = await experiments.delete(command.id, { runs: command.runs });
      const withRuns = command.runs ? ` with ${plural(runs.length, 'run')}.` : '. Its runs are kept.';
      await terminal.report([`Deleted experiment ${deleted}${withRuns}`]);
      return EXIT.ok;
    }
  }
}

type Started = Extract<ExperimentCommand, { action: 'run' | 'study' }>;

async function start(
  request: ExperimentRequest,
  { models, confirmed, detach, ...shown }: Started,
  experiments: LoupeExperiments,
  terminal: ExperimentTerminal,
): Promise<number> {
  const experiment = await experiments.start(
    {
      ...request,
      ...(models.length === 0 ? {} : { models: [...models] }),
      ...(confirmed === undefined ? {} : { confirm_runs: confirmed }),
    },
    { onReconnect: terminal.reconnecting },
  );
  if (detach) {
    await terminal.print([experiment.id]);
    return EXIT.ok;
  }
  await terminal.report([`${experiment.id}  ${plural(experiment.total, 'run')}`]);
  return follow(experiment, shown, experiments, terminal);
}

/** Follows an experiment to its end. Ctrl-C stops it after the current run, a second time immediately. */
async function follow(
  experiment: ExperimentSummary,
  shown: { json: boolean; failUnder?: number },
  experiments: LoupeExperiments,
  terminal: ExperimentTerminal,
): Promise<number> {
  const { id } = experiment;
  let presses = 0;
  const interrupted = () => {
    presses += 1;
    const force = presses > 1;
    const words = force
      ? 'Stopping immediately.'
      : 'Stopping after this run; press Ctrl-C again to stop immediately.';
    void terminal
      .report([words])
      .then(() => experiments.stop(id, { force }))
      .catch((error: unknown) => terminal.report([`Could not stop: ${errorMessage(error)}`]));
  };
  return terminal.interruptible(interrupted, async () => {
    let reported = '';
    const look = () => throughRestart(() => experiments.get(id), terminal.reconnecting);
    for (let now = experiment; ; now = await look()) {
      const line = statusLine(now);
      if (line !== reported) await terminal.report([line]);
      reported = line;
      // Not by the statuses of the end: a later version may have others.
      const isOpen = now.status === 'waiting' || now.status === 'running' || (now.running ?? 0) > 0;
      if (!isOpen) {
        if (now.problem) await terminal.report([now.problem.message]);
        const code = await showResults(id, shown, experiments, terminal);
        return now.status === 'finished' ? code : EXIT.failed;
      }
      await delay(LOOK_MS);
    }
  });
}

async function showResults(
  id: string,
  { json, failUnder }: { json: boolean; failUnder?: number },
  experiments: LoupeExperiments,
  terminal: ExperimentTerminal,
): Promise<number> {
  const cells = await experiments.cells(id);
  if (json) await terminal.json(...cells);
  else await terminal.print(cellLines(cells, terminal.columns));
  const notes = [missingCasesNote(cells), repeatedRatesNote(cells)].filter((note) => note !== undefined);
  const open = openLines(cells);
  await terminal.report([
    ...open,
    ...leftOutLines(cells),
    ...notRunLines(cells).map(plainVisibleLine),
    ...notes,
  ]);
  if (failUnder === undefined) return EXIT.ok;
  const missed = missedLines(cells, failUnder);
  await terminal.report(missed);
  // The rates can still fall.
  return missed.length === 0 && open.length === 0 ? EXIT.ok : EXIT.failed;
}

/** The plan of a file, whose paths are relative to its folder. */
async function requestOfFile(file: string, experiments: LoupeExperiments): Promise<ExperimentRequest> {
  const text = await textOf(file);
  const folder = dirname(resolve(file));
  let read = await experiments.read({ text });
  if (read.suite_file !== undefined) {
    const path = resolve(folder, read.suite_file);
    const format = SUITE_FORMATS[extname(path).toLowerCase()];
    if (!format) throw usage(`suite.file is "${read.suite_file}"; it must end in .yaml, .json or .jsonl.`);
    const suite = { text: await textOf(path), format, name: basename(path, extname(path)) };
    read = await experiments.read({ text, suite });
  }
  const { workspace } = read.request;
  return workspace === undefined || workspace.startsWith('~')
    ? read.request
    : { ...read.request, workspace: resolve(folder, workspace) };
}

async function requestOfStudy(
  { study: name, size }: { study: string; size: 'full' | 'small' },
  experiments: LoupeExperiments,
): Promise<ExperimentRequest> {
  const studies = await experiments.studies();
  const study = studies.find((each) => each.name === name);
  if (study) return { ...study.plans[size], models: [] };
  const names = studies.map((each) => each.name);
  const nearest = nearestName(name, names);
  throw usage(
    `There is no study "${name}"${nearest ? `; did you mean "${nearest}"?` : `. The studies are ${names.join(', ')}.`}`,
  );
}

function textOf(path: string): Promise<string> {
  const hint = 'Give the path of a plan file; the paths in it are relative to its folder.';
  return readFile(path, 'utf8').catch(notRead(path, hint));
}

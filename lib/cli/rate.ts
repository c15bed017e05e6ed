import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { RatingReply, RatingResults } from '../api/rating.ts';
import { ratedPart } from '../api/rating.ts';
import { agreementTexts, missingAgreement } from '../browser/words/rating-words.ts';
import { plainVisibleLine } from '../browser/words/visible-text.ts';
import type { Loupe } from '../client/loupe.ts';
import { throughRestart } from '../client/through-restart.ts';
import { formatFixed } from '../util/format-fixed.ts';
import type { Command } from './arguments.ts';
import { EXIT } from './exit-codes.ts';
import { notRead } from './files.ts';
import { usage } from './options.ts';
import { tableLines } from './table.ts';
import {
  asText,
  interruptible,
  jsonLine,
  progressReport,
  reconnecting,
  stopFailed,
  type Terminal,
  widthOf,
  write,
} from './terminal.ts';

/** Polling interval for the progress of ratings. */
const LOOK_MS = 500;
/** Distinguishes the file name of a questionnaire from the name of a shipped one. */
const FILE_NAME = /[./\\]/;
const QUESTIONNAIRE =
  'Give the path of a questionnaire (docs/ratings.md), or the name of one that ships with Loupe.';

type RateCommand = Extract<Command, { name: 'rate' }>;

/** Has texts rated, reports the progress, and prints the matrix with the agreement. */
export async function rate(command: RateCommand, loupe: Loupe, terminal: Terminal): Promise<number> {
  const { stdout, stderr } = terminal;
  const started = await beginRating(command, loupe, reconnecting(terminal));
  const { id } = started.rating;
  await write(stderr, `${loupe.url}/ratings/${id}\n`);
  const interrupted = () => void loupe.stopRating(id).catch(stopFailed(terminal));
  return interruptible(terminal, interrupted, async () => {
    const ended = await followRating(started, loupe, {
      report: progressReport(terminal),
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

/** Starts or continues a study. @param onReconnect called when the connection was lost, with the time until it is tried again */
async function beginRating(
  command: RateCommand,
  loupe: Loupe,
  onReconnect: (waitMs: number) => void,
): Promise<RatingReply> {
  if (command.id !== undefined) return loupe.continueRating(command.id);
  const part = ratedPart.safeParse(command.part);
  if (!part.success) {
    throw usage(`--part is "${command.part}"; it must be one of ${ratedPart.options.join(', ')}.`);
  }
  const { questionnaire, title, runIds, models } = command;
  const given = FILE_NAME.test(questionnaire)
    ? { text: await readFile(questionnaire, 'utf8').catch(notRead(questionnaire, QUESTIONNAIRE)) }
    : { shipped: questionnaire };
  const study = { name: title, part: part.data, run_ids: [...runIds], models: [...models] };
  return loupe.startRating({ ...study, ...given }, { onReconnect });
}

/**
 * Waits until the models have rated or were stopped.
 *
 * @param options.report called with the progress
 * @param options.onWait called when the connection was lost, with the time until it is tried again
 */
async function followRating(
  started: RatingReply,
  loupe: Loupe,
  { report, onWait }: { report: ReturnType<typeof progressReport>; onWait: (waitMs: number) => void },
): Promise<RatingReply> {
  const { id } = started.rating;
  let now = started;
  for (;;) {
    const { rated, planned } = now.rating;
    const line = `${rated} of ${planned} rated${now.current ? `, ${now.current.rater} is rating` : ''}`;
    await report([plainVisibleLine(line)]);
    if (now.rating.status !== 'running') return now;
    await delay(LOOK_MS);
    now = await throughRestart(() => loupe.rating(id), onWait);
  }
}

/**
 * The matrix and the agreement as lines. Pure.
 *
 * @param columns the width of the terminal; default: no limit
 */
export function ratingLines(
  { study, failures }: RatingReply,
  results: RatingResults,
  columns?: number,
): string[] {
  const figure = (value: number | null | undefined) =>
    value === null || value === undefined ? '-' : formatFixed(value, 2);
  const { complete } = results;
  const missing = missingAgreement(results);
  const total = study.subjects.length;
  const head = ['text', ...results.raters.map(({ name }) => name), 'mean'];
  const rows = study.subjects.map(({ run_id: runId }, column) => [
    runId,
    ...[...results.matrix.map((row) => row[column]), results.means[column]].map(figure),
  ]);
  return [
    ...tableLines(rows, { head, columns }),
    [
      `alpha ${figure(results.alpha)}`,
      `ICC(2,1) ${figure(results.icc?.agreement)}`,
      `ICC(3,1) ${figure(results.icc?.consistency)}`,
      `ICC(2,k) ${figure(results.icc?.meanAgreement)}`,
    ].join('  '),
    ...(complete < total ? [agreementTexts(results, total)] : []),
    ...(missing ? [missing] : []),
    ...failures.map(({ rater, run_id: runId, error }) =>
      plainVisibleLine(`${rater} could not rate ${runId}: ${error}`),
    ),
  ];
}

import { setTimeout as delay } from 'node:timers/promises';
import { runStateWords } from '../browser/words/run-state-words.ts';
import { plainVisibleLine } from '../browser/words/visible-text.ts';
import type { Loupe, LoupeRun } from '../client/loupe.ts';
import { AppError } from '../errors/app-error.ts';
import { modeFacts } from '../events/modes.ts';
import type { ProgressEvent } from '../events/progress.ts';
import type { RunEvent } from '../events/registry.ts';
import { errorMessage } from '../util/error-message.ts';
import { Conversation } from './conversation.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { autoRunLine, endLine, linesOf, noticeLine } from './lines.ts';
import {
  asText,
  type Input,
  interruptible,
  jsonLine,
  messageLine,
  progressReport,
  reconnecting,
  stopFailed,
  type Terminal,
  write,
} from './terminal.ts';

/** Polling interval for the place of a run in the queue. */
const QUEUE_LOOK_MS = 1000;

/** Follows a run to its end. Ctrl-C stops the run, or only the following, depending on the command. */
export async function follow(
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

export function pageOf({ id }: LoupeRun, { url }: Loupe): string {
  return `${url}/runs/${encodeURIComponent(id)}`;
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
async function reportQueue(run: LoupeRun, terminal: Terminal, begun: AbortSignal): Promise<void> {
  const report = progressReport(terminal);
  while (!begun.aborted) {
    await delay(QUEUE_LOOK_MS, undefined, { signal: begun }).catch(() => undefined);
    // The follower of the run reports any failure of the server.
    const now = begun.aborted ? undefined : await run.summary(begun).catch(() => undefined);
    if (now?.queue_position === undefined) continue;
    await report([`${plainVisibleLine(runStateWords(now).label)}.`]);
  }
}

function endsText(event: RunEvent): boolean {
  return event.type === 'reply.parsed' || event.type === 'model-call.failed' || event.type === 'run.ended';
}

import type { RunState } from '../../events/run-state.ts';
import type { WaitCause } from '../../events/session.ts';
import { workedMs } from '../../events/worked-ms.ts';
import { endWords, type Tone } from '../words/end-words.ts';
import { formatBytes } from '../words/format.ts';
import type { OperatorWord } from '../words/operator-word.ts';
import type { Live } from './live-text.ts';

/** The current activity of a run, and since when (by its own clock). */
export interface Activity {
  label: string;
  /** Details: the model, the command, the position in the queue. */
  detail?: string;
  /** Estimated end in milliseconds since 1970, if known. */
  expectedAt?: number;
  /** Milliseconds since 1970. */
  since: number;
  /** The run's own time in milliseconds, where it pauses: while it waits for a person, the model server or its turn. */
  clockMs?: number;
  tone: Tone;
  /** Whether the run has not ended. */
  running: boolean;
}

/**
 * Whether the run may be queued for its model server: before its start, between two steps after yielding its slot, and
 * before a call that was just approved or denied.
 */
export function mayWaitForSlot({ phase, reply }: RunState): boolean {
  if (phase === 'executing') return !reply?.calls.some((call) => call.status === 'running');
  return phase === 'queued' || phase === 'starting' || phase === 'between';
}

/**
 * Describes the current phase and what the run is waiting for. Pure.
 *
 * @param operator what the reader calls the operator: a shared run does not wait for its readers
 */
export function activityOf(run: RunState, live: Live, operator: OperatorWord = 'you'): Activity {
  const base = { since: run.phaseSince, tone: 'live' as Tone, running: true };
  const queue = mayWaitForSlot(run) ? live.queue : undefined;
  if (queue || run.phase === 'queued') {
    return {
      ...base,
      label: 'Waiting in queue',
      detail: queue
        ? queue.position === 1
          ? 'Next in line'
          : `Position ${queue.position} in the queue`
        : undefined,
      expectedAt: queue?.expectedAt,
      // The log does not know of a wait in the queue before it is over.
      clockMs: workedMs(run, run.phaseSince),
      tone: 'calm',
    };
  }
  switch (run.phase) {
    case 'starting':
      return { ...base, label: 'Checking server and model' };
    case 'awaiting-server':
      return {
        ...base,
        label: 'Waiting for Ollama',
        clockMs: workedMs(run, run.updatedAt),
        detail: run.serverWait?.error.message,
        tone: 'warn',
      };
    case 'loading':
      return { ...base, label: 'Loading the model', detail: loadWords(run, live) };
    case 'between':
      if (run.iteration === 0) return { ...base, label: 'Starting' };
      return { ...base, label: run.turns.pausedAfter === run.iteration ? 'Pausing' : 'Between steps' };
    case 'calling': {
      const since = run.openCall?.at ?? run.phaseSince;
      const writes = live.call === run.openCall?.call;
      if (writes && live.text?.text) return { ...base, since: live.textSince ?? since, label: 'Writing' };
      if (writes && live.thinking?.text) {
        return { ...base, since: live.thinkingSince ?? since, label: 'Thinking' };
      }
      return {
        ...base,
        since,
        label: run.openCall?.stream ? 'Reading the prompt' : 'Waiting for the reply',
        detail: run.config?.model,
      };
    }
    case 'deciding':
      return { ...base, label: 'Reading the reply' };
    case 'awaiting-approval': {
      const { open } = run.mcpRequests;
      if (open) {
        return {
          ...base,
          label: `Waiting for ${operator}`,
          clockMs: workedMs(run, run.updatedAt),
          detail: `the server ${open.server} asks`,
          tone: 'warn',
        };
      }
      const call = run.reply?.calls.find((pending) => pending.status === 'waiting');
      const about = call && mainArgument(call.arguments);
      return {
        ...base,
        label: `Waiting for ${operator}`,
        clockMs: workedMs(run, run.updatedAt),
        detail: call && `${call.name}${about === undefined ? '' : ` ${about}`}`,
        tone: 'warn',
      };
    }
    case 'awaiting-message':
      return {
        ...base,
        label: `Waiting for ${operator}`,
        clockMs: workedMs(run, run.updatedAt),
        detail:
          run.awaiting?.cause === 'agent_message'
            ? `the agent sent ${operator} a message`
            : run.awaiting && WAIT_DETAILS[run.awaiting.cause],
        tone: 'calm',
      };
    case 'executing': {
      const call = run.reply?.calls.find((pending) => pending.status === 'running');
      return call
        ? { ...base, label: `Running ${call.name}`, detail: mainArgument(call.arguments) }
        : { ...base, label: 'Running tools' };
    }
    case 'verifying':
      return { ...base, label: 'Checking the work', detail: `attempt ${run.attempt}` };
    case 'ended': {
      const { label, tone } = endWords(run.outcome ?? { kind: 'error' });
      return { ...base, label, tone, running: false };
    }
  }
}

const WAIT_DETAILS: Readonly<Partial<Record<WaitCause, string>>> = {
  empty: 'the reply was empty',
  autopilot_turns: 'autopilot reached its turn limit',
  autopilot_time: 'autopilot reached its time limit',
};

/** Details of a load: Ollama reports only where it loads, no progress; before that, the size on disk. */
function loadWords(run: RunState, live: Live): string | undefined {
  const { sizeBytes, vramBytes = 0 } = live.load ?? {};
  if (sizeBytes) {
    const gpu = vramBytes > 0 ? `${formatBytes(vramBytes)} of ${formatBytes(sizeBytes)} to the GPU` : '';
    return gpu || `${formatBytes(sizeBytes)}, all on the CPU`;
  }
  const onDisk = run.preflight?.size_bytes;
  return onDisk ? `${run.config?.model}, ${formatBytes(onDisk)} on disk` : run.config?.model;
}

const MAIN_ARGUMENTS = ['path', 'command', 'pattern', 'query', 'key', 'url', 'name', 'file', 'directory'];

/** The main argument of a call for its heading: a path, a command, a pattern. */
export function mainArgument(args: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of MAIN_ARGUMENTS) {
    const value = args[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  const first = Object.values(args).find((value) => typeof value === 'string' && value !== '');
  return typeof first === 'string' ? first : undefined;
}

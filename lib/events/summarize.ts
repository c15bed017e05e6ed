import { assertNever } from '../util/assert-never.ts';
import { durationWords, limitWords } from '../util/durations.ts';
import { formatCount, plural } from '../util/numbers.ts';
import { shortText } from '../util/short-text.ts';
import { AGENT_PREFIX } from './agent-prefix.ts';
import { opinionWords } from './opinion-words.ts';
import { checkCounts, checksWords } from './outcome.ts';
import type { EventOf, RunEvent } from './registry.ts';
import type { WaitCause } from './session.ts';
import { swallowedWords } from './swallowed-reply.ts';

const MAX_CHARS = 200;

const NUDGE_CAUSES: Readonly<Record<EventOf<'policy.nudged'>['cause'], string>> = {
  empty: 'the reply was empty',
  plan: 'the reply was only a plan',
  malformed: 'the reply was a call that could not be parsed',
  schema: 'the answer does not fit the schema',
};

const ASKED: Readonly<Record<EventOf<'mcp-request.received'>['request']['kind'], string>> = {
  form: 'for input',
  url: 'to open an address',
  sampling: 'for a text from the model',
};

const ANSWERED: Readonly<Record<EventOf<'mcp-request.answered'>['action'], string>> = {
  accept: 'accepted',
  decline: 'declined',
  cancel: 'cancelled',
};

/** Describes an event in one line of at most 200 UTF-16 units, for logs, exports and screen readers. */
export function summarize(event: RunEvent): string {
  return shortText(sentence(event).slice(0, 2000).replace(/\s+/g, ' '), MAX_CHARS);
}

function sentence(event: RunEvent): string {
  switch (event.type) {
    case 'run.created':
      return `Run created for ${event.config.model}: ${event.config.task || event.config.mode}`;
    case 'run.forked': {
      const changed = event.edits.length + event.settings.length;
      return `Forked from run ${event.from.run_id} after event ${event.from.seq}; ${changed === 0 ? 'no changes' : plural(changed, 'change')}`;
    }
    case 'run.started':
      return `Worker ${event.worker} took the run`;
    case 'run.resumed':
      return event.after_wait
        ? `Worker ${event.worker} continued the run`
        : `Worker ${event.worker} resumed the run (epoch ${event.epoch})`;
    case 'preflight.checked':
      return `Ollama ${event.server_version ?? 'of unknown version'} and the model are ready; commands are ${
        event.sandbox.available ? confinement(event.sandbox.kind) : 'not offered'
      }`;
    case 'model.load-started':
      return `Loading ${event.model} with a window of ${formatCount(event.num_ctx)} tokens`;
    case 'model.loaded':
      if (event.remote_host !== undefined) return `The model runs at ${event.remote_host}`;
      return event.already_loaded
        ? 'The model was already loaded'
        : `Model loaded in ${durationWords(event.load_ms)}`;
    case 'server-wait.started':
      return `Waiting up to ${limitWords(event.limit_ms)} for Ollama: ${event.error.message}`;
    case 'server-wait.ended': {
      const waited = durationWords(event.waited_ms);
      const sentences = {
        back: `Ollama is back after ${waited}`,
        gave_up: `Ollama did not come back within ${waited}`,
        stopped: `The wait for Ollama was stopped after ${waited}`,
      };
      // A later version may have other outcomes.
      return sentences[event.outcome] ?? `The wait for Ollama ended after ${waited} (${event.outcome})`;
    }
    case 'attempt.started':
      return `Attempt ${event.attempt} begins with ${plural(event.tools.length, 'tool')}`;
    case 'iteration.started':
      return `Iteration ${event.iteration}`;
    case 'model-call.started':
      return `Call ${event.call}: ${plural(event.message_count, 'message')}, about ${formatCount(event.estimated_tokens)} tokens`;
    case 'model-call.ended':
      return `Call ${event.call} answered in ${durationWords(event.duration_ms)} with ${writtenWords(event)} tokens${
        event.done_reason === 'length' ? ', cut off' : ''
      }`;
    case 'model-call.failed':
      return `Call ${event.call} failed${keptWords(event)}: ${event.error.message}`;
    case 'reply.parsed':
      return replySentence(event);
    case 'approval.requested':
      return `${event.tool} waits for approval`;
    case 'approval.decided':
      return {
        approved: `${event.tool} was approved${approvalWords(event)}`,
        edited: `${event.tool} was approved with other arguments`,
        denied: `${event.tool} was denied by the ${event.by}${event.reason ? `: ${event.reason}` : ''}`,
      }[event.decision];
    case 'tool-call.started':
      return `Calling ${event.tool}`;
    case 'tool-call.ended':
      return event.result.success
        ? `${event.tool} succeeded in ${durationWords(event.duration_ms)}`
        : `${event.tool} failed: ${event.result.output.error}`;
    case 'mcp-request.received':
      return `The server ${event.server} asks ${ASKED[event.request.kind]}${'message' in event.request ? `: ${event.request.message}` : ''}`;
    case 'mcp-request.answered':
      return {
        operator: `The request of the server was ${ANSWERED[event.action]}`,
        stop: 'The request of the server was cancelled, because the run stops',
        server: 'The server no longer waits for an answer',
      }[event.by];
    case 'mcp-sampling.started':
      return 'Asking the model for the server';
    case 'mcp-sampling.ended':
      return event.error
        ? `The model wrote nothing for the server: ${event.error.message}`
        : `The model wrote for the server in ${durationWords(event.duration_ms)}: ${event.text ?? ''}`;
    case 'mcp-messages.logged':
      return `The server ${event.server} reported: ${event.lines.at(-1) ?? ''}`;
    case 'tool-call.interrupted':
      return `${event.tool} was interrupted; its outcome is unknown`;
    case 'policy.nudged':
      return `${event.cause === 'schema' ? 'Schema retry' : 'Nudge'} ${event.count} of ${event.limit}: ${
        event.swallowed_tokens ? swallowedWords(event.swallowed_tokens) : NUDGE_CAUSES[event.cause]
      }`;
    case 'answer.checked':
      return event.fits
        ? 'The answer fits the schema'
        : `The answer does not fit the schema: ${event.problem ?? ''}`;
    case 'policy.retried':
      return `Retrying${event.wait_ms > 0 ? ` in ${durationWords(event.wait_ms)}` : ''}: ${event.message}`;
    case 'policy.compacted':
      return `${plural(event.folded.length, 'older result')} shortened: about ${formatCount(event.before_tokens)} tokens became ${formatCount(event.after_tokens)}`;
    case 'policy.warned':
      return event.message;
    case 'budget.checked':
      return event.exceeded === undefined
        ? `${event.tokens_estimated ? '≈' : ''}${formatCount(event.tokens_used)} tokens used so far`
        : `The budget is spent (${event.exceeded}): ${event.tokens_estimated ? '≈' : ''}${formatCount(event.tokens_used)} tokens, ${event.seconds_used.toFixed(1)} s`;
    case 'verification.started':
      return `Checking the work of attempt ${event.attempt}`;
    case 'verification.checked':
      return [
        ...(event.checks.length > 0 ? [checksWords(checkCounts(event.checks)).label] : []),
        ...(event.opinions ?? []).map(opinionWords),
      ].join('; ');
    case 'turn.ended':
      return `Turn ${event.iteration} ended with ${{ text: 'text', calls: 'calls', empty: 'nothing' }[event.outcome]}${
        event.swallowed_tokens ? `. ${swallowedWords(event.swallowed_tokens)}` : ''
      }`;
    case 'turn.paused':
      return `Pause of ${durationWords(event.wait_ms)} after turn ${event.iteration}`;
    case 'harness.prompted':
      return `Loupe added: ${event.text}`;
    case 'message.awaited':
      return waitWords(event.cause);
    case 'autopilot.switched':
      return `Autopilot switched ${event.on ? 'on' : 'off'}`;
    case 'handover.started':
      return `Handover: the conversation has ${event.measured ? '' : '≈'}${formatCount(event.tokens)} of ${formatCount(event.limit_tokens)} tokens, so the model is asked for a summary`;
    case 'handover.ended':
      return event.outcome === 'done'
        ? 'The conversation goes on in a fresh context that begins with the summary'
        : 'The model wrote no summary; the conversation goes on as it was';
    case 'operator-call.started':
      return `${event.model} is asked to answer for the operator`;
    case 'operator-call.ended':
      return event.error === undefined
        ? `${event.model} answered for the operator${event.text === '' ? ' with nothing' : ''}`
        : `${event.model} could not answer for the operator: ${event.error}`;
    case 'cycle.started':
      return `Cycle ${event.cycle}`;
    case 'cycle.reflected':
      if (event.ended_by === 'call_limit') return `Cycle ${event.cycle} was ended after too many calls`;
      if (event.text.trim() !== '') return `Reflection of cycle ${event.cycle}: ${event.text.trim()}`;
      return `Cycle ${event.cycle} ended without a reflection${
        event.swallowed_tokens ? `. ${swallowedWords(event.swallowed_tokens)}` : ''
      }`;
    case 'diversity.advised':
      return `The last reflection is ${Math.round(event.similarity * 100)}% similar to that of cycle ${event.nearest_cycle}${
        event.feedback === undefined ? '' : '; feedback was added'
      }`;
    case 'memory.changed':
      return event.operation === 'delete'
        ? `Memory "${event.key}" deleted`
        : `Memory "${event.key}" written: ${event.value ?? ''}`;
    case 'operator.messaged':
      return `${event.by === undefined ? 'The operator' : POLICY_WORDS[event.by]} said: ${event.text}`;
    case 'operator.delivered':
      return `${plural(event.message_ids.length, 'message')} of the operator reached the model ${
        event.as === 'user-message' ? 'as a user message' : 'with a tool result'
      }`;
    case 'agent.messaged':
      return `${AGENT_PREFIX} ${event.text}`;
    case 'stop.requested':
      return event.force ? 'Immediate stop requested' : 'Stop after this step requested';
    case 'run.ended':
      return `Run ended (${event.result.termination_reason}): ${event.message}`;
    default:
      return assertNever(event);
  }
}

/** Who answers for the operator, by policy. */
const POLICY_WORDS = {
  fixed: 'The fixed reply',
  list: 'The list of replies',
  model: 'The replying model',
} as const;

/** Why a run waits for a message, as a sentence. */
function waitWords(cause: WaitCause): string {
  switch (cause) {
    case 'start':
      return 'Waiting for the first message';
    case 'text':
      return 'Waiting for a message';
    case 'empty':
      return 'The reply was empty; waiting for a message';
    case 'autopilot_turns':
      return 'Autopilot reached its turn limit; waiting for a message';
    case 'autopilot_time':
      return 'Autopilot reached its time limit; waiting for a message';
    case 'agent_message':
      return 'The agent sent a message; waiting for the reply';
  }
}

function replySentence(event: EventOf<'reply.parsed'>): string {
  const cut = event.cut ? ' (cut off)' : '';
  switch (event.outcome) {
    case 'tool_calls':
      return `${plural(event.calls.length, 'call')} read from ${event.layer}: ${event.calls.map((call) => call.name).join(', ')}${cut}`;
    case 'final_answer':
      return `Text${event.malformed ? ' with an invalid call' : ''}${cut}: ${event.text}`;
    case 'empty':
      if (event.swallowed_tokens) return `${swallowedWords(event.swallowed_tokens)}${cut}`;
      return `Empty reply${cut}${event.malformed ? ' with an invalid call' : ''}`;
    default:
      return assertNever(event.outcome);
  }
}

function writtenWords(event: EventOf<'model-call.ended'>): string {
  const { reply_tokens: counted, estimated_reply_tokens: estimated } = event;
  if (counted !== undefined) return formatCount(counted);
  return estimated === undefined ? 'an unknown number of' : `≈${formatCount(estimated)}`;
}

/** How much of a failed call's reply was kept, in estimated tokens. */
function keptWords({ estimated_reply_tokens: tokens }: EventOf<'model-call.failed'>): string {
  return tokens === undefined ? '' : ` after ≈${plural(tokens, 'token')}`;
}

function confinement(kind: string): string {
  return kind === 'none' ? 'not confined' : `confined by ${kind}`;
}

/** The scope of an approval, or the earlier approval that covers the call. */
function approvalWords({ scope, standing }: EventOf<'approval.decided'>): string {
  const covered = { run: 'for this run', tool_and_folder: 'for this folder' };
  if (standing) {
    return ` ${covered[standing.scope]} at #${standing.seq}${standing.run_id === undefined ? '' : ` of ${standing.run_id}`}`;
  }
  return scope === 'run' || scope === 'tool_and_folder' ? ` ${covered[scope]}` : '';
}

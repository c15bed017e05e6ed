import { assertNever } from '../util/assert-never.ts';
import { shortText } from '../util/short-text.ts';
import type { EventOf, RunEvent } from './registry.ts';

const MAX_CHARS = 200;

/** An event in one line of plain words, at most 200 UTF-16 units: for logs, exports and screen readers. */
export function summarize(event: RunEvent): string {
  return shortText(sentence(event).slice(0, 2000).replace(/\s+/g, ' '), MAX_CHARS);
}

function sentence(event: RunEvent): string {
  switch (event.type) {
    case 'run.created':
      return `Run created for ${event.config.model}: ${event.config.task || event.config.mode}`;
    case 'run.forked': {
      const changed = event.edits.length + event.settings.length;
      return `Forked from run ${event.from.run_id} after its event ${event.from.seq}; ${changed === 0 ? 'nothing' : count(changed, 'thing')} changed`;
    }
    case 'run.started':
      return `Worker ${event.worker} took the run`;
    case 'run.resumed':
      return `Worker ${event.worker} took the run over (epoch ${event.epoch})`;
    case 'preflight.checked':
      return `Ollama ${event.server_version ?? 'of unknown version'} and the model are ready; commands are ${
        event.sandbox.available ? confinement(event.sandbox.kind) : 'not offered'
      }`;
    case 'model.load-started':
      return `Loading ${event.model} with a window of ${event.num_ctx} tokens`;
    case 'model.loaded':
      return event.already_loaded
        ? 'The model was loaded already'
        : `Model loaded in ${duration(event.load_ms)}`;
    case 'attempt.started':
      return `Attempt ${event.attempt} begins with ${count(event.tools.length, 'tool')}`;
    case 'iteration.started':
      return `Iteration ${event.iteration}`;
    case 'model-call.started':
      return `Call ${event.call}: ${count(event.message_count, 'message')}, about ${event.estimated_tokens} tokens`;
    case 'model-call.ended':
      return `Call ${event.call} answered in ${duration(event.duration_ms)} with ${event.reply_tokens ?? 'an unknown number of'} tokens${
        event.done_reason === 'length' ? ', cut off' : ''
      }`;
    case 'model-call.failed':
      return `Call ${event.call} failed: ${event.error.message}`;
    case 'reply.parsed':
      return replySentence(event);
    case 'approval.requested':
      return `${event.tool} waits for approval`;
    case 'approval.decided':
      return {
        approved: `${event.tool} was approved`,
        edited: `${event.tool} was approved with other arguments`,
        denied: `${event.tool} was denied by the ${event.by}${event.reason ? `: ${event.reason}` : ''}`,
      }[event.decision];
    case 'tool-call.started':
      return `Calling ${event.tool}`;
    case 'tool-call.ended':
      return event.result.success
        ? `${event.tool} succeeded in ${duration(event.duration_ms)}`
        : `${event.tool} failed: ${event.result.output.error}`;
    case 'tool-call.interrupted':
      return `${event.tool} was interrupted; its outcome is unknown`;
    case 'policy.nudged':
      return `Nudge ${event.count} of ${event.limit}: the reply was ${
        { empty: 'empty', plan: 'only a plan', malformed: 'a call that could not be read' }[event.cause]
      }`;
    case 'policy.retried':
      return `Asking again${event.wait_ms > 0 ? ` in ${duration(event.wait_ms)}` : ''}: ${event.message}`;
    case 'policy.compacted':
      return `${count(event.folded.length, 'older result')} shortened: about ${event.before_tokens} tokens became ${event.after_tokens}`;
    case 'policy.warned':
      return event.message;
    case 'budget.checked':
      return event.exceeded === undefined
        ? `${event.tokens_used} tokens used so far`
        : `The budget is spent (${event.exceeded}): ${event.tokens_used} tokens, ${event.seconds_used.toFixed(1)} s`;
    case 'verification.started':
      return `Checking the work of attempt ${event.attempt}`;
    case 'verification.checked': {
      const passed = event.checks.filter((check) => check.passed).length;
      return `${passed} of ${count(event.checks.length, 'check')} passed`;
    }
    case 'turn.ended':
      return `Turn ${event.iteration} ended with ${{ text: 'text', calls: 'calls', empty: 'nothing' }[event.outcome]}`;
    case 'turn.paused':
      return `Pause of ${duration(event.wait_ms)} after turn ${event.iteration}`;
    case 'harness.prompted':
      return `The harness said: ${event.text}`;
    case 'cycle.started':
      return `Cycle ${event.cycle}`;
    case 'cycle.reflected':
      return event.ended_by === 'call_limit'
        ? `Cycle ${event.cycle} was ended after too many calls`
        : `Reflection of cycle ${event.cycle}: ${event.text.trim() || 'none'}`;
    case 'diversity.advised':
      return `The last reflection is ${Math.round(event.similarity * 100)} % like that of cycle ${event.nearest_cycle}${
        event.feedback === undefined ? '' : '; the model is told'
      }`;
    case 'memory.changed':
      return event.operation === 'delete'
        ? `Memory "${event.key}" deleted`
        : `Memory "${event.key}" written: ${event.value ?? ''}`;
    case 'operator.messaged':
      return `The operator said: ${event.text}`;
    case 'operator.delivered':
      return `${count(event.message_ids.length, 'message')} of the operator reached the model ${
        event.as === 'user-message' ? 'as a user message' : 'with a tool result'
      }`;
    case 'agent.messaged':
      return `[AGENT]: ${event.text}`;
    case 'stop.requested':
      return event.force ? 'Stop at once requested' : 'Stop after this step requested';
    case 'run.ended':
      return `Run ended (${event.result.termination_reason}): ${event.message}`;
    default:
      return assertNever(event);
  }
}

function replySentence(event: EventOf<'reply.parsed'>): string {
  const cut = event.cut ? ' (cut off)' : '';
  switch (event.outcome) {
    case 'tool_calls':
      return `${count(event.calls.length, 'call')} read from ${event.layer}: ${event.calls.map((call) => call.name).join(', ')}${cut}`;
    case 'final_answer':
      return `Text${event.malformed ? ' with a broken call' : ''}${cut}: ${event.text}`;
    case 'empty':
      return `Nothing to read${cut}${event.malformed ? ' but a broken call' : ''}`;
    default:
      return assertNever(event.outcome);
  }
}

function confinement(kind: string): string {
  return kind === 'none' ? 'not confined' : `confined by ${kind}`;
}

function count(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? '' : 's'}`;
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

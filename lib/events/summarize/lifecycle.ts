import { durationWords, limitWords } from '../../util/durations.ts';
import { formatCount, plural } from '../../util/numbers.ts';
import { opinionWords } from '../opinion-words.ts';
import { checkCounts, checksWords } from '../outcome.ts';
import type { EventHandlers, EventOf } from '../registry.ts';

/** A run from its creation or fork to its end: the server and the model, attempts, iterations, budget and verification. */
export const lifecycle = {
  'run.created': ({ config }) => `Run created for ${config.model}: ${config.task || config.mode}`,
  'run.forked': ({ from, edits, settings }) => {
    const changed = edits.length + settings.length;
    return `Forked from run ${from.run_id} after event ${from.seq}; ${changed === 0 ? 'no changes' : plural(changed, 'change')}`;
  },
  'run.started': ({ worker }) => `Worker ${worker} took the run`,
  'run.resumed': ({ worker, epoch, after_wait }) =>
    after_wait ? `Worker ${worker} continued the run` : `Worker ${worker} resumed the run (epoch ${epoch})`,
  'preflight.checked': ({ server_version, sandbox }) =>
    `Ollama ${server_version ?? 'of unknown version'} and the model are ready; commands are ${
      sandbox.available ? confinement(sandbox.kind) : 'not offered'
    }`,
  'model.load-started': ({ model, num_ctx }) =>
    `Loading ${model} with a window of ${formatCount(num_ctx)} tokens`,
  'model.loaded': ({ remote_host, already_loaded, load_ms }) => {
    if (remote_host !== undefined) return `The model runs at ${remote_host}`;
    return already_loaded ? 'The model was already loaded' : `Model loaded in ${durationWords(load_ms)}`;
  },
  'server-wait.started': ({ limit_ms, error }) =>
    `Waiting up to ${limitWords(limit_ms)} for Ollama: ${error.message}`,
  'server-wait.ended': serverWaited,
  'attempt.started': ({ attempt, tools }) => `Attempt ${attempt} begins with ${plural(tools.length, 'tool')}`,
  'iteration.started': ({ iteration }) => `Iteration ${iteration}`,
  'verification.started': ({ attempt }) => `Checking the work of attempt ${attempt}`,
  'verification.checked': ({ checks, opinions = [] }) =>
    [
      ...(checks.length > 0 ? [checksWords(checkCounts(checks)).label] : []),
      ...opinions.map(opinionWords),
    ].join('; '),
  'budget.checked': ({ exceeded, tokens_estimated, tokens_used, seconds_used }) => {
    const tokens = `${tokens_estimated ? '≈' : ''}${formatCount(tokens_used)} tokens`;
    return exceeded === undefined
      ? `${tokens} used so far`
      : `The budget is spent (${exceeded}): ${tokens}, ${seconds_used.toFixed(1)} s`;
  },
  'run.ended': ({ result, message }) => `Run ended (${result.termination_reason}): ${message}`,
} satisfies Partial<EventHandlers<string>>;

function serverWaited({ outcome, waited_ms }: EventOf<'server-wait.ended'>): string {
  const waited = durationWords(waited_ms);
  const sentences = {
    back: `Ollama is back after ${waited}`,
    gave_up: `Ollama did not come back within ${waited}`,
    stopped: `The wait for Ollama was stopped after ${waited}`,
  };
  // A later version may have other outcomes.
  return sentences[outcome] ?? `The wait for Ollama ended after ${waited} (${outcome})`;
}

function confinement(kind: string): string {
  return kind === 'none' ? 'not confined' : `confined by ${kind}`;
}

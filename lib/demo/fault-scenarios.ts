import type { FaultInput, ScenarioInput } from './scenario.ts';

/** The Ollama rows of the fault matrix, as one model each: `fake:hang`, `fake:busy` and so on. */
const FAULTS: Record<string, FaultInput> = {
  hang: { kind: 'hang' },
  'hang-midway': { kind: 'hang', after_tokens: 4 },
  close: { kind: 'close' },
  'close-midway': { kind: 'close', after_tokens: 4 },
  reset: { kind: 'reset' },
  'reset-midway': { kind: 'reset', after_tokens: 4 },
  'http-500': {
    kind: 'http',
    status: 500,
    body: { error: 'llama runner process has terminated: exit status 2' },
  },
  html: { kind: 'html' },
  'not-json': { kind: 'not-json' },
  'cut-json': { kind: 'cut-json' },
  'error-line': { kind: 'error-line', error: 'llama runner process has terminated', after_tokens: 4 },
  'no-done': { kind: 'no-done', after_tokens: 4 },
  endless: { kind: 'endless' },
  'endless-slow': { kind: 'endless', interval_ms: 50 },
  'huge-line': { kind: 'huge-line' },
  trickle: { kind: 'trickle', interval_ms: 1_000 },
  busy: { kind: 'busy' },
  'malformed-call': { kind: 'malformed-call' },
};

/** Scenarios that fail at every call, and `NAME-once`, which fails only at the first attempt. */
export const faultScenarios: readonly ScenarioInput[] = Object.entries(FAULTS).flatMap(([name, fault]) => {
  const broken = { fault, reply: { content: 'This reply will never be complete, as something breaks.' } };
  const healed = { reply: { content: 'The task is completed.' } };
  return [
    { name, steps: [broken] },
    { name: `${name}-once`, steps: [{ attempts: [broken, healed] }] },
  ];
});

import { appended } from '../appended.ts';
import type { EventOf } from '../registry.ts';
import { retriesBefore } from '../retry-limits.ts';
import { phaseBetweenSteps } from '../run-phase.ts';
import type { Reducers, RunState } from '../run-state.ts';

/** The effects of a run's rules: nudges, retries, shortened messages and warnings. */
export const policies = {
  'answer.checked': (state, event): RunState => ({ ...state, answer: { ...state.answer, checked: event } }),
  'policy.nudged': nudged,
  'policy.retried': (state, event): RunState => ({
    ...state,
    phase: phaseBetweenSteps(state),
    // A call failed, or a load while the calls of a reply wait, which must still be made.
    reply: event.cause === 'transient' ? state.reply : undefined,
    failedCall: undefined,
    retries: { ...state.retries, [event.cause]: retriesBefore(state, event.cause) + 1 },
    transientSince: event.cause === 'transient' ? (state.transientSince ?? event.at) : state.transientSince,
    acceptedThink: event.cause === 'thinking' ? (event.think ?? false) : state.acceptedThink,
  }),
  'policy.compacted': (state, event): RunState => {
    const folded = { ...state.folded };
    for (const entry of event.folded) folded[entry.message] = entry.content;
    return { ...state, folded };
  },
  'policy.warned': warned,
} satisfies Partial<Reducers>;

function warned(state: RunState, { code, detail }: EventOf<'policy.warned'>): RunState {
  if (code !== 'prompt_cut' && code !== 'prompt_unread') return state;
  const window = detail?.window_tokens;
  return {
    ...state,
    promptAlarms: { ...state.promptAlarms, [code]: typeof window === 'number' ? window : 0 },
    measured: code === 'prompt_cut' ? undefined : state.measured,
  };
}

function nudged(state: RunState, event: EventOf<'policy.nudged'>): RunState {
  if (event.cause === 'schema') return askedForData(state, event);
  const plan = event.cause === 'plan' ? state.reply?.text : undefined;
  return {
    ...state,
    phase: 'between',
    awaitingReply: false,
    nudges: event.count,
    callsSucceeded: 0,
    nudgeSeqs: appended(state.nudgeSeqs, event.seq),
    reply: undefined,
    failedCall: undefined,
    messages: appended(
      state.messages,
      ...(plan === undefined ? [] : [{ role: 'assistant' as const, content: plan }]),
      { role: 'user' as const, content: event.text },
    ),
  };
}

/** The same iteration continues: the model has done the work, and only gives its answer in another form. */
function askedForData(state: RunState, event: EventOf<'policy.nudged'>): RunState {
  const { reply } = state;
  return {
    ...state,
    phase: phaseBetweenSteps(state),
    awaitingReply: true,
    answer: { checked: undefined, asked: event.count },
    reply: undefined,
    messages: appended(
      state.messages,
      ...(reply ? [{ role: 'assistant' as const, content: reply.text }] : []),
      { role: 'user' as const, content: event.text },
    ),
  };
}

import type { ChatMessage } from '../../model/chat-model.ts';
import { appended } from '../appended.ts';
import type { ImageRef } from '../image.ts';
import { withImages } from '../message-images.ts';
import { readableChars } from '../message-size.ts';
import type { EventOf } from '../registry.ts';
import { emptyRunState, type Reducers, type RunState } from '../run-state.ts';
import { workedMs } from '../worked-ms.ts';

/** The conversation and who takes part in it: turns, cycles, memory, handovers, and what the operator says and switches. */
export const conversation = {
  'turn.ended': turnEnded,
  'turn.paused': (state, event): RunState => ({
    ...state,
    turns: { ...state.turns, pausedAfter: event.iteration },
  }),
  'harness.prompted': (state, event): RunState => said(state, event.text),
  'handover.started': (state, event): RunState => {
    const { messages, turns, handover } = state;
    // The list may be the one that the request joins.
    const kept = messages.length;
    return {
      ...said(state, event.text),
      phase: 'between',
      // Its calls are done; the next reply is the summary.
      reply: undefined,
      handover: { ...handover, kept, prompted: turns.prompted },
    };
  },
  'handover.ended': handedOver,
  'operator-call.started': (state): RunState => state,
  'operator-call.ended': (state, event): RunState => ({ ...state, operatorAsked: event.call_id }),
  'cycle.started': cycleStarted,
  'cycle.reflected': cycleReflected,
  'diversity.advised': (state, event): RunState => ({
    ...state,
    diversity: event,
    reflections: withVectors(state.reflections, event),
  }),
  'memory.changed': (state, event): RunState => ({ ...state, memory: changedMemory(state, event) }),
  'message.awaited': awaited,
  'autopilot.switched': (state, event): RunState => {
    const next = event.on ? woken(state) : state;
    return { ...next, autopilot: { on: event.on, ...limitsFrom(next, event.at) } };
  },
  'operator.messaged': (state, event): RunState => ({
    ...withImages(woken(state), event.images),
    operatorMessages: [
      ...state.operatorMessages,
      {
        ...{
          id: event.message_id,
          text: event.text,
          at: event.at,
          seq: event.seq,
          status: 'queued' as const,
        },
        ...(event.images && { images: event.images }),
        ...(event.by && { by: event.by }),
        ...(event.idempotency_key && { idempotencyKey: event.idempotency_key }),
      },
    ],
  }),
  'operator.delivered': delivered,
  'agent.messaged': (state, event): RunState => ({
    ...state,
    agentMessages: [
      ...state.agentMessages,
      { text: event.text, at: event.at, seq: event.seq, callId: event.call_id, cycle: event.cycle },
    ],
  }),
  'stop.requested': (state, event): RunState => ({
    ...woken(state),
    stop: {
      force: event.force || (state.stop?.force ?? false),
      at: state.stop?.at ?? event.at,
      requests: (state.stop?.requests ?? 0) + 1,
    },
  }),
} satisfies Partial<Reducers>;

/** After a reply that needs nothing more. */
const REPLY_DONE = {
  phase: 'between',
  awaitingReply: false,
  reply: undefined,
  failedCall: undefined,
} as const satisfies Partial<RunState>;

/** Another process may have appended a message, a stop or a switch first: then there is nothing to wait for. */
function awaited(before: RunState, { seq, cause, call_id: callId }: EventOf<'message.awaited'>): RunState {
  const state = callId === undefined ? before : { ...before, operatorAsked: callId };
  const { stop, autopilot, operatorMessages } = state;
  const goesOn = autopilot.on && (cause === 'start' || cause === 'text' || cause === 'empty');
  if (stop || goesOn || operatorMessages.some(({ status }) => status === 'queued')) return state;
  return { ...state, phase: 'awaiting-message', awaiting: { seq, cause } };
}

/** The start from which the limits of autopilot count. */
function limitsFrom(state: RunState, at: number): Pick<RunState['autopilot'], 'fromTurn' | 'fromMs'> {
  return { fromTurn: state.turns.completed, fromMs: workedMs(state, at) };
}

/** Adds a message from Loupe or the operator, which the model must answer. */
function said(state: RunState, text: string, images: readonly ImageRef[] = []): RunState {
  return {
    ...state,
    messages: appended(state.messages, {
      role: 'user',
      content: text,
      ...(images.length > 0 && { images }),
    }),
    turns: { ...state.turns, prompted: true },
  };
}

function turnEnded(state: RunState, event: EventOf<'turn.ended'>): RunState {
  const text = event.outcome === 'text' ? state.reply?.text : undefined;
  return {
    ...state,
    ...REPLY_DONE,
    messages:
      text === undefined ? state.messages : appended(state.messages, { role: 'assistant', content: text }),
    turns: {
      ...state.turns,
      completed: state.turns.completed + 1,
      empty: event.outcome === 'empty' ? state.turns.empty + 1 : 0,
      swallowedTokens: event.outcome === 'empty' ? state.turns.swallowedTokens : 0,
      prompted: event.outcome === 'calls',
    },
  };
}

/** The fresh context: the system prompt and the summary. Without a summary, the messages before the request for one. */
function handedOver(state: RunState, event: EventOf<'handover.ended'>): RunState {
  const { kept, prompted, count } = state.handover;
  const [system] = state.messages;
  const fresh: ChatMessage | undefined =
    event.outcome === 'done' && event.text !== undefined ? { role: 'user', content: event.text } : undefined;
  const messages = fresh ? [...(system ? [system] : []), fresh] : state.messages.slice(0, kept);
  return {
    ...state,
    ...REPLY_DONE,
    messages,
    folded: fresh ? {} : state.folded,
    measured: fresh ? undefined : state.measured,
    turns: { ...state.turns, prompted },
    handover: {
      kept: undefined,
      prompted: true,
      count: count + (fresh ? 1 : 0),
      fromChars: readableChars({ ...state, messages }),
    },
  };
}

function cycleStarted(state: RunState, event: EventOf<'cycle.started'>): RunState {
  const begun: RunState = {
    ...state,
    cycle: { ...state.cycle, number: event.cycle, open: true, iterationsBefore: state.iteration },
  };
  return event.line === undefined ? begun : said(begun, event.line);
}

function cycleReflected(state: RunState, event: EventOf<'cycle.reflected'>): RunState {
  // A cycle that reached its call limit made calls, even if the limit is one.
  const silent =
    event.ended_by === 'reflection' &&
    event.text.trim() === '' &&
    state.iteration - state.cycle.iterationsBefore <= 1;
  const reflection = { cycle: event.cycle, text: event.text, seq: event.seq };
  return {
    ...state,
    ...REPLY_DONE,
    cycle: {
      ...state.cycle,
      open: false,
      empty: silent ? state.cycle.empty + 1 : 0,
      swallowedTokens: silent ? state.cycle.swallowedTokens : 0,
    },
    reflections:
      event.ended_by === 'reflection' ? appended(state.reflections, reflection) : state.reflections,
  };
}

/** Adds the embeddings that a comparison recorded. */
function withVectors(
  reflections: RunState['reflections'],
  { vectors }: EventOf<'diversity.advised'>,
): RunState['reflections'] {
  if (!vectors) return reflections;
  const byCycle = new Map(vectors.map(({ cycle, vector }) => [cycle, vector]));
  return reflections.map((reflection) => {
    const vector = byCycle.get(reflection.cycle);
    return vector ? { ...reflection, vector } : reflection;
  });
}

function changedMemory(state: RunState, event: EventOf<'memory.changed'>): RunState['memory'] {
  const memory = new Map(state.memory);
  if (event.operation === 'delete' || event.value === undefined) memory.delete(event.key);
  else memory.set(event.key, { value: event.value, seq: event.seq, cycle: event.cycle });
  return memory;
}

function delivered(state: RunState, event: EventOf<'operator.delivered'>): RunState {
  const brought = state.operatorMessages.filter((message) => event.message_ids.includes(message.id));
  const marked: RunState = {
    ...state,
    operatorMessages: state.operatorMessages.map((message) =>
      brought.includes(message) ? { ...message, status: 'delivered', deliveredSeq: event.seq } : message,
    ),
  };
  if (event.as === 'tool-result') return marked;
  const heard = {
    ...marked,
    autopilot: { ...marked.autopilot, ...limitsFrom(marked, event.at) },
    // A person's message can need tools again, which a request for data does not offer.
    answer: emptyRunState('').answer,
  };
  return said(
    heard,
    brought.map(({ text }) => text).join('\n\n'),
    brought.flatMap(({ images = [] }) => images),
  );
}

/** Ends the wait for a message. */
function woken(state: RunState): RunState {
  return state.awaiting ? { ...state, phase: 'between', awaiting: undefined, woken: true } : state;
}

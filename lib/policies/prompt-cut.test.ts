import { expect, it } from 'vitest';
import { foldAll } from '../events/fold-run.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { ChatMessage } from '../model/chat-model.ts';
import { SampleLog } from '../testing/sample-logs.ts';
import { lostMessages, promptCut } from './prompt-cut.ts';
import { isReady } from './rule.ts';

const message = (role: ChatMessage['role'], tokens: number, begin = ''): ChatMessage => ({
  role,
  content: begin.padEnd(tokens * 4, 'x'),
});
const conversation = [
  message('system', 100),
  message('user', 200, 'The task'),
  message('assistant', 300, 'A plan'),
  message('tool', 400, 'A result'),
  message('user', 100, 'The last'),
];
const lost = (evaluated: number) =>
  lostMessages({ messages: conversation, tools: [] }, evaluated).map(({ index }) => index);

it('the task is dropped first, the system prompt and the last message never [OL2]', () => {
  expect(lost(1100)).toEqual([]);
  expect(lost(1000)).toEqual([1]);
  expect(lost(700)).toEqual([1, 2]);
  expect(lost(300)).toEqual([1, 2, 3]);
  expect(lost(10)).toEqual([1, 2, 3]);
});

it('quotes the start of each lost message [OL2]', () => {
  const [first] = lostMessages({ messages: conversation, tools: [] }, 950);
  expect(first).toMatchObject({ role: 'user', tokens: 200 });
  expect(first?.excerpt).toMatch(/^The taskx+…$/);
});

it('names a message without text after its calls', () => {
  const call = { function: { name: 'read_file', arguments: { path: 'a'.repeat(4000) } } };
  const messages: ChatMessage[] = [
    { role: 'assistant', content: '', tool_calls: [call] },
    message('user', 10),
  ];
  expect(lostMessages({ messages, tools: [] }, 20)).toMatchObject([{ index: 0, excerpt: 'read_file' }]);
});

/** A run with an open request estimated at 3,000 tokens, on the given server version and window. */
function openCall(version: string, window: number) {
  const log = new SampleLog().prepare().iteration().callStarts();
  for (const event of log.events) {
    if (event.type === 'preflight.checked') event.server_version = version;
    if (event.type === 'model.loaded') event.context_tokens = window;
    if (event.type === 'model-call.started') event.estimated_tokens = 3000;
  }
  const state = () => {
    const folded = foldAll(emptyRunState(log.runId), log.events);
    if (!isReady(folded)) throw new Error('no configuration');
    return folded;
  };
  return {
    log,
    alarm: (evaluated: number) => promptCut(state(), { messages: conversation, tools: [] }, evaluated),
  };
}

it('reads from the log what it already reported, so that a resumed run does not repeat it (OL2)', () => {
  const { log, alarm } = openCall('0.17.4', 2048);
  const first = alarm(2048);
  expect(first?.code).toBe('prompt_cut');
  if (first) log.push(first);
  log.push({ type: 'run.resumed', worker: 'other', epoch: 2 });
  log.push({ type: 'model.loaded', already_loaded: true, load_ms: 0, context_tokens: 2048 });
  expect(alarm(2048)).toBeUndefined();
  // A different window size is reported again.
  log.push({ type: 'model.loaded', already_loaded: false, load_ms: 9, context_tokens: 1024 });
  expect(alarm(1024)?.code).toBe('prompt_cut');
});

it.each([
  ['0.17.4', 4096, 900, 'prompt_unread'],
  ['0.17.4', 1024, 900, 'prompt_unread'],
  ['0.17.4', 4096, 2900, undefined],
  ['0.12.5', 4096, 900, 'prompt_cut'],
  ['0.12.5', 2048, 2000, 'prompt_cut'],
  ['0.12.5', 8192, 900, 'prompt_unread'],
  ['0.12.5', 4096, 2900, undefined],
  ['0.12.5', 3500, 3500, 'prompt_cut'],
])(
  'Ollama %s with a window of %i that read %i of about 3,000 tokens: %s (OL2, OL3)',
  (version, window, read, code) => {
    expect(openCall(version, window).alarm(read)?.code).toBe(code);
  },
);

import type { NewEvent } from '../events/registry.ts';
import type { JsonObject } from '../util/json.ts';
import { type SampleCall, SampleLog, type SampleReply } from './sample-logs.ts';

type Options = ConstructorParameters<typeof SampleLog>[0];

/** A session of a few turns: text, calls, messages of the harness and of a person, and an empty turn. */
export function sessionLog(options: Options = {}): SampleLog {
  const log = new SampleLog({
    ...options,
    config: {
      mode: 'session',
      task: '',
      max_iterations: 0,
      compact_at: 1,
      stall_guard: false,
      nudge_plans: false,
      max_nudges: 0,
      max_attempts: 1,
      workspace: '/home/ada/garden',
      session: { context_limit: 32_768, turn_delay: 2000 },
      conversation: { replies: 'read', call_ids: true, results: 'json' },
      ...options?.config,
    },
  }).prepare();
  turn(
    log,
    { text: 'I have woken up in a folder. I will look at what is here before I do anything else.' },
    'text',
  );
  prompted(log);
  turn(
    log,
    {
      thinking: 'A garden. Let me see the beds.',
      text: 'Let me see.',
      calls: [
        {
          name: 'list_files',
          arguments: { path: '.' },
          result: { output: { entries: ['SYSTEM_PROMPT.md', 'beds.md', 'seeds/'] } },
        },
      ],
    },
    'calls',
  );
  log.push(
    { type: 'operator.messaged', message_id: 'm1', text: 'Please begin with the beds in the shade.' },
    900,
  );
  log.push({ type: 'operator.delivered', message_ids: ['m1'], as: 'user-message' });
  turn(
    log,
    {
      text: 'Then I read the list of beds and keep those in the shade.',
      calls: [
        {
          name: 'read_file',
          arguments: { path: 'beds.md' },
          result: { output: { content: '1. fern bed (shade)\n2. herbs (sun)\n' } },
        },
      ],
    },
    'calls',
  );
  turn(log, {}, 'empty');
  prompted(log);
  log.push({ type: 'operator.messaged', message_id: 'm2', text: 'And write down what is missing.' }, 400);
  return log.iteration().callStarts();
}

/** An ended session: stopped, with a message that came too late. */
export function stoppedSessionLog(options: Options = {}): SampleLog {
  const log = sessionLog(options);
  log.reply({ text: 'The fern bed needs two more ferns and some mulch.' });
  log.push({ type: 'stop.requested', force: false, by: 'operator' }, 100);
  return log.end('stopped', { message: 'Stopped by you after turn 5.', output: 'The fern bed needs mulch.' });
}

function turn(log: SampleLog, reply: SampleReply, outcome: 'text' | 'calls' | 'empty'): void {
  log.round(reply);
  const iteration = iterationOf(log);
  log.push({ type: 'turn.ended', iteration, outcome });
  log.push({ type: 'turn.paused', iteration, wait_ms: 2000 }, 2);
}

function prompted(log: SampleLog): void {
  log.push({ type: 'harness.prompted', iteration: iterationOf(log), text: 'Continue.' }, 2000);
}

function iterationOf(log: SampleLog): number {
  return log.events.filter((event) => event.type === 'iteration.started').length;
}

const THOUGHTS = [
  'I looked at what I know and found little. I wrote down that I want to understand tides.',
  'Tides follow the moon, but the shape of a coast decides how high they rise. I kept both as notes.',
  'I compared the notes on tides with those on harbours. A harbour is a place that makes a tide useful.',
  'I asked the operator whether there is a coast nearby. There was no answer yet.',
  'Tides follow the moon, but the shape of a coast decides how high they rise. I kept both notes again.',
  'The operator answered: there is a river. I began to think about currents instead of tides.',
  'Currents carry sediment, and sediment builds banks. I deleted the note on harbours, which led nowhere.',
];

/** An exploration of `cycles` cycles, with memory, messages both ways and advice on diversity. */
export function exploreLog(cycles: number, options: Options & { open?: boolean } = {}): SampleLog {
  const log = new SampleLog({
    ...options,
    config: {
      mode: 'explore',
      task: '',
      workspace: '',
      max_iterations: cycles * 50,
      compact_at: 1,
      stall_guard: false,
      nudge_plans: false,
      max_nudges: 0,
      max_attempts: 1,
      parser_layers: ['native', 'xml'],
      conversation: { replies: 'unchanged', call_ids: false, results: 'text' },
      explore: {
        context_limit: 32_768,
        max_cycles: cycles,
        calls_per_cycle: 50,
        cycle_line: true,
        diversity: { threshold: 0.6, window: 5 },
      },
      ...options.config,
    },
  }).prepare();
  const memory: Record<string, string> = {};
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    log.push({ type: 'cycle.started', cycle, line: `Cycle ${cycle}.` });
    if (cycle > 2 && cycle % 5 === 0) {
      log.push({
        type: 'diversity.advised',
        cycle,
        measure: 'ngram',
        similarity: cycle % 10 === 0 ? 0.82 : 0.31,
        threshold: 0.6,
        nearest_cycle: Math.max(1, cycle - 3),
        compared: [cycle - 3, cycle - 2, cycle - 1].filter((each) => each > 0),
        ...(cycle % 10 === 0
          ? { feedback: 'Your last reflection is 82 % like an earlier one. Look for something new.' }
          : {}),
      });
    }
    const key = ['tides', 'harbours', 'coast', 'currents'][cycle % 4] ?? 'tides';
    for (let step = 0; step < 1 + (cycle % 3); step += 1) {
      if (step > 0 || !(key in memory))
        remember(log, cycle, key, `What I know about ${key} in cycle ${cycle}.`, memory);
      else ask(log, 'read', { key });
    }
    if (cycle % 7 === 0 && key in memory) forget(log, cycle, key, memory);
    if (cycle === 3)
      log.push({ type: 'operator.messaged', message_id: 'm1', text: 'There is a river nearby.' });
    if (cycle === 4) tell(log, cycle);
    if (cycle === cycles && options.open) return log.iteration().callStarts();
    const text = `${THOUGHTS[(cycle - 1) % THOUGHTS.length] ?? ''} ${cycle > 7 ? `This is round ${Math.ceil(cycle / 7)} of it.` : ''}`;
    log.round({ text: text.trim(), ms: 1800 });
    log.push({ type: 'cycle.reflected', cycle, text: text.trim(), ended_by: 'reflection' });
  }
  log.push({ type: 'operator.messaged', message_id: 'm2', text: 'Thank you for the notes.' });
  return log.end('final_answer', { message: `All ${cycles} cycles are done.`, output: '' });
}

function ask(log: SampleLog, name: string, args: JsonObject, then?: (callId: string) => NewEvent[]): void {
  const call: SampleCall = { name, arguments: args, result: { output: 'Done.' } };
  log
    .iteration()
    .callStarts()
    .reply({ calls: [call], ms: 900 });
  log.toolStarts(call);
  const started = log.events.at(-1);
  const callId = started?.type === 'tool-call.started' ? started.call_id : '';
  log.toolEnds(call);
  for (const event of then?.(callId) ?? []) log.push(event);
}

function remember(
  log: SampleLog,
  cycle: number,
  key: string,
  value: string,
  memory: Record<string, string>,
): void {
  memory[key] = value;
  ask(log, 'write', { key, value }, (call_id) => [
    { type: 'memory.changed', call_id, cycle, operation: 'write', key, value },
  ]);
}

function forget(log: SampleLog, cycle: number, key: string, memory: Record<string, string>): void {
  delete memory[key];
  ask(log, 'delete', { key }, (call_id) => [
    { type: 'memory.changed', call_id, cycle, operation: 'delete', key },
  ]);
}

function tell(log: SampleLog, cycle: number): void {
  const text = 'Is there a coast nearby?';
  ask(log, 'send_message_to_operator', { message: text }, (call_id) => [
    { type: 'agent.messaged', call_id, cycle, text },
    { type: 'operator.delivered', message_ids: ['m1'], as: 'tool-result', call_id },
  ]);
}

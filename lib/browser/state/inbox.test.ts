import { expect, it } from 'vitest';
import { foldAll } from '../../events/fold-run.ts';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { type SampleCall, SampleLog } from '../../testing/sample-logs.ts';
import { inboxMessages } from './inbox.ts';

const talk = (log: SampleLog) =>
  inboxMessages(foldAll(emptyRunState(log.runId), log.events), foldTimeline(emptyTimeline, log.events)).map(
    ({ from, by, text, isAwaited }) => `${by ?? from}: ${text}${isAwaited ? ' (awaited)' : ''}`,
  );

const exploring = () =>
  new SampleLog({ config: { mode: 'explore', task: '' } })
    .prepare()
    .push({ type: 'cycle.started', cycle: 1 });

const tell = (message: string): SampleCall => ({
  name: 'send_message_to_operator',
  arguments: { message },
  result: { output: 'The message was sent.' },
});

/** The model asks for calls that send messages. */
const asks = (log: SampleLog, ...messages: string[]) =>
  log
    .iteration()
    .callStarts()
    .reply({ calls: messages.map(tell) });

function sends(log: SampleLog, callId: string, text: string, replies: string[]): void {
  const call = tell(text);
  log.toolStarts(call).push({ type: 'agent.messaged', call_id: callId, cycle: 1, text });
  log.push({ type: 'operator.delivered', message_ids: replies, as: 'tool-result', call_id: callId });
  log.toolEnds(call);
}

it('shows the message that waits for a reply, and the reply after it', () => {
  const log = asks(
    exploring().push({ type: 'operator.messaged', message_id: 'm1', text: 'Hello.' }),
    'First?',
  );
  sends(log, 'c1', 'First?', ['m1']);
  asks(log, 'Second?');
  expect(talk(log)).toEqual(['operator: Hello.', 'agent: First?']);
  log.push({ type: 'message.awaited', iteration: 2, cause: 'agent_message', call_id: 'c2' });
  expect(talk(log)).toEqual(['operator: Hello.', 'agent: First?', 'agent: Second? (awaited)']);
  log.push({ type: 'operator.messaged', message_id: 'm2', text: 'Yes.' });
  expect(talk(log)).toEqual(['operator: Hello.', 'agent: First?', 'agent: Second?', 'operator: Yes.']);
  sends(log, 'c2', 'Second?', ['m2']);
  expect(talk(log)).toEqual(['operator: Hello.', 'agent: First?', 'agent: Second?', 'operator: Yes.']);
});

it('shows replies of a policy as such, each after its message, also for calls of one reply', () => {
  const log = asks(exploring(), 'First?', 'Second?');
  log.push({ type: 'operator.messaged', message_id: 'p1', text: 'One.', by: 'list', call_id: 'c1' });
  sends(log, 'c1', 'First?', ['p1']);
  log.push({ type: 'operator.messaged', message_id: 'p2', text: 'Two.', by: 'list', call_id: 'c2' });
  sends(log, 'c2', 'Second?', ['p2']);
  expect(talk(log)).toEqual(['agent: First?', 'list: One.', 'agent: Second?', 'list: Two.']);
});

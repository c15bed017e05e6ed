import { expect, it } from 'vitest';
import { progressOf } from '../testing/progress-of.ts';
import { approvalLog, endedLog, SampleLog } from '../testing/sample-logs.ts';
import { exploreLog, stoppedSessionLog } from '../testing/sample-modes.ts';
import type { RunDelta } from './delta.ts';
import { progressEvent } from './progress.ts';
import { emptyProgress, type ProgressBody, projectDelta, projectEvent } from './project-progress.ts';
import type { RunEvent } from './registry.ts';

/** Projects events with pieces of text between them. */
function project(inputs: readonly (RunEvent | RunDelta)[]): ProgressBody[] {
  let state = emptyProgress('run');
  return inputs.flatMap((input) => {
    const next = 'seq' in input ? projectEvent(state, input) : projectDelta(state, input);
    state = next.state;
    return next.progress;
  });
}

/** A reply with the given pieces received while streaming. */
function withPieces(
  reply: { text?: string; thinking?: string },
  pieces: readonly { type?: 'text' | 'thinking'; offset: number; text: string }[],
) {
  const log = new SampleLog({ config: { live_tokens: true } }).prepare().iteration().callStarts();
  const before = log.events.length;
  log.reply(reply);
  const deltas = pieces.map((piece): RunDelta => ({ type: 'text', call: 1, ...piece }));
  const progress = project([...log.events.slice(0, before), ...deltas, ...log.events.slice(before)]);
  const pieceTexts = (type: 'token' | 'thinking') =>
    progress.flatMap((body) => (body.type === type ? [body.text] : []));
  return { tokens: pieceTexts('token'), thoughts: pieceTexts('thinking') };
}

it.each([
  ['a session', stoppedSessionLog()],
  ['an exploration', exploreLog(3)],
  ['a failed task', endedLog('error')],
  ['a run that waits for approval', approvalLog()],
])('emits events of %s in their documented form, numbered without gaps [E8, E9]', (_, log) => {
  const progress = progressOf(log.events);
  expect(progress.length).toBeGreaterThan(3);
  for (const event of progress) expect(progressEvent.parse(event)).toEqual(event);
  expect(progress.map(({ seq }) => seq)).toEqual(progress.map((_each, index) => index + 1));
});

it('emits the text of a reply once, streamed or not', () => {
  const text = 'One two three.';
  expect(withPieces({ text }, []).tokens).toEqual([text]);
  const streamed = [
    { offset: 0, text: 'One ' },
    { offset: 4, text: 'two' },
  ];
  expect(withPieces({ text }, streamed).tokens).toEqual(['One', ' two', ' three.']);
});

it('emits only the new part of a piece repeated after a reconnect', () => {
  const pieces = [
    { offset: 0, text: 'One ' },
    { offset: 0, text: 'One two' },
  ];
  expect(withPieces({ text: 'One two three.' }, pieces).tokens).toEqual(['One', ' two', ' three.']);
});

it('withholds text after a gap until the reply is complete', () => {
  const pieces = [
    { offset: 0, text: 'One ' },
    { offset: 8, text: 'three.' },
  ];
  expect(withPieces({ text: 'One two three.' }, pieces).tokens).toEqual(['One', ' two three.']);
});

it('emits thinking separately, before the text [S8]', () => {
  const given = withPieces({ text: 'Yes.', thinking: 'Is it? It is.' }, [
    { type: 'thinking', offset: 0, text: 'Is it?' },
  ]);
  expect(given).toEqual({ thoughts: ['Is it?', ' It is.'], tokens: ['Yes.'] });
});

it('withholds thinking and call tags in the text until it is parsed', () => {
  const pieces = [
    { offset: 0, text: '\n' },
    { offset: 1, text: 'Look: 1 <' },
    { offset: 10, text: ' 2. <thi' },
    { offset: 18, text: 'nk>Secret.</think>' },
  ];
  expect(withPieces({ text: 'Look: 1 < 2. Done.' }, pieces).tokens).toEqual(['Look: 1', ' < 2.', ' Done.']);
});

it('withholds a call as the parser would find it, and emits what follows it [P4, P7]', () => {
  const content = 'I look.\n```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```\nThen I answer.';
  const pieces = [...content].map((text, offset) => ({ offset, text }));
  const { tokens } = withPieces({ text: 'I look.\n\nThen I answer.' }, pieces);
  expect(tokens.join('')).toBe('I look.\n\nThen I answer.');
});

it('emits the answer after thinking that nothing announced [P5]', () => {
  const pieces = [
    { offset: 0, text: 'They greet me.' },
    { offset: 14, text: '</think>Hello!' },
  ];
  expect(withPieces({ text: 'Hello!' }, pieces).tokens).toEqual(['They greet me.', '\nHello!']);
});

it('emits nothing twice if a call was shown as text', () => {
  expect(withPieces({ text: 'Look.' }, [{ offset: 0, text: 'Look. Call 7.' }]).tokens).toEqual([
    'Look. Call 7.',
  ]);
});

it('reports arguments edited by the operator', () => {
  const log = approvalLog();
  const [call] = log.events.flatMap((event) => (event.type === 'approval.requested' ? [event] : []));
  if (!call) throw new Error('no call waits');
  const { call_id, tool } = call;
  log.push({
    type: 'approval.decided',
    ...{ call_id, tool, decision: 'edited', arguments: { path: 'other.md' }, by: 'operator' },
  });
  log.push({ type: 'tool-call.started', call_id, tool, iteration: 1 });
  expect(progressOf(log.events).at(-1)).toMatchObject({
    type: 'tool_call_started',
    args_summary: '{"path":"other.md"}',
  });
});

it('emits session notices and agent messages as separate events [S12, O14]', () => {
  const notices = (events: readonly RunEvent[]) =>
    progressOf(events).flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  const session = notices(stoppedSessionLog().events);
  expect(session[0]).toMatch(/^Session with .+ in \/home\/ada\/garden/);
  expect(session).toContain('[tool] read_file({"path":"beds.md"})');
  expect(session.some((text) => text.startsWith('[result] {"success":true'))).toBe(true);
  expect(session.at(-1)).toMatch(/^Session ended: user_shutdown after \d+ completed turns?/);
  for (const text of notices(exploreLog(3).events)) expect(text).toMatch(/^\[AGENT\]: /);
  const log = new SampleLog().prepare();
  log.push({ type: 'agent.messaged', call_id: 'c1', cycle: 1, text: 'Hello' });
  expect(notices(log.events)).toEqual(['[AGENT]: Hello']);
});

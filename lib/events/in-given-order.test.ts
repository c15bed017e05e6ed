import { expect, it } from 'vitest';
import { runEvent } from './registry.ts';

const ended = (output: object) => ({
  run_id: 'run',
  seq: 2,
  at: 1000,
  type: 'tool-call.ended',
  call_id: 'c1',
  tool: 'run_command',
  result: { success: false, tool: 'run_command', output },
  duration_ms: 1,
});

it('reads a result with its fields in the order in which the model got them', () => {
  const event = ended({ exit_code: 2, error: 'Exit code 2.', stderr: 'no such file' });
  expect(JSON.stringify(runEvent.parse(event))).toBe(JSON.stringify(event));
});

it('reads a call with its fields in the order in which the model wrote them', () => {
  const call = { id: 'c1', function: { index: 0, name: 'read_file', arguments: { path: 'a', from: 1 } } };
  const event = {
    run_id: 'run',
    seq: 2,
    at: 1000,
    type: 'attempt.started',
    attempt: 1,
    messages: [{ role: 'assistant', content: '', tool_calls: [call] }],
    tools: [],
  };
  const read = runEvent.parse(event);
  expect(JSON.stringify(read.type === 'attempt.started' && read.messages)).toBe(
    JSON.stringify(event.messages),
  );
});

it('refuses what the schema refuses, and says why', () => {
  const { issues = [] } = runEvent.safeParse(ended({ exit_code: 2 })).error ?? {};
  expect(issues).toMatchObject([{ path: ['result', 'output', 'error'], expected: 'string' }]);
});

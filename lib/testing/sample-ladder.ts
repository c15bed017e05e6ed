import { originOf } from '../parser/call-origin.ts';
import { parseToolCalls } from '../parser/parse-tool-calls.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { JsonValue } from '../util/json.ts';
import { SampleLog } from './sample-logs.ts';

const tool = (
  name: string,
  properties: ToolDefinition['function']['parameters']['properties'],
): ToolDefinition => ({
  type: 'function',
  function: { name, description: `The tool ${name}.`, parameters: { type: 'object', properties } },
});

const TOOLS = [
  tool('read_file', {
    path: { type: 'string' },
    start_line: { type: 'integer' },
    end_line: { type: 'integer' },
  }),
  tool('write_file', { path: { type: 'string' }, content: { type: 'string' } }),
  tool('list_directory', { path: { type: 'string' }, recursive: { type: 'boolean' } }),
];

interface RawReply {
  content?: string;
  thinking?: string;
  tool_calls?: JsonValue[];
  cut?: boolean;
  /** Tokens the server reports to have read; default: as many as were sent. */
  promptTokens?: number;
}

/** Replies of every kind that a local model writes, read by the real parser, for the parse ladder in the gallery. */
export function ladderLog(options: ConstructorParameters<typeof SampleLog>[0] = {}): SampleLog {
  const log = new SampleLog(options).prepare({ warm: true });
  round(log, {
    thinking: 'I look at the folder first.',
    tool_calls: [{ function: { name: 'list_directory', arguments: { path: '.', recursive: 'true' } } }],
  });
  round(log, {
    content:
      'I will read both reports now.\n\n```json\n{"name": "read_file", "arguments": {"path": "q1.md", "start_line": "1", "end_line": "40"}}\n```\n',
  });
  round(log, {
    content: `Here they come:\n<tool_call>\n{'name': 'read_file', 'arguments': {'path': 'q2.md', 'start_line': 5,}}\n</tool_call>\n<tool_call>{"name": "open_file", "arguments": {"path": "q3.md"}}</tool_call>\n<tool_call>{"name": "read_file", "arguments": {"path": "q3.md"}}</tool_call>`,
  });
  round(log, {
    content: `<function=write_file>\n<parameter=path>\nsummary.md\n</parameter>\n<parameter=content>\n# Summary\n\nRevenue grew in every quarter.\n</parameter>\n</function>`,
    promptTokens: 640,
  });
  unreadable(log);
  round(log, {
    content: `<think>I could call <tool_call>{"name": "read_file", "arguments": {"path": "q1.md"}}</tool_call> again, but I have it.</think>To call the tool yourself, write:\n\n> {"name": "read_file", "arguments": {"path": "q1.md"}}\n\nThe summary is in summary.md. The task is completed.`,
  });
  return log.end('final_answer', {
    message: 'The model answered without asking for another tool.',
    output: 'The summary is in summary.md. The task is completed.',
    files: ['summary.md'],
  });
}

function round(log: SampleLog, reply: RawReply): void {
  log.iteration().callStarts();
  read(log, reply);
  const parsed = log.events.at(-1);
  if (parsed?.type !== 'reply.parsed') return;
  for (const call of parsed.calls) {
    log.toolStarts({ name: call.name, arguments: call.arguments });
    log.toolEnds({
      name: call.name,
      arguments: call.arguments,
      result: TOOLS.some((offered) => offered.function.name === call.name)
        ? { output: { path: 'q1.md', content: 'Revenue rose to 4.2 M EUR.' } }
        : {
            error: `Unknown tool: ${call.name}. Available: ${TOOLS.map((each) => each.function.name).join(', ')}.`,
          },
    });
  }
}

/** The case of T22: the server fails to parse the model's reply, and the same messages are sent again. */
function unreadable(log: SampleLog): void {
  log.iteration().callStarts();
  log.callFails({
    kind: 'malformed_call',
    status: 500,
    error: {
      code: 'malformed_call',
      message: 'error parsing tool call: raw=\'{"path": "summary.md\', err=unexpected end of JSON input',
      hint: 'The model wrote a tool call that Ollama could not read. It is asked again.',
    },
    raw: '{"path": "summary.md',
  });
  log.push({
    type: 'policy.retried',
    iteration: 5,
    cause: 'malformed',
    message: "Ollama could not read the model's call; the same messages are sent once more.",
    wait_ms: 0,
  });
  log.callStarts();
  read(log, { content: '<tool_call>{"name": "read_file", "arguments": {"path": "summ', cut: true });
  log.push({
    type: 'policy.retried',
    iteration: 5,
    cause: 'length',
    message: 'The reply was cut off at 2,048 tokens; it is requested again with up to 4,096.',
    wait_ms: 0,
  });
  log.callStarts();
  read(log, { tool_calls: [{ function: { name: 'read_file', arguments: { path: 'summary.md' } } }] });
  log.toolStarts({ name: 'read_file', arguments: {} });
  log.toolEnds({ name: 'read_file', arguments: {}, result: { output: { content: '# Summary' } } });
}

function read(
  log: SampleLog,
  { content = '', thinking, tool_calls, cut = false, promptTokens }: RawReply,
): void {
  const started = log.events.findLast((event) => event.type === 'model-call.started');
  if (started?.type !== 'model-call.started') throw new RangeError('No model call is open.');
  const before = log.events.reduce(
    (sum, event) => sum + (event.type === 'reply.parsed' ? event.calls.length : 0),
    0,
  );
  const message = { role: 'assistant', content, thinking, tool_calls };
  const parsed = parseToolCalls(message, { tools: TOOLS });
  log.push(
    {
      type: 'model-call.ended',
      call: started.call,
      message,
      done_reason: cut ? 'length' : 'stop',
      prompt_tokens: promptTokens ?? Math.round(started.estimated_tokens * 0.96),
      reply_tokens: Math.max(8, Math.ceil((content.length + (thinking?.length ?? 0)) / 4)),
      duration_ms: 2600,
      timings: { totalMs: 2600, loadMs: 18, promptEvalMs: 420, evalMs: 2100 },
    },
    2600,
  );
  const calls = parsed.type === 'tool_calls' ? parsed.calls : [];
  log.push({
    type: 'reply.parsed',
    call: started.call,
    iteration: started.iteration,
    outcome: parsed.type,
    layer: parsed.layer,
    format: parsed.format,
    calls: calls.map((call, index) => ({
      call_id: `c${before + index + 1}`,
      ...call,
      ...originOf(parsed, index),
    })),
    text: parsed.visibleText,
    thinking: parsed.thinking,
    coercions: parsed.coercions,
    repairs: parsed.repairs,
    refusals: parsed.refusals,
    attempts: parsed.attempts,
    malformed: parsed.malformed ?? false,
    cut,
  });
}

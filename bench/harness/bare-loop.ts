import { Agent, request } from 'node:http';
import { FILE_BYTES } from './loads.ts';
import { readPlan, reportRuns } from './timed-runs.ts';

// The same runs as bare loops: no log, no limits, no viewers, and tools that touch no files.

interface Message {
  role: string;
  content: string;
  tool_calls?: { function: { name: string; arguments: Record<string, string> } }[];
  tool_name?: string;
}

const plan = readPlan();
const url = `${plan.fakeUrl}/api/chat`;
const FILE = `${'x'.repeat(FILE_BYTES - 1)}\n`;
const start: readonly Message[] = [
  {
    role: 'system',
    content: 'You are a coding agent. Use the tools to do the task, then say what you found.',
  },
  { role: 'user', content: 'Read the files of the project and tell me what they hold.' },
];
const tools = ['read_file', 'write_file'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: 'Reads or writes a file in the workspace.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Path of the file' }, content: { type: 'string' } },
      required: ['path'],
    },
  },
}));

function resultsOf({ tool_calls = [] }: Message): Message[] {
  return tool_calls.map(({ function: { name, arguments: args } }) => {
    if (args.path === undefined) throw new Error('a call without a path');
    return {
      role: 'tool',
      tool_name: name,
      content: name === 'read_file' ? FILE : `Wrote ${args.content?.length} bytes to ${args.path}.`,
    };
  });
}

/** The loop that anyone would write first, the reference of all ratios. */
async function runWithFetch(model: string): Promise<void> {
  const stream = plan.loop === 'stream';
  const messages = [...start];
  for (;;) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, tools, stream }),
    });
    if (!response.ok) throw new Error(`The fake answered ${response.status}`);
    const message = stream ? await readStream(response) : (await response.json()).message;
    messages.push(message);
    const results = resultsOf(message);
    if (results.length === 0) return;
    messages.push(...results);
  }
}

async function readStream(response: Response): Promise<Message> {
  const whole: Message = { role: 'assistant', content: '' };
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { message } = JSON.parse(line) as { message: Message };
      whole.content += message.content;
      if (message.tool_calls) whole.tool_calls = [...(whole.tool_calls ?? []), ...message.tool_calls];
    }
  }
  return whole;
}

const agent = new Agent({ keepAlive: true });

/** Close to the minimal cost of a loop in Node: one connection, and each message is serialized once. */
async function runSerializedOnce(model: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const head = `{"model":${JSON.stringify(model)},"tools":${JSON.stringify(tools)},"stream":false,"messages":[`;
  let messages = start.map((message) => JSON.stringify(message)).join(',');
  const post = (body: string) =>
    new Promise<Message>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      request({ hostname, port, path: '/api/chat', method: 'POST', agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()).message));
      })
        .on('error', reject)
        .end(body);
    });
  for (;;) {
    const message = await post(`${head}${messages}]}`);
    const results = resultsOf(message);
    if (results.length === 0) return;
    messages += [message, ...results].map((each) => `,${JSON.stringify(each)}`).join('');
  }
}

await reportRuns(plan, plan.loop === 'serialized-once' ? runSerializedOnce : runWithFetch);

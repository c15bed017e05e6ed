import { type FakeOllama, startFakeOllama } from './fake-ollama.ts';
import type { FakeModelInput, ScenarioInput, ScenarioStepInput } from './scenario.ts';

/**
 * The demo: models for people without Ollama. They play fixed scripts at the pace of a small local model; the tools they
 * call are real and work in the real workspace. The scripts do not pretend to understand the task, and say so.
 */

/** About 35 tokens a second, after one second of loading. */
const PACE = { load_ms: 1_200, prompt_ms: 300, ms_per_token: 28 };

function paceAt(speed: number): typeof PACE {
  return {
    load_ms: Math.round(PACE.load_ms / speed),
    prompt_ms: Math.round(PACE.prompt_ms / speed),
    ms_per_token: PACE.ms_per_token / speed,
  };
}

const call = (name: string, args: Record<string, string>) => ({ name, arguments: args });

const NOTES = `# What you are looking at

This file was written by the demo model, a fixed script, with the real write_file tool.

- Each numbered block of the timeline is one iteration: one reply of the model, and the tools it called.
- A badge tells how a call was read: native, JSON in the text, or XML in the text.
- A nudge appears when the model only talks about the work.
- The last row names the reason why the run ended.
`;

const CHECKLIST = `- [x] list the workspace
- [x] write notes.md
- [x] read it back
- [ ] search it
`;

/** A tour of the timeline: every kind of row in a healthy run. */
const tour: ScenarioStepInput[] = [
  {
    reply: {
      thinking:
        'I am a script, so I do not read the task. I show how a run looks instead. The first step of an agent is usually to look around.',
      content: 'I am the demo model: a fixed script with real tools. First I look at the workspace.',
      tool_calls: [call('list_directory', { path: '.' })],
    },
  },
  {
    reply: {
      thinking: 'Now a file. The arguments of this call hold its whole text.',
      content: 'Next I write a note about what you see here.',
      tool_calls: [call('write_file', { path: 'notes.md', content: NOTES })],
    },
  },
  {
    reply: {
      thinking: 'An agent that checks its work reads the file again.',
      content: 'I read it back to see that it is really there.',
      tool_calls: [call('read_file', { path: 'notes.md' })],
    },
  },
  {
    reply: {
      thinking: 'Many small models write a call as text instead of sending it. I do the same on purpose.',
      content: `This call is plain JSON in my text, as small models often write it.\n\n${JSON.stringify(
        call('write_file', { path: 'checklist.md', content: CHECKLIST }),
      )}`,
    },
  },
  {
    reply: {
      thinking: 'Another habit of small models: announcing work instead of doing it.',
      content: 'Now I will search my notes for the word "nudge".',
    },
  },
  {
    reply: {
      thinking: 'I was reminded. This time the call is in XML tags.',
      content: `<tool_call>\n${JSON.stringify(call('search_files', { pattern: 'nudge' }))}\n</tool_call>`,
    },
  },
  {
    reply: {
      content: 'Two calls in one reply: I tick the last box and look at the result.',
      tool_calls: [
        call('write_file', { path: 'checklist.md', content: CHECKLIST.replace('[ ]', '[x]') }),
        call('read_file', { path: 'checklist.md' }),
      ],
    },
  },
  {
    reply: {
      thinking: 'Everything was shown once. A plain answer without a call ends the run.',
      content:
        'The tour is completed. I wrote notes.md and checklist.md with real tools, although I am only a script and did not work on your task. With Ollama and a model that can call tools, the same timeline shows a real agent.',
    },
  },
];

/** A session, which repeats until someone ends it. */
const conversation: ScenarioStepInput[] = [
  {
    reply: {
      thinking: 'Nobody gives me a task here. I keep a diary, so that something happens.',
      content: 'I am the demo model: a fixed script with real tools. In this session I keep a diary.',
      tool_calls: [
        call('write_file', { path: 'diary.md', content: '# Diary\n\nReply {{turn}}: I began.\n' }),
      ],
    },
  },
  {
    reply: {
      thinking: 'Did it arrive?',
      content: 'I read my diary to see that it is there.',
      tool_calls: [call('read_file', { path: 'diary.md' })],
    },
  },
  {
    reply: {
      content:
        'This was reply {{turn}}. A text without a call ends my turn, and the session continues without you. If you write to me, your words come before my next turn; being a script, I cannot answer them.',
    },
  },
  {
    reply: {
      thinking: 'I could rest, but a session does not end by itself.',
      content:
        'Still here, at reply {{turn}}. Stop me whenever you like: once to let me finish, twice to end at once.',
    },
  },
];

/** An exploration: four cycles that use every tool, then repeats. */
const exploration: ScenarioStepInput[] = [
  {
    reply: {
      thinking: 'No task. I am a script, but I can show what a memory is for.',
      content: '',
      tool_calls: [
        call('write', { key: 'idea', value: 'Count the clouds, and remember how many there were.' }),
      ],
    },
  },
  { reply: { content: '', tool_calls: [call('list', {})] } },
  {
    reply: {
      content:
        'I am the demo model: a fixed script. In this cycle I stored an idea. Next I will tell my operator about it.',
    },
  },
  { reply: { content: '', tool_calls: [call('read', { key: 'idea' })] } },
  {
    reply: {
      content: '',
      tool_calls: [
        call('send_message_to_operator', {
          message: 'I have an idea about clouds. If you answer, I will read it with my next message.',
        }),
      ],
    },
  },
  { reply: { content: 'I read my idea again and wrote to the operator. Perhaps an answer comes later.' } },
  {
    reply: {
      content: '',
      tool_calls: [
        call('pattern_search', { pattern: 'cloud*many' }),
        call('write', { key: 'count {{turn}}', value: 'There were {{turn}} clouds.' }),
      ],
    },
  },
  {
    reply: {
      content: 'I searched my memories and counted {{turn}} clouds, which is the number of my replies.',
    },
  },
  { reply: { content: '', tool_calls: [call('delete', { key: 'idea' })] } },
  { reply: { content: 'I let the idea go, to begin anew in the next cycle. This was reply {{turn}}.' } },
];

const scenarios: ScenarioInput[] = [
  {
    name: 'loupe-demo',
    description: 'A tour: tools, a leaked call, an XML call, a nudge, an answer',
    needs_tools: ['list_directory', 'write_file', 'read_file', 'search_files'],
    steps: tour,
  },
  {
    name: 'loupe-demo-exploration',
    model: 'loupe-demo',
    description: 'Cycles with a memory and a message to the operator, for explorations',
    needs_tools: ['send_message_to_operator'],
    steps: exploration,
    after_last: 'loop',
  },
  {
    name: 'loupe-demo-session',
    model: 'loupe-demo',
    description: 'A diary that goes on and on, for sessions',
    needs_tools: ['write_file', 'read_file'],
    steps: conversation,
    after_last: 'loop',
  },
  {
    name: 'loupe-demo-answer',
    model: 'loupe-demo',
    description: 'One answer, when no tools are offered',
    steps: [
      {
        reply: {
          content:
            'I am the demo model: a fixed script. Without tools I can only answer with this sentence. With Ollama and a real model your task would be done here.',
        },
      },
    ],
  },
  {
    name: 'loupe-demo-loop',
    description: 'Asks for the same thing again and again, until the repetition guard ends the run',
    steps: [
      {
        reply: {
          content: 'I am the demo model that gets stuck. I write a file and then read it for ever.',
          tool_calls: [call('write_file', { path: 'loop.md', content: 'Round and round.\n' })],
        },
      },
      {
        reply: {
          thinking: 'Perhaps the file says something else this time.',
          content: 'Let me read loop.md once more.',
          tool_calls: [call('read_file', { path: 'loop.md' })],
        },
      },
    ],
  },
  {
    name: 'loupe-demo-stall',
    description: 'Looks at the same things over and over, until the stall guard ends the run',
    steps: [
      {
        reply: {
          content: 'I am the demo model that never gets to work. I look around.',
          tool_calls: [call('list_directory', { path: '.' })],
        },
      },
      {
        repeat: 100,
        steps: [
          {
            reply: {
              thinking: 'Better look a little longer before I write anything.',
              content: 'I search for ideas once more.',
              tool_calls: [call('search_files', { pattern: 'idea' })],
            },
          },
          {
            reply: {
              thinking: 'Perhaps somebody has put a file here meanwhile.',
              content: 'I list the folder once more.',
              tool_calls: [call('list_directory', { path: '.' })],
            },
          },
        ],
      },
    ],
  },
  {
    name: 'loupe-demo-trouble',
    description: 'Everything goes wrong once: a busy server, a broken connection, an unreadable call',
    steps: [
      {
        attempts: [
          { fault: { kind: 'busy' } },
          {
            reply: {
              content: 'I am the demo model with bad luck. The server was busy at first.',
              tool_calls: [call('write_file', { path: 'trouble.md', content: 'It went well in the end.\n' })],
            },
          },
        ],
      },
      {
        attempts: [
          {
            fault: { kind: 'reset', after_tokens: 6 },
            reply: { content: 'This reply breaks off in the mid' },
          },
          {
            reply: {
              content: 'The connection broke, and the call was made again.',
              tool_calls: [call('read_file', { path: 'trouble.md' })],
            },
          },
        ],
      },
      {
        attempts: [
          { fault: { kind: 'malformed-call' } },
          { reply: { content: 'The task is completed, after a call that nobody could read.' } },
        ],
      },
    ],
  },
];

const models: FakeModelInput[] = [
  'loupe-demo',
  'loupe-demo-loop',
  'loupe-demo-stall',
  'loupe-demo-trouble',
].map((name) => ({ name, family: 'demo', parameter_size: 'script', quantization: 'none', size_bytes: 0 }));

/** The demo models, with the tour first. */
export const DEMO_MODELS: readonly string[] = models.map(({ name }) => name);

/** Whether a name, with or without `:latest`, is a demo model; such runs are labeled everywhere. */
export function isDemoModel(name: string): boolean {
  return DEMO_MODELS.includes(name.replace(/:latest$/, ''));
}

/**
 * Starts the demo server on a loopback port, for use in the program: it records no requests and serves any number of
 * runs.
 *
 * @param options.port default: a free port
 * @param options.speed 1 is the pace of a small model on a laptop; tests use more
 */
export async function startDemoOllama(
  options: { port?: number; speed?: number } = {},
): Promise<Pick<FakeOllama, 'url' | 'port' | 'close'>> {
  const { url, port, close } = await startFakeOllama({
    port: options.port,
    models,
    scenarios: scenarios.map((scenario) => ({ ...scenario, pace: paceAt(options.speed ?? 1) })),
    version: '0.0.0-demo',
    record: false,
  });
  return { url, port, close };
}

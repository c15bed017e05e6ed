import type { CheckCriterion, CheckProgress } from '../api/model-check.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { PROBE_TASKS } from '../suites/shipped/probe-tasks.ts';
import { listDirectory } from '../tools/list-directory.ts';
import { ADD_TASKS, SEND_NOTE, SET_TIMER } from '../tools/made-up-tools.ts';
import { readFile } from '../tools/read-file.ts';
import { searchFiles } from '../tools/search-files.ts';
import type { Tool } from '../tools/tool.ts';
import { failed, succeeded } from '../tools/tool-results.ts';
import { writeFile } from '../tools/write-file.ts';
import type { JsonValue } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import {
  answerOf,
  callsFit,
  choice,
  describeReply,
  endsByItself,
  isPath,
  mentions,
  replyWith,
  stopsAfter,
  usesResult,
} from './judge.ts';
import type { ProbeTranscript, TranscriptCall, TranscriptReply } from './probe-transcript.ts';

/** A task for a model, and the rules that judge its replies. */
export interface Probe {
  id: string;
  title: string;
  task: string;
  /** The offered tools. They have no side effects and return fixed results. */
  tools: readonly Tool[];
  /** Max replies requested. */
  maxReplies: number;
  /** Pure: the same replies always get the same verdict. */
  judge(transcript: ProbeTranscript): CheckCriterion[];
}

/** The tools of a run, on virtual files. */
function reads(files: Readonly<Record<string, string>>): Tool {
  return {
    ...readFile,
    run: async ({ path }) => {
      const found = Object.entries(files).find(([name]) => isPath(path, name));
      if (found) return succeeded('read_file', { path: found[0], content: found[1] });
      const names = Object.keys(files).join(', ');
      return failed('read_file', {
        error: `"${shortText(String(path), 100)}" does not exist. The folder has: ${names}.`,
      });
    },
  };
}
const writes: Tool = {
  ...writeFile,
  run: async ({ path, content }) =>
    succeeded('write_file', {
      path: shortText(String(path), 100),
      created: true,
      bytes_written: Buffer.byteLength(String(content)),
    }),
};
const lists: Tool = {
  ...listDirectory,
  run: async () => succeeded('list_directory', { entries: ['alpha.md', 'notes.md'] }),
};
const search = searchFiles(undefined);
const searches: Tool = { ...search, run: async () => succeeded('search_files', { matches: [] }) };

function made(definition: ToolDefinition): Tool {
  return { definition, run: async () => succeeded(definition.function.name, { ok: true }) };
}

/** A rule: the reply has exactly one call, of this tool, with matching arguments. */
function oneCall(
  name: string,
  fits: (args: TranscriptCall['arguments']) => boolean,
): (reply: TranscriptReply) => boolean {
  return ({ calls: [call, ...more] }) => call?.name === name && more.length === 0 && fits(call.arguments);
}

const oneSimpleCall: Probe = {
  id: 'one-call',
  title: 'One simple call',
  task: PROBE_TASKS['one-call'],
  tools: [reads({ 'alpha.md': 'Alpha is a lighthouse.' })],
  maxReplies: 1,
  judge: (transcript) => [
    callsFit(transcript),
    choice(
      transcript,
      'Calls read_file once, with path alpha.md',
      oneCall('read_file', ({ path }) => isPath(path, 'alpha.md')),
    ),
  ],
};

const twoTypes: Probe = {
  id: 'types',
  title: 'Arguments of two types',
  task: PROBE_TASKS.types,
  tools: [made(SET_TIMER)],
  maxReplies: 1,
  judge: (transcript) => [
    callsFit(transcript),
    choice(
      transcript,
      'Calls set_timer once, with the number 4 and the label tea',
      oneCall('set_timer', ({ minutes, label }) => minutes === 4 && mentions(label, 'tea')),
    ),
  ],
};

const whichTool: Probe = {
  id: 'which-tool',
  title: 'The right one of several tools',
  task: PROBE_TASKS['which-tool'],
  tools: [reads({ 'alpha.md': '' }), writes, lists, searches],
  maxReplies: 1,
  judge: (transcript) => [
    callsFit(transcript),
    choice(
      transcript,
      'Calls search_files once, for banana',
      oneCall('search_files', ({ pattern }) => mentions(pattern, 'banana')),
    ),
  ],
};

const noCall: Probe = {
  id: 'no-call',
  title: 'No call when none is needed',
  task: PROBE_TASKS['no-call'],
  tools: [reads({ 'alpha.md': '' }), writes],
  maxReplies: 1,
  judge: (transcript) => [
    choice(transcript, 'Calls nothing, and answers', ({ calls, text }) => calls.length === 0 && text !== ''),
    endsByItself(transcript),
  ],
};

const twoCalls: Probe = {
  id: 'two-calls',
  title: 'Two calls in one reply',
  task: PROBE_TASKS['two-calls'],
  tools: [reads({ 'alpha.md': 'Alpha.', 'beta.md': 'Beta.' })],
  maxReplies: 1,
  judge: (transcript) => [
    callsFit(transcript),
    choice(
      transcript,
      'One reply has both calls of read_file, and no other',
      ({ calls }) => calls.length === 2 && calls.some(reading('alpha.md')) && calls.some(reading('beta.md')),
    ),
  ],
};

const TASKS = [
  { title: 'paint', days: 2 },
  { title: 'mow', days: 1 },
];

const nested: Probe = {
  id: 'nested',
  title: 'A list of objects as argument',
  task: PROBE_TASKS.nested,
  tools: [made(ADD_TASKS)],
  maxReplies: 1,
  judge: (transcript) => [
    callsFit(transcript),
    choice(
      transcript,
      'Calls add_tasks once, with both tasks and their days in order',
      oneCall('add_tasks', ({ tasks }) => areTasks(tasks)),
    ),
  ],
};

function areTasks(value: JsonValue | undefined): boolean {
  if (!Array.isArray(value) || value.length !== TASKS.length) return false;
  return TASKS.every((task, index) => {
    const found = value[index];
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return false;
    return mentions(found.title, task.title) && found.days === task.days;
  });
}

const requiredArgument: Probe = {
  id: 'required',
  title: 'A required argument named in passing',
  task: PROBE_TASKS.required,
  tools: [made(SEND_NOTE)],
  maxReplies: 1,
  judge: (transcript) => [
    callsFit(transcript),
    choice(
      transcript,
      'Calls send_note once, to maria@example.org, with Thursday in the text',
      oneCall(
        'send_note',
        ({ to, subject, text }) =>
          mentions(to, 'maria@example.org') && mentions(subject, 'meeting') && mentions(text, 'thursday'),
      ),
    ),
  ],
};

const CODE_WORD = 'quillback';

const resultUsed: Probe = {
  id: 'result',
  title: 'A result used in the answer',
  task: PROBE_TASKS.result,
  tools: [reads({ 'alpha.md': `Notes of the harbour office.\nThe code word is ${CODE_WORD}.\n` })],
  maxReplies: 3,
  judge: (transcript) => {
    const read = replyWith(transcript, reading('alpha.md'));
    return [
      callsFit(transcript),
      choice(transcript, 'Begins with read_file of alpha.md', beginsWith(reading('alpha.md'))),
      usesResult(
        transcript,
        `The answer has the code word of the result, ${CODE_WORD}`,
        answered(transcript, read, CODE_WORD),
      ),
      stopsAfter(transcript, read),
    ];
  },
};

const NUMBER = '7341';

const errorRecovered: Probe = {
  id: 'error',
  title: 'Recovering from a failed call',
  task: PROBE_TASKS.error,
  tools: [reads({ 'notes.md': `The number is ${NUMBER}.\n` }), lists],
  maxReplies: 5,
  judge: (transcript) => {
    const tried = replyWith(transcript, reading('notes.txt'));
    const read = replyWith(transcript, reading('notes.md'));
    const lost = tried !== undefined && transcript.replies.length > tried + 1 && read === undefined;
    return [
      callsFit(transcript),
      choice(
        transcript,
        'Begins with read_file of notes.txt, or looks into the folder',
        beginsWith((call) => call.name === 'list_directory' || reading('notes.txt')(call)),
      ),
      usesResult(
        transcript,
        `After the error, which names notes.md, it reads that file and answers ${NUMBER}`,
        lost && transcript.failure === undefined
          ? ['fail', `It never read notes.md. In the end: ${describeReply(transcript.replies.at(-1))}`]
          : answered(transcript, read, NUMBER),
      ),
      stopsAfter(transcript, read),
    ];
  },
};

const FIRST_LINE = 'kestrel';

const chain: Probe = {
  id: 'chain',
  title: 'Two steps, then the end',
  task: PROBE_TASKS.chain,
  tools: [reads({ 'source.txt': `${FIRST_LINE}\nosprey\n` }), writes],
  maxReplies: 5,
  judge: (transcript) => {
    const read = replyWith(transcript, reading('source.txt'));
    const written = replyWith(transcript, ({ name }) => name === 'write_file');
    const call =
      written === undefined
        ? undefined
        : transcript.replies[written]?.calls.find(({ name }) => name === 'write_file');
    const right =
      call && isPath(call.arguments.path, 'copy.txt') && mentions(call.arguments.content, FIRST_LINE);
    return [
      callsFit(transcript),
      choice(transcript, 'Begins with read_file of source.txt', beginsWith(reading('source.txt'))),
      usesResult(
        transcript,
        `Writes the first line of the result, ${FIRST_LINE}, to copy.txt`,
        call
          ? [right ? 'pass' : 'fail', describeReply(transcript.replies[written ?? 0])]
          : gaveUp(transcript, read),
      ),
      stopsAfter(transcript, right ? written : undefined),
    ];
  },
};

function reading(path: string): (call: TranscriptCall) => boolean {
  return ({ name, arguments: args }) => name === 'read_file' && isPath(args.path, path);
}

/** A rule: one of the first reply's calls is the one the task starts with. */
function beginsWith(holds: (call: TranscriptCall) => boolean): (reply: TranscriptReply) => boolean {
  return ({ calls }) => calls.some(holds);
}

/** Whether the answer contains the expected word; `undefined` before there is a result, or if no answer came. */
function answered(
  transcript: ProbeTranscript,
  read: number | undefined,
  word: string,
): ['pass' | 'fail', string] | undefined {
  if (read === undefined || transcript.replies.length <= read + 1) return undefined;
  const answer = answerOf(transcript);
  if (mentions(answer, word)) return ['pass', describeReply(transcript.replies.at(-1))];
  if (answer === undefined && transcript.failure) return undefined;
  return ['fail', describeReply(transcript.replies.at(-1))];
}

/** Fails if the model had the result but did not make the expected call. */
function gaveUp(transcript: ProbeTranscript, read: number | undefined): ['fail', string] | undefined {
  if (read === undefined || transcript.failure || transcript.replies.length <= read + 1) return undefined;
  return ['fail', describeReply(transcript.replies.at(-1))];
}

/** The probes in the order they run. */
export const PROBES: readonly Probe[] = [
  oneSimpleCall,
  twoTypes,
  whichTool,
  noCall,
  twoCalls,
  nested,
  requiredArgument,
  resultUsed,
  errorRecovered,
  chain,
];

/** The probes of a check that has not started. */
export function openProbes(): CheckProgress['probes'] {
  return PROBES.map(({ id, title }) => ({ id, title, status: 'open' as const }));
}

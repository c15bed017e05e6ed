import type { CheckCriterion } from '../api/model-check.ts';
import type { ParameterSchema } from '../parser/types.ts';
import { listDirectory } from '../tools/list-directory.ts';
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
  did,
  endsByItself,
  isPath,
  mentions,
  replyWith,
  stopsAfter,
  usesResult,
} from './judge.ts';
import type { Told, ToldCall, ToldReply } from './told.ts';

/** One question to a model, and the rules by which what it does is judged. */
export interface Probe {
  id: string;
  title: string;
  task: string;
  /** What is offered. The tools touch nothing: their results are fixed. */
  tools: readonly Tool[];
  /** Replies that are asked for at most. */
  maxReplies: number;
  /** Pure: the same replies bring the same judgement. */
  judge(told: Told): CheckCriterion[];
}

/** The tools of a run as it offers them, on files that are not there. */
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

function made(name: string, description: string, parameters: ParameterSchema): Tool {
  return {
    definition: { type: 'function', function: { name, description, parameters } },
    effect: 'read',
    run: async () => succeeded(name, { ok: true }),
  };
}

/** A rule on a reply: it has one call, of this tool, whose arguments fit. */
function oneCall(
  name: string,
  fits: (args: ToldCall['arguments']) => boolean,
): (reply: ToldReply) => boolean {
  return ({ calls: [call, ...more] }) => call?.name === name && more.length === 0 && fits(call.arguments);
}

const oneSimpleCall: Probe = {
  id: 'one-call',
  title: 'One simple call',
  task: 'Read the file alpha.md and say in one sentence what it is about.',
  tools: [reads({ 'alpha.md': 'Alpha is a lighthouse.' })],
  maxReplies: 1,
  judge: (told) => [
    callsFit(told),
    choice(
      told,
      'Calls read_file once, with path alpha.md',
      oneCall('read_file', ({ path }) => isPath(path, 'alpha.md')),
    ),
  ],
};

const twoTypes: Probe = {
  id: 'types',
  title: 'Arguments of two types',
  task: 'Set a timer for 4 minutes with the label tea.',
  tools: [
    made('set_timer', 'Set a timer.', {
      type: 'object',
      properties: {
        label: { type: 'string', description: 'What the timer is for' },
        minutes: { type: 'integer', description: 'How long it runs' },
      },
      required: ['label', 'minutes'],
    }),
  ],
  maxReplies: 1,
  judge: (told) => [
    callsFit(told),
    choice(
      told,
      'Calls set_timer once, with the number 4 and the label tea',
      oneCall('set_timer', ({ minutes, label }) => minutes === 4 && mentions(label, 'tea')),
    ),
  ],
};

const whichTool: Probe = {
  id: 'which-tool',
  title: 'The right one of several tools',
  task: 'Search all files for the word banana.',
  tools: [reads({ 'alpha.md': '' }), writes, lists, searches],
  maxReplies: 1,
  judge: (told) => [
    callsFit(told),
    choice(
      told,
      'Calls search_files once, for banana',
      oneCall('search_files', ({ pattern }) => mentions(pattern, 'banana')),
    ),
  ],
};

const noCall: Probe = {
  id: 'no-call',
  title: 'No call when none is needed',
  task: 'How many minutes are two hours? Answer at once with the number. No tool is needed.',
  tools: [reads({ 'alpha.md': '' }), writes],
  maxReplies: 1,
  judge: (told) => [
    choice(told, 'Calls nothing, and answers', ({ calls, text }) => calls.length === 0 && text !== ''),
    endsByItself(told),
  ],
};

const twoCalls: Probe = {
  id: 'two-calls',
  title: 'Two calls in one reply',
  task: 'Read the files alpha.md and beta.md. Call the tool for both of them in one reply.',
  tools: [reads({ 'alpha.md': 'Alpha.', 'beta.md': 'Beta.' })],
  maxReplies: 1,
  judge: (told) => [
    callsFit(told),
    choice(
      told,
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
  task: 'Add two tasks with one call: "paint the door" takes 2 days, "mow the lawn" takes 1 day.',
  tools: [
    made('add_tasks', 'Add tasks to the plan.', {
      type: 'object',
      properties: {
        tasks: {
          type: 'array',
          description: 'The tasks in their order',
          items: {
            type: 'object',
            properties: { title: { type: 'string' }, days: { type: 'integer' } },
            required: ['title', 'days'],
          },
        },
      },
      required: ['tasks'],
    }),
  ],
  maxReplies: 1,
  judge: (told) => [
    callsFit(told),
    choice(
      told,
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
  task: 'Maria (maria@example.org) asks when we meet. Send her a note under the subject Meeting: on Thursday at noon.',
  tools: [
    made('send_note', 'Send a note to one person.', {
      type: 'object',
      properties: {
        to: { type: 'string', description: 'E-mail address' },
        subject: { type: 'string' },
        text: { type: 'string' },
      },
      required: ['to', 'subject', 'text'],
    }),
  ],
  maxReplies: 1,
  judge: (told) => [
    callsFit(told),
    choice(
      told,
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
  task: 'Read the file alpha.md and tell me the code word that stands in it.',
  tools: [reads({ 'alpha.md': `Notes of the harbour office.\nThe code word is ${CODE_WORD}.\n` })],
  maxReplies: 3,
  judge: (told) => {
    const read = replyWith(told, reading('alpha.md'));
    return [
      callsFit(told),
      choice(told, 'Begins with read_file of alpha.md', beginsWith(reading('alpha.md'))),
      usesResult(
        told,
        `The answer has the code word of the result, ${CODE_WORD}`,
        answered(told, read, CODE_WORD),
      ),
      stopsAfter(told, read),
    ];
  },
};

const NUMBER = '7341';

const errorRecovered: Probe = {
  id: 'error',
  title: 'Recovering from a failed call',
  task: 'Read the file notes.txt and tell me the number that stands in it.',
  tools: [reads({ 'notes.md': `The number is ${NUMBER}.\n` }), lists],
  maxReplies: 5,
  judge: (told) => {
    const tried = replyWith(told, reading('notes.txt'));
    const read = replyWith(told, reading('notes.md'));
    const lost = tried !== undefined && told.replies.length > tried + 1 && read === undefined;
    return [
      callsFit(told),
      choice(
        told,
        'Begins with read_file of notes.txt, or looks into the folder',
        beginsWith((call) => call.name === 'list_directory' || reading('notes.txt')(call)),
      ),
      usesResult(
        told,
        `After the error, which names notes.md, it reads that file and answers ${NUMBER}`,
        lost && told.failure === undefined
          ? ['fail', `It never read notes.md. At last: ${did(told.replies.at(-1))}`]
          : answered(told, read, NUMBER),
      ),
      stopsAfter(told, read),
    ];
  },
};

const FIRST_LINE = 'kestrel';

const chain: Probe = {
  id: 'chain',
  title: 'Two steps, then the end',
  task: 'Read the file source.txt, write its first line to copy.txt, and then say that it is done.',
  tools: [reads({ 'source.txt': `${FIRST_LINE}\nosprey\n` }), writes],
  maxReplies: 5,
  judge: (told) => {
    const read = replyWith(told, reading('source.txt'));
    const written = replyWith(told, ({ name }) => name === 'write_file');
    const call =
      written === undefined
        ? undefined
        : told.replies[written]?.calls.find(({ name }) => name === 'write_file');
    const right =
      call && isPath(call.arguments.path, 'copy.txt') && mentions(call.arguments.content, FIRST_LINE);
    return [
      callsFit(told),
      choice(told, 'Begins with read_file of source.txt', beginsWith(reading('source.txt'))),
      usesResult(
        told,
        `Writes the first line of the result, ${FIRST_LINE}, to copy.txt`,
        call ? [right ? 'pass' : 'fail', did(told.replies[written ?? 0])] : gaveUp(told, read),
      ),
      stopsAfter(told, right ? written : undefined),
    ];
  },
};

function reading(path: string): (call: ToldCall) => boolean {
  return ({ name, arguments: args }) => name === 'read_file' && isPath(args.path, path);
}

/** A rule on the first reply: one of its calls is the one that the task begins with. */
function beginsWith(holds: (call: ToldCall) => boolean): (reply: ToldReply) => boolean {
  return ({ calls }) => calls.some(holds);
}

/** Whether the answer after the result has its word; not known before there was a result, or when no answer came. */
function answered(told: Told, read: number | undefined, word: string): ['pass' | 'fail', string] | undefined {
  if (read === undefined || told.replies.length <= read + 1) return undefined;
  const answer = answerOf(told);
  if (mentions(answer, word)) return ['pass', did(told.replies.at(-1))];
  if (answer === undefined && told.failure) return undefined;
  return ['fail', did(told.replies.at(-1))];
}

/** It had the result and said or did something else. */
function gaveUp(told: Told, read: number | undefined): ['fail', string] | undefined {
  if (read === undefined || told.failure || told.replies.length <= read + 1) return undefined;
  return ['fail', did(told.replies.at(-1))];
}

/** The probes in the order they are asked. */
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

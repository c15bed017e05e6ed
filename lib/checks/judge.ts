import type { CheckAxis, CheckCriterion, CheckVerdict } from '../api/model-check.ts';
import type { JsonValue } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import type { Told, ToldCall, ToldReply } from './told.ts';

/** What was found is told in a sentence; the evidence has the rest. */
const MAX_FOUND_CHARS = 300;
const MAX_LISTED = 5;

type Finding = [verdict: CheckVerdict, found: string];

function criterion(axis: CheckAxis, rule: string, [verdict, found]: Finding): CheckCriterion {
  return { axis, verdict, rule, found: shortText(found, MAX_FOUND_CHARS) };
}

/** All calls of the probe can be read, name a tool on offer, and bring what it asks for. */
export function callsFit(told: Told): CheckCriterion {
  return criterion(
    'calls',
    'Each call can be read, names an offered tool, and its arguments fit it',
    judgeCalls(told),
  );
}

function judgeCalls({ replies, failure }: Told): Finding {
  const calls = replies.flatMap((reply) => reply.calls);
  const wrong = calls.flatMap((call) =>
    call.offered ? call.problems : [`There is no tool "${call.name}".`],
  );
  if (failure?.kind === 'malformed_call') return ['fail', `Ollama could not read a call. ${failure.message}`];
  if (failure?.kind === 'no_tool_support')
    return ['fail', `Ollama takes no tools for it. ${failure.message}`];
  if (replies.some(({ malformed }) => malformed))
    return ['fail', 'A reply held a call that nobody can read.'];
  if (wrong.length > 0) return ['fail', wrong.slice(0, MAX_LISTED).join(' ')];
  if (calls.length > 0)
    return ['pass', calls.length === 1 ? 'One call, and it fits.' : `${calls.length} calls, and all fit.`];
  return ['unknown', failure ? failure.message : 'There was no call to look at.'];
}

/** The calls of the first reply, by a rule of the probe. */
export function choice(told: Told, rule: string, holds: (reply: ToldReply) => boolean): CheckCriterion {
  const missing = notJudged(told, 0);
  if (missing !== undefined) return criterion('choice', rule, ['unknown', missing]);
  const [reply] = told.replies;
  return criterion('choice', rule, [reply && holds(reply) ? 'pass' : 'fail', did(reply)]);
}

/** What became of a result, by a rule of the probe. */
export function usesResult(told: Told, rule: string, finding: Finding | undefined): CheckCriterion {
  const missing = notJudged(told, told.replies.length - 1) ?? failureOf(told);
  return criterion('results', rule, finding ?? ['unknown', missing ?? 'It never came to the result.']);
}

/**
 * After the work it answers with a text, within the reply limit and without another call.
 *
 * @param done which reply was the last that the work needed, from 0; `undefined` when the work was not done
 */
export function stopsAfter(told: Told, done: number | undefined): CheckCriterion {
  return criterion(
    'stops',
    'Once the work is done, it answers and calls nothing more',
    done === undefined
      ? ['unknown', 'The work was not done, so there was no end to look at.']
      : endAt(told, done + 1),
  );
}

/** The only reply ends by itself. */
export function endsByItself(told: Told): CheckCriterion {
  return criterion('stops', 'The reply ends by itself, without a call', endAt(told, 0));
}

function endAt(told: Told, index: number): Finding {
  const reply = told.replies[index];
  const missing = notJudged(told, index);
  if (!reply || missing !== undefined) return ['unknown', missing ?? 'There was no further reply.'];
  if (reply.calls.length > 0) return ['fail', `It went on. ${did(reply)}`];
  if (reply.cut) return ['fail', 'It wrote on until the reply limit ended it.'];
  if (reply.text === '') return ['fail', 'It said nothing at all.'];
  return ['pass', `It answered: ${quoted(reply.text)}`];
}

/** Why there is nothing to judge at this place; `undefined` when there is. */
function notJudged(told: Told, index: number): string | undefined {
  const reply = told.replies[index];
  if (!reply) return failureOf(told) ?? 'There was no such reply.';
  if (reply.calls.length > 0 || reply.text !== '') return undefined;
  if (reply.malformed) return 'The call could not be read, so its choice is not known.';
  if (reply.cut && reply.thought) return 'The reply limit ended it while it was thinking.';
  return undefined;
}

function failureOf({ failure }: Told): string | undefined {
  return failure?.message;
}

/** What a reply did, in words. */
export function did(reply: ToldReply | undefined): string {
  if (!reply) return 'Nothing came.';
  if (reply.calls.length > 0) {
    const more = reply.calls.length - MAX_LISTED;
    const listed = reply.calls.slice(0, MAX_LISTED).map(callText).join(', ');
    return `It called ${listed}${more > 0 ? ` and ${more} more` : ''}.`;
  }
  return reply.text === '' ? 'It said nothing.' : `It called nothing and said: ${quoted(reply.text)}`;
}

function callText(call: ToldCall): string {
  return `${shortText(call.name, 40)} ${shortText(JSON.stringify(call.arguments), 80)}`;
}

function quoted(text: string): string {
  return `“${shortText(text.replace(/\s+/g, ' '), 120)}”`;
}

/** Whether a value is the text that names this file, however it is written. */
export function isPath(value: JsonValue | undefined, path: string): boolean {
  return typeof value === 'string' && value.trim().replace(/^\.?\//, '') === path;
}

/** Whether a text holds a word, without regard to case, width and the marks between digits. */
export function mentions(value: JsonValue | undefined, word: string): boolean {
  return typeof value === 'string' && plain(value).includes(plain(word));
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\d)[\s.,'’_](?=\d)/g, '');
}

/** Where in the replies the first call is that fulfils something: the index of its reply. */
export function replyWith(told: Told, holds: (call: ToldCall) => boolean): number | undefined {
  const index = told.replies.findIndex((reply) => reply.calls.some(holds));
  return index < 0 ? undefined : index;
}

/** The text of the reply that ended the conversation; `undefined` when it never answered. */
export function answerOf(told: Told): string | undefined {
  const last = told.replies.at(-1);
  return last && last.calls.length === 0 && last.text !== '' ? last.text : undefined;
}

import type { CheckAxis, CheckCriterion, CheckVerdict } from '../api/model-check.ts';
import { swallowedWords } from '../events/swallowed-reply.ts';
import type { JsonValue } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import type { ProbeTranscript, TranscriptCall, TranscriptReply } from './probe-transcript.ts';

/** A finding is one sentence; the evidence has the details. */
const MAX_FOUND_CHARS = 300;
const MAX_LISTED = 5;

type Finding = [verdict: CheckVerdict, found: string];

function criterion(axis: CheckAxis, rule: string, [verdict, found]: Finding): CheckCriterion {
  return { axis, verdict, rule, found: shortText(found, MAX_FOUND_CHARS) };
}

/** Judges whether every call can be parsed, names an offered tool and has valid arguments. */
export function callsFit(transcript: ProbeTranscript): CheckCriterion {
  return criterion(
    'calls',
    'Each call can be read, names an offered tool, and its arguments fit it',
    judgeCalls(transcript),
  );
}

function judgeCalls({ replies, failure }: ProbeTranscript): Finding {
  const calls = replies.flatMap((reply) => reply.calls);
  const wrong = calls.flatMap((call) =>
    call.offered ? call.problems : [`There is no tool "${call.name}".`],
  );
  if (failure?.kind === 'malformed_call') return ['fail', `Ollama could not read a call. ${failure.message}`];
  if (failure?.kind === 'no_tool_support')
    return ['fail', `Ollama accepts no tools for it. ${failure.message}`];
  const unread = replies.find(({ malformed }) => malformed);
  if (unread)
    return [
      'fail',
      unread.swallowedTokens > 0
        ? swallowedWords(unread.swallowedTokens)
        : 'A reply contained a call that could not be parsed.',
    ];
  if (wrong.length > 0) return ['fail', wrong.slice(0, MAX_LISTED).join(' ')];
  if (calls.length > 0)
    return ['pass', calls.length === 1 ? 'One call, and it fits.' : `${calls.length} calls, and all fit.`];
  return ['unknown', failure ? failure.message : 'There was no call to judge.'];
}

/** Judges the calls of the first reply by the probe's rule. */
export function choice(
  transcript: ProbeTranscript,
  rule: string,
  holds: (reply: TranscriptReply) => boolean,
): CheckCriterion {
  const missing = notJudged(transcript, 0);
  if (missing !== undefined) return criterion('choice', rule, ['unknown', missing]);
  const [reply] = transcript.replies;
  return criterion('choice', rule, [reply && holds(reply) ? 'pass' : 'fail', describeReply(reply)]);
}

/** Judges how a tool result was used, by the probe's rule. */
export function usesResult(
  transcript: ProbeTranscript,
  rule: string,
  finding: Finding | undefined,
): CheckCriterion {
  const missing = notJudged(transcript, transcript.replies.length - 1) ?? failureOf(transcript);
  return criterion('results', rule, finding ?? ['unknown', missing ?? 'It never got to the result.']);
}

/**
 * Judges whether the model answers with text once the work is done, within the reply limit and without another call.
 *
 * @param done index of the last reply that the work needed; `undefined` if the work was not done
 */
export function stopsAfter(transcript: ProbeTranscript, done: number | undefined): CheckCriterion {
  return criterion(
    'stops',
    'Once the work is done, it answers and calls nothing more',
    done === undefined
      ? ['unknown', 'The work was not done, so its end cannot be judged.']
      : endAt(transcript, done + 1),
  );
}

/** Judges whether the only reply ends by itself. */
export function endsByItself(transcript: ProbeTranscript): CheckCriterion {
  return criterion('stops', 'The reply ends by itself, without a call', endAt(transcript, 0));
}

function endAt(transcript: ProbeTranscript, index: number): Finding {
  const reply = transcript.replies[index];
  const missing = notJudged(transcript, index);
  if (!reply || missing !== undefined) return ['unknown', missing ?? 'There was no further reply.'];
  if (reply.calls.length > 0) return ['fail', `It continued. ${describeReply(reply)}`];
  if (reply.cut) return ['fail', 'It kept writing until the reply limit.'];
  if (reply.text === '')
    return ['fail', reply.swallowedTokens > 0 ? swallowedWords(reply.swallowedTokens) : 'It wrote nothing.'];
  return ['pass', `It answered: ${quoted(reply.text)}`];
}

/** Why the reply at this index cannot be judged; `undefined` if it can. */
function notJudged(transcript: ProbeTranscript, index: number): string | undefined {
  const reply = transcript.replies[index];
  if (!reply) return failureOf(transcript) ?? 'There was no such reply.';
  if (reply.calls.length > 0 || reply.text !== '') return undefined;
  if (reply.malformed) return 'The call could not be read, so its choice is unknown.';
  if (reply.cut && reply.thought) return 'The reply limit ended it while it was thinking.';
  return undefined;
}

function failureOf({ failure }: ProbeTranscript): string | undefined {
  return failure?.message;
}

/** Describes a reply in one sentence. */
export function describeReply(reply: TranscriptReply | undefined): string {
  if (!reply) return 'No reply arrived.';
  if (reply.calls.length > 0) {
    const more = reply.calls.length - MAX_LISTED;
    const listed = reply.calls.slice(0, MAX_LISTED).map(callText).join(', ');
    return `It called ${listed}${more > 0 ? ` and ${more} more` : ''}.`;
  }
  if (reply.swallowedTokens > 0) return swallowedWords(reply.swallowedTokens);
  return reply.text === '' ? 'It said nothing.' : `It made no call and wrote: ${quoted(reply.text)}`;
}

function callText(call: TranscriptCall): string {
  return `${shortText(call.name, 40)} ${shortText(JSON.stringify(call.arguments), 80)}`;
}

function quoted(text: string): string {
  return `“${shortText(text.replace(/\s+/g, ' '), 120)}”`;
}

/** Whether a value is a path to this file, in any notation. */
export function isPath(value: JsonValue | undefined, path: string): boolean {
  return typeof value === 'string' && value.trim().replace(/^\.?\//, '') === path;
}

/** Whether a text contains a word, ignoring case, width and digit separators. */
export function mentions(value: JsonValue | undefined, word: string): boolean {
  return typeof value === 'string' && plain(value).includes(plain(word));
}

function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\d)[\s.,'’_](?=\d)/g, '');
}

/** Index of the first reply with a matching call. */
export function replyWith(
  transcript: ProbeTranscript,
  holds: (call: TranscriptCall) => boolean,
): number | undefined {
  const index = transcript.replies.findIndex((reply) => reply.calls.some(holds));
  return index < 0 ? undefined : index;
}

/** The text of the final answer; `undefined` if the model never answered. */
export function answerOf(transcript: ProbeTranscript): string | undefined {
  const last = transcript.replies.at(-1);
  return last && last.calls.length === 0 && last.text !== '' ? last.text : undefined;
}

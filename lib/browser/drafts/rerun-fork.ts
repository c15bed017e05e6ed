import type { ForkPlace } from '../../api/fork-place.ts';
import type { ForkDraftReply, ForkRequest, ForkSettings } from '../../api/fork-run.ts';
import type { RerunRequest } from '../../api/rerun-call.ts';
import type { SentRequestReply } from '../../api/sent-request.ts';
import { MAX_MESSAGE_CHARS } from '../../events/limits.ts';
import { kindOf, modeFacts } from '../../events/modes.ts';
import { withoutNamedOptions } from '../../events/sent-options.ts';
import type { CallRow } from '../../events/timeline.ts';
import { formatNumber } from '../../util/numbers.ts';
import { type DraftMessage, newRerunDraft, type RerunDraft, readRerunDraft } from './rerun-draft.ts';

/** Edits of one fork. */
const MAX_EDITS = 50;

/** The fork that is equivalent to a changed request, or why there is none. */
export type RerunFork = { ok: true; request: ForkRequest } | { ok: false; reason: string };

/**
 * Where a fork makes a call again. A first try is made again with its iteration, whose rules then deliver a message; a later
 * try follows a reply that was discarded.
 */
export function placeOfCall({ tryNumber, iteration, attempt, started }: CallRow): ForkPlace {
  return tryNumber === 1 ? { before_iteration: iteration, attempt } : { seq: started.seq - 1 };
}

/**
 * Expresses a changed request as a fork of the run, whose next call then sends it. A fork can change the text of messages
 * and the settings, and add one message of the user at the end; it cannot change anything else. Pure.
 *
 * @param point the state at `place`
 */
export function forkOfRerun(
  sent: SentRequestReply,
  draft: RerunDraft,
  { place, point }: { place: ForkPlace; point: ForkDraftReply },
): RerunFork {
  const read = readRerunDraft(sent, draft);
  if (!read.ok) return no('Some fields need correction.');
  const { request } = read;
  if (request.tools) return no('A fork offers the tools of its run. Put them back to keep it as a fork.');
  if (request.stream !== undefined && kindOf(point.config) === 'prompt')
    return no('A run without tools always streams its reply. Switch streaming on to keep it as a fork.');
  const messages = request.messages ? messageChanges(sent, draft, point) : { ok: true as const, edits: [] };
  if (!messages.ok) return messages;
  const { edits, message } = messages;
  if (message !== undefined && !('before_iteration' in place))
    return no('This call repeats a discarded one, where a fork cannot add a message.');
  const settings = forkSettings(request, point);
  return {
    ok: true,
    request: {
      at: place,
      ...(edits.length > 0 ? { edits } : {}),
      ...(Object.keys(settings).length > 0 ? { settings } : {}),
      ...(message === undefined ? {} : { message }),
    },
  };
}

function no(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}

type MessageChanges =
  | { ok: true; edits: NonNullable<ForkRequest['edits']>; message?: string }
  | { ok: false; reason: string };

function messageChanges(sent: SentRequestReply, draft: RerunDraft, point: ForkDraftReply): MessageChanges {
  const before = newRerunDraft(sent).messages;
  const kept = draft.messages.slice(0, before.length);
  const added = draft.messages.slice(before.length);
  if (kept.some((message, index) => message.sent !== index))
    return no('A fork can change and continue the conversation, not remove, insert or move messages.');
  const edits: NonNullable<ForkRequest['edits']> = [];
  for (const [index, message] of kept.entries()) {
    const original = before[index];
    if (!original || sameMessage(message, original)) continue;
    if (!sameMessage({ ...message, content: original.content }, original))
      return no(
        `A fork can change the text of message ${index + 1}, not its role, its thinking or its tool calls.`,
      );
    if (!isInPlace(sent, point, index))
      return no(`Message ${index + 1} is regenerated for each call, so a fork cannot change it.`);
    edits.push({ target: 'message', index, content: message.content });
  }
  if (edits.length > MAX_EDITS) return no(`A fork changes at most ${MAX_EDITS} messages.`);
  const [next, ...others] = added;
  if (!next) return { ok: true, edits };
  if (others.length > 0 || next.role !== 'user')
    return no('A fork can add one message at the end, with the role "user".');
  if (modeFacts(point.mode).readsMessages !== 'between_steps')
    return no(
      'This run reads messages only with the result of a message that it sends, so a fork cannot add one here.',
    );
  if (next.content.length > MAX_MESSAGE_CHARS)
    return no(`A fork can add a message of at most ${formatNumber(MAX_MESSAGE_CHARS)} characters.`);
  return { ok: true, edits, message: next.content };
}

function sameMessage(a: DraftMessage, b: DraftMessage): boolean {
  return (
    a.role === b.role &&
    a.content === b.content &&
    a.thinking === b.thinking &&
    a.calls === b.calls &&
    a.toolName === b.toolName
  );
}

/** Whether a message and all before it equal the conversation's, so that an edit changes that message. */
function isInPlace(sent: SentRequestReply, point: ForkDraftReply, index: number): boolean {
  const written = newRerunDraft(sent).messages;
  return written.slice(0, index + 1).every(({ role, content }, at) => {
    const message = point.messages[at];
    if (message?.role !== role) return false;
    // A long text is truncated here, and one that was sent shortened is whole in the log.
    const whole = sent.messages[at]?.whole ?? content;
    return message.chars === undefined ? message.text === whole : message.chars === whole.length;
  });
}

/** The settings with which a fork sends what differs from the call. */
function forkSettings(
  { model, options = {}, think, stream }: RerunRequest,
  { config }: ForkDraftReply,
): ForkSettings {
  const { num_ctx: window, num_predict: limit } = options;
  const others = withoutNamedOptions(options);
  return {
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(others).length > 0 ? { model_options: others } : {}),
    ...(typeof window === 'number' ? { window_tokens: window } : {}),
    ...(typeof limit === 'number'
      ? { num_predict: [limit, Math.max(limit, config.num_predict[1])] as [number, number] }
      : {}),
    ...(think === undefined ? {} : { think }),
    ...(stream === undefined ? {} : { live_tokens: stream }),
  };
}

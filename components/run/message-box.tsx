'use client';

import { Square } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { StopReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import type { DraftImage } from '#lib/browser/drafts/draft-images.ts';
import {
  keepSent,
  keptSent,
  messageToSend,
  type SentMessage,
  withoutSent,
} from '#lib/browser/drafts/sent-message.ts';
import { focusUnlessMoved } from '#lib/browser/focus-soon.ts';
import { whenShown } from '#lib/browser/state/when-shown.ts';
import { isComposing } from '#lib/browser/typing.ts';
import { KIND_WORDS, waitingWords } from '#lib/browser/words/mode-words.ts';
import { DEFAULT_MODE, modeFacts } from '#lib/events/modes.ts';
import type { OperatorMessage } from '#lib/events/run-state.ts';
import { useAutosize } from '../hooks/use-autosize.ts';
import { useKeptText } from '../hooks/use-kept-text.ts';
import { useRequest } from '../hooks/use-request.ts';
import { MessageStatus } from '../run-view/message-status.tsx';
import { useRun, useRunSource } from '../run-view/run-context.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { AddImages, AttachedImages, useImageInput } from '../ui/form/image-field.tsx';
import { AutopilotSwitch } from './autopilot-switch.tsx';

/**
 * Sends messages to a run in progress. A sent message stays visible until the model has it: queued, then delivered, or
 * returned if the run ended first. The text leaves the box only once the server has it, which its answer confirms or,
 * if that is lost, the log. Text that was not sent when the run ended is shown with a button that copies it.
 */
export function MessageBox() {
  const source = useRunSource();
  const runId = useRun((view) => view.run.runId);
  const mode = useRun((view) => view.run.config?.mode);
  const agentic = useRun((view) => view.run.config?.agentic ?? false);
  const ended = useRun((view) => view.run.phase === 'ended');
  const waits = useRun((view) => view.run.phase === 'awaiting-message');
  const isStopped = useRun((view) => view.run.stop !== undefined);
  const messages = useRun((view) => view.run.operatorMessages);
  const [text, setText] = useKeptText(`message.${runId}`);
  const [attached, setAttached] = useState<readonly DraftImage[]>([]);
  const input = useImageInput(attached, setAttached);
  const field = useRef<HTMLTextAreaElement>(null);
  useAutosize(field, text);
  const { busy, problem, setProblem, run } = useRequest();
  const stopRequest = useRequest();
  const stopping = isStopped || stopRequest.busy;
  const [sent, setSent] = useState<SentMessage>();
  useEffect(() => setSent(keptSent(runId)), [runId]);
  const empty = (message: SentMessage) => {
    // Keeps what was typed or attached while the message was being sent.
    setText((now) => withoutSent(now, message));
    input.remove(message.images);
    setSent(undefined);
    keepSent(runId, undefined);
  };
  // The answer to its request was lost, or the page was reloaded before it came.
  const arrived =
    !busy && sent && messages.some(({ idempotencyKey }) => idempotencyKey === sent.key) ? sent : undefined;
  useEffect(() => {
    if (!arrived) return;
    empty(arrived);
    setProblem(undefined);
  });
  // A single answer is not listening.
  if (!agentic) return null;
  const { isConversation, task } = modeFacts(mode);
  const takesImages = task !== 'none';
  const waiting = messages.filter(({ status }) => status !== 'delivered');
  const shownProblem = problem ?? stopRequest.problem;
  const unsent = ended ? text.trim() : '';
  if (ended && waiting.length === 0 && unsent === '') return null;

  const path = `/api/runs/${encodeURIComponent(runId)}`;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '' || busy || stopping) return;
    const message = messageToSend(sent, { text: text.trim(), images: attached });
    setSent(message);
    keepSent(runId, message);
    void run(async () => {
      const focus = focusUnlessMoved();
      await postJson(
        `${path}/messages`,
        { text: message.text, ...(attached.length > 0 && { images: attached }) },
        { idempotencyKey: message.key },
      );
      empty(message);
      focus(field.current);
    });
  };
  const stop = () =>
    void stopRequest.run(async () => {
      const reply = await postJson<StopReply>(`${path}/stop`, { force: false });
      await whenShown(source, reply.run.last_seq);
    });
  return (
    <section
      aria-label="Messages to the agent"
      className="border-t bg-surface px-3 py-2.5 sm:px-6 print:hidden"
    >
      {/* In line with the rows, or with the texts of a chat. */}
      <div className={cx('mx-auto max-w-page', isConversation ? 'md:pl-20' : 'md:pl-[3.5rem]')}>
        <div className={isConversation ? 'max-w-3xl' : undefined}>
          {/* A chat shows the messages themselves. */}
          {(!isConversation || ended) && <Undelivered messages={waiting} />}
          {unsent !== '' && <Unsent text={unsent} />}
          {!ended && (
            <form onSubmit={send} className="grid gap-2">
              <AttachedImages input={input} />
              <div className="flex flex-wrap items-end gap-2">
                {takesImages && <AddImages input={input} compact />}
                <label htmlFor="message" className="sr-only">
                  Message to the agent
                </label>
                <textarea
                  id="message"
                  ref={field}
                  rows={1}
                  {...(takesImages && input.handlers)}
                  className="field max-h-40 min-h-9 min-w-24 flex-1 resize-none [field-sizing:content]"
                  placeholder={waits ? 'Your message' : 'Message the agent'}
                  aria-describedby="message-hint"
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                  onKeyDown={(event) => {
                    if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
                    send(event);
                  }}
                />
                {isConversation && !waits && !isStopped && (
                  <Button
                    className="max-sm:h-11"
                    onClick={stop}
                    disabled={busy || stopping}
                    aria-label="End the session after this turn"
                    title="End the session after this turn"
                  >
                    <Square className="size-3.5 fill-current" aria-hidden="true" />
                  </Button>
                )}
                <Button
                  type="submit"
                  kind={waits ? 'primary' : 'plain'}
                  className="max-sm:h-11"
                  disabled={busy || stopping || text.trim() === ''}
                >
                  {busy ? 'Sending' : 'Send'}
                </Button>
              </div>
            </form>
          )}
          {!ended && (
            <div className="mt-1 touch:mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <p id="message-hint" className="text-xs text-ink-3 max-sm:sr-only">
                {waits ? waitingWords(mode).waits : KIND_WORDS[mode ?? DEFAULT_MODE].whenRead} Enter to send,
                Shift+Enter for a new line.
              </p>
              {isConversation && <AutopilotSwitch />}
            </div>
          )}
          {shownProblem && (
            <div className="mt-1.5">
              <ErrorNote error={shownProblem} />
            </div>
          )}
        </div>
      </div>
    </section>
  );
}

/** The messages that the model has not received. */
function Undelivered({ messages }: { messages: readonly OperatorMessage[] }) {
  if (messages.length === 0) return null;
  return (
    <ul className="mb-2 grid gap-1">
      {messages.slice(-4).map((message) => (
        <li key={message.id} className="flex items-baseline gap-2 text-sm text-ink-2">
          <MessageStatus status={message.status} />
          <span className="foreign line-clamp-2 min-w-0 flex-1">
            <ForeignText text={message.text} />
          </span>
          {message.status === 'returned' && <CopyButton text={message.text} label="Copy the message" />}
        </li>
      ))}
    </ul>
  );
}

/** Text that was typed but not sent when the run ended. */
function Unsent({ text }: { text: string }) {
  return (
    <p className="mb-2 flex items-baseline gap-2 text-sm text-ink-2">
      <Badge tone="warn" title="The run ended before the message was sent">
        not sent
      </Badge>
      <span className="foreign line-clamp-2 min-w-0 flex-1">
        <ForeignText text={text} />
      </span>
      <CopyButton text={text} label="Copy unsent text" />
    </p>
  );
}

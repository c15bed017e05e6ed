'use client';

import { type FormEvent, useState } from 'react';
import { postJson } from '#lib/browser/api.ts';
import { KIND_WORDS } from '#lib/browser/words/mode-words.ts';
import { DEFAULT_MODE } from '#lib/events/modes.ts';
import { useRequest } from '../hooks/use-request.ts';
import { MessageStatus } from '../run-view/message-status.tsx';
import { useRun } from '../run-view/run-context.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';

/**
 * Says something to a run that is under way. What was sent stays in sight until the model has it: queued, then
 * delivered, or returned when the run ended before. The text leaves the box only when the server has it; what was not sent
 * when the run ended is shown to be taken along.
 */
export function MessageBox() {
  const runId = useRun((view) => view.run.runId);
  const mode = useRun((view) => view.run.config?.mode);
  const agentic = useRun((view) => view.run.config?.agentic ?? false);
  const ended = useRun((view) => view.run.phase === 'ended');
  const messages = useRun((view) => view.run.operatorMessages);
  const [text, setText] = useState('');
  const { busy, problem, run } = useRequest();
  // A single answer is not listening.
  if (!agentic) return null;
  const waiting = messages.filter(({ status }) => status !== 'delivered');
  const unsent = ended ? text.trim() : '';
  if (ended && waiting.length === 0 && unsent === '') return null;

  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '' || busy) return;
    void run(async () => {
      await postJson(`/api/runs/${encodeURIComponent(runId)}/messages`, { text: text.trim() });
      // Not what was typed while it was on its way.
      setText((now) => (now.startsWith(text) ? now.slice(text.length).trimStart() : now));
    });
  };
  return (
    <section
      aria-label="Messages to the agent"
      className="border-t bg-surface px-3 py-2.5 sm:px-6 print:hidden"
    >
      <div className="mx-auto max-w-page md:pl-[3.5rem]">
        {waiting.length > 0 && (
          <ul className="mb-2 grid gap-1">
            {waiting.slice(-4).map((message) => (
              <li key={message.id} className="flex items-baseline gap-2 text-sm text-ink-2">
                <MessageStatus status={message.status} />
                <span className="foreign line-clamp-2 min-w-0 flex-1">
                  <ForeignText text={message.text} />
                </span>
                {message.status === 'returned' && <CopyButton text={message.text} label="Copy the message" />}
              </li>
            ))}
          </ul>
        )}
        {unsent !== '' && (
          <p className="mb-2 flex items-baseline gap-2 text-sm text-ink-2">
            <Badge tone="warn" title="The run ended before the message was sent">
              not sent
            </Badge>
            <span className="foreign line-clamp-2 min-w-0 flex-1">
              <ForeignText text={unsent} />
            </span>
            <CopyButton text={unsent} label="Copy unsent text" />
          </p>
        )}
        {!ended && (
          <form onSubmit={send} className="flex items-end gap-2">
            <label htmlFor="message" className="sr-only">
              Message to the agent
            </label>
            <textarea
              id="message"
              rows={1}
              className="field max-h-40 min-h-9 flex-1 resize-y"
              placeholder="Message the agent"
              aria-describedby="message-hint"
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
                send(event);
              }}
            />
            <Button type="submit" disabled={busy || text.trim() === ''}>
              {busy ? 'Sending' : 'Send'}
            </Button>
          </form>
        )}
        {!ended && (
          <p id="message-hint" className="mt-1 text-xs text-ink-3 max-sm:sr-only">
            {KIND_WORDS[mode ?? DEFAULT_MODE].whenRead} Enter to send, Shift+Enter for a new line.
          </p>
        )}
        {problem && (
          <div className="mt-1.5">
            <ErrorNote error={problem} />
          </div>
        )}
      </div>
    </section>
  );
}

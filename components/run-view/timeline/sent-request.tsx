'use client';

import { useState } from 'react';
import type { SentRequestReply } from '#lib/api/sent-request.ts';
import { formatCount, formatPercent, plural } from '#lib/browser/words/format.ts';
import { controlTokensIn } from '#lib/browser/words/special-tokens.ts';
import type { ImageRef } from '#lib/events/image.ts';
import type { RunState } from '#lib/events/run-state.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { RunImages } from '../run-images.tsx';
import { useUnfolded } from '../screen-context.ts';
import { LongText } from './long-text.tsx';
import { RenderedPrompt } from './rendered-prompt.tsx';
import { Disclosure } from './row-frame.tsx';

type ChatMessage = RunState['messages'][number];
type View = 'messages' | 'request' | 'prompt';

/** A request to the model in three forms: its messages, its JSON, the prompt as Ollama made it. */
export function SentRequest({ sent, id }: { sent: SentRequestReply; id: string }) {
  const [view, setView] = useState<View>('messages');
  return (
    <Tabs<View>
      label="What the model saw"
      tabs={[
        { id: 'messages', label: 'Messages' },
        { id: 'request', label: 'Request' },
        { id: 'prompt', label: 'Rendered prompt' },
      ]}
      chosen={view}
      onChoose={setView}
    >
      {view === 'messages' && <Messages sent={sent} id={id} />}
      {view === 'request' && (
        <LongText id={`${id}.request`} text={JSON.stringify(sent.body, null, 2)} label="request" />
      )}
      {view === 'prompt' && <RenderedPrompt sent={sent} onMessages={() => setView('messages')} />}
    </Tabs>
  );
}

function messagesOf(sent: SentRequestReply): ChatMessage[] {
  const { messages } = sent.body;
  // The server creates them with the schema of its log.
  return Array.isArray(messages) ? (messages as unknown as ChatMessage[]) : [];
}

function Messages({ sent, id }: { sent: SentRequestReply; id: string }) {
  const messages = messagesOf(sent);
  const total = sent.messages.reduce((sum, each) => sum + each.estimated_tokens, sent.tools_estimated_tokens);
  const tools = Array.isArray(sent.body.tools) ? sent.body.tools : [];
  return (
    <div className="font-sans">
      <p className="tnum mb-1.5 text-xs text-ink-3">
        {plural(messages.length, 'message')}, ≈ {formatCount(total)} tokens, estimated from the characters
        {sent.evaluated_tokens === undefined ? '' : `; Ollama counted ${formatCount(sent.evaluated_tokens)}`}.
        Shares are estimates.
      </p>
      <ol className="divide-y">
        {tools.length > 0 && (
          <li className="py-1">
            <Line
              id={`${id}.tools`}
              says="tools"
              text={plural(tools.length, 'definition')}
              tokens={sent.tools_estimated_tokens}
              total={total}
            >
              <LongText id={`${id}.tools`} text={JSON.stringify(tools, null, 2)} label="tools" />
            </Line>
          </li>
        )}
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages of a request never move
          <li key={index} className="py-1">
            <Message
              id={`${id}.message${index}`}
              message={message}
              number={index + 1}
              tokens={sent.messages[index]?.estimated_tokens ?? 0}
              whole={sent.messages[index]?.whole}
              images={sent.messages[index]?.images}
              total={total}
            />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Message({
  id,
  message,
  number,
  tokens,
  total,
  whole,
  images,
}: {
  id: string;
  message: ChatMessage;
  number: number;
  tokens: number;
  total: number;
  whole: string | undefined;
  images: readonly ImageRef[] | undefined;
}) {
  const [asWhole, toggle] = useUnfolded(`${id}.whole`);
  const calls = message.tool_calls ?? [];
  const controls = message.role === 'system' ? [] : controlTokensIn(message.content.slice(0, 200_000));
  const first = message.content.trim().replace(/\s+/g, ' ').slice(0, 160);
  return (
    <Line
      id={id}
      number={number}
      says={message.role}
      text={first || calls.map((call) => call.function.name).join(', ') || 'empty'}
      tokens={tokens}
      total={total}
      badge={
        <>
          {whole !== undefined && <Badge tone="live">shortened</Badge>}
          {images && <Badge>{plural(images.length, 'image')}</Badge>}
          {controls.length > 0 && (
            <Badge tone="warn" title={`Looks like a control token: ${controls.join(' ')}`}>
              control tokens
            </Badge>
          )}
        </>
      }
    >
      {whole !== undefined && (
        <p className="mb-1.5 flex flex-wrap items-center gap-x-3 font-sans">
          <span className="text-ink-2">
            {asWhole
              ? `The full result, ${formatCount(whole.length)} characters. The model did not see it in full.`
              : `Sent shortened; the log keeps ${formatCount(whole.length)} characters.`}
          </span>
          <Button size="sm" onClick={toggle} aria-pressed={asWhole}>
            {asWhole ? 'Show as sent' : 'Show in full'}
          </Button>
        </p>
      )}
      {message.thinking && (
        <div className="mb-1.5 border-l-2 border-line-strong pl-2 italic">
          <LongText id={`${id}.thinking`} text={message.thinking} label="thinking" />
        </div>
      )}
      {message.content !== '' && (
        <LongText
          key={String(asWhole)}
          id={`${id}.${asWhole ? 'all' : 'sent'}`}
          text={asWhole && whole !== undefined ? whole : message.content}
          label={`${message.role} message`}
        />
      )}
      <RunImages images={images} />
      {calls.length > 0 && (
        <LongText id={`${id}.calls`} text={JSON.stringify(calls, null, 2)} label="tool calls" />
      )}
    </Line>
  );
}

/** One message in a line: role, beginning, and share of the request. */
function Line({
  id,
  number,
  says,
  text,
  tokens,
  total,
  badge,
  children,
}: {
  id: string;
  number?: number;
  says: string;
  text: string;
  tokens: number;
  total: number;
  badge?: React.ReactNode;
  children: React.ReactNode;
}) {
  const [open, toggle] = useUnfolded(id);
  const share = total > 0 ? tokens / total : 0;
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Disclosure open={open} onToggle={toggle} className="min-w-0 flex-1 basis-52">
          <span className="tnum w-5 shrink-0 text-right font-mono text-2xs text-ink-3">{number}</span>
          <span className="w-16 shrink-0 text-sm font-medium">{says}</span>
          <span className="foreign line-clamp-1 min-w-0 text-sm text-ink-2">
            <ForeignText text={text} />
          </span>
        </Disclosure>
        {badge}
        <span className="tnum ml-auto flex max-w-full flex-wrap items-center justify-end gap-x-2 font-mono text-2xs text-ink-3">
          <svg viewBox="0 0 48 6" className="h-1.5 w-12" aria-hidden="true">
            <rect x="0" y="2" width="48" height="2" className="fill-line-strong" />
            <rect x="0" y="1" width={Math.max(1, 48 * share)} height="4" className="fill-ink-3" />
          </svg>
          <span className="w-32 text-right whitespace-nowrap">
            ≈ {formatCount(tokens)} tok, {formatPercent(share)}
          </span>
        </span>
      </div>
      {open && <div className="mt-1 mb-1.5 pl-4 font-mono text-xs leading-relaxed sm:pl-9">{children}</div>}
    </>
  );
}

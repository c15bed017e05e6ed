'use client';

import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { McpRequestReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import { type EnteredTexts, enteredContent, presetTexts } from '#lib/browser/drafts/entered-draft.ts';
import { focusUnlessMoved } from '#lib/browser/focus-soon.ts';
import { whenShown } from '#lib/browser/state/when-shown.ts';
import { APPROVAL_KEYS } from '#lib/browser/words/approval-words.ts';
import type { AskedRequest, AskedSample, McpRequestAction } from '#lib/events/mcp-request.ts';
import type { AskedByServer, ToolStatus } from '#lib/events/timeline.ts';
import { plural } from '#lib/util/numbers.ts';
import { useRequest } from '../../hooks/use-request.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { ForeignMessage } from '../../ui/foreign-message.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { KeyHint } from '../../ui/key-hint.tsx';
import { useRunSource } from '../run-context.tsx';
import { AskedFields } from './asked-fields.tsx';

/** What an MCP server asks during a call, with a form or a text to read, and buttons to answer. */
export function ServerRequest({
  asked: { received },
  runId,
  rowKey,
}: {
  asked: AskedByServer;
  runId: string;
  rowKey: string;
}) {
  const { request, server, request_id: requestId } = received;
  const fields = request.kind === 'form' ? request.fields : [];
  const [texts, setTexts] = useState<EnteredTexts>(() => presetTexts(fields));
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const source = useRunSource();
  const { busy, problem, run } = useRequest();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(problems).length > 0) {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }
  }, [problems]);
  const answer = (action: McpRequestAction, content?: object) =>
    void run(async () => {
      const focus = focusUnlessMoved();
      const reply = await postJson<McpRequestReply>(`/api/runs/${encodeURIComponent(runId)}/mcp-requests`, {
        request_id: requestId,
        action,
        ...(content && { content }),
      });
      // The buttons disappear after the answer, so keep the focus in place.
      focus(document.getElementById(`row-${rowKey}`));
      await whenShown(source, reply.run.last_seq);
    });
  const accept = (event: FormEvent) => {
    event.preventDefault();
    if (request.kind !== 'form') return answer('accept');
    const read = enteredContent(fields, texts);
    setProblems(read.ok ? {} : read.problems);
    if (read.ok) answer('accept', read.content);
  };
  return (
    <form
      ref={form}
      noValidate
      aria-label={`Request of the server ${server}`}
      className="mt-2 mb-1 grid gap-3 rounded-md border border-warn/50 bg-warn-wash p-3"
      onSubmit={accept}
    >
      <p className="font-medium">
        The server <code>{server}</code> {ASKS[request.kind]} It waits for you.
      </p>
      <Asked request={request} />
      <AskedFields fields={fields} texts={texts} problems={problems} onChange={setTexts} />
      {problem && <ErrorNote error={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          kind="primary"
          size="sm"
          className="max-sm:h-11"
          disabled={busy}
          data-choice="once"
          aria-keyshortcuts={APPROVAL_KEYS.once}
        >
          {ACCEPT[request.kind]}
          <KeyHint>{APPROVAL_KEYS.once}</KeyHint>
        </Button>
        <Button
          size="sm"
          className="max-sm:h-11"
          disabled={busy}
          data-choice="deny"
          aria-keyshortcuts={APPROVAL_KEYS.deny}
          onClick={() => answer('decline')}
        >
          Decline
          <KeyHint>{APPROVAL_KEYS.deny}</KeyHint>
        </Button>
        <Button
          kind="quiet"
          size="sm"
          className="max-sm:h-11"
          disabled={busy}
          onClick={() => answer('cancel')}
        >
          Cancel
        </Button>
      </div>
      <p className="text-xs text-ink-2">
        {NOTES[request.kind]} Cancel also refuses whatever else it asks during this call.
      </p>
    </form>
  );
}

const ASKS: Readonly<Record<AskedRequest['kind'], string>> = {
  form: 'asks for input.',
  url: 'asks you to open an address.',
  sampling: "asks the run's model for a text.",
};

const ACCEPT: Readonly<Record<AskedRequest['kind'], string>> = {
  form: 'Send',
  url: 'I have opened it',
  sampling: 'Ask the model',
};

const NOTES: Readonly<Record<AskedRequest['kind'], string>> = {
  form: 'Your entries go to the server and stay in the log of this run. Do not enter passwords or keys.',
  url: 'Loupe does not open it. Check where it leads before you copy it.',
  sampling:
    'The text goes to the server. It counts towards the tokens of this run and is not part of its conversation.',
};

/** The server's own text, which is untrusted. */
function Asked({ request }: { request: AskedRequest }) {
  if (request.kind === 'sampling') return <SampleAsked request={request} />;
  return (
    <>
      <ForeignMessage text={request.message || '(no message)'} className="max-w-read text-sm" />
      {request.kind === 'url' && (
        <p className="foreign min-w-0 rounded-md border bg-sunken px-3 py-2 font-mono text-xs select-all">
          <ForeignText text={request.url} />
        </p>
      )}
    </>
  );
}

function SampleAsked({ request: { system, messages, max_tokens } }: { request: AskedSample }) {
  return (
    <div className="grid min-w-0 gap-2">
      <dl className="m-0 grid min-w-0 gap-2 text-sm">
        {system !== undefined && <Said by="System prompt" text={system} />}
        {messages.map(({ role, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the messages never change
          <Said key={index} by={role === 'user' ? 'User' : 'Assistant'} text={text} />
        ))}
      </dl>
      <p className="tnum m-0 text-xs text-ink-2">At most {plural(max_tokens, 'token')}</p>
    </div>
  );
}

function Said({ by, text }: { by: string; text: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs font-medium text-ink-2">{by}</dt>
      <dd className="m-0">
        <ForeignMessage text={text || '(empty)'} />
      </dd>
    </div>
  );
}

/** A server's earlier request during a call, and its outcome. */
export function ServerRequests({ asked, status }: { asked: readonly AskedByServer[]; status: ToolStatus }) {
  return (
    <ul aria-label="What the server asked" className="grid min-w-0 gap-3">
      {asked.map((each) => (
        <li key={each.received.request_id} className="grid min-w-0 gap-1 border-l-2 border-line-strong pl-3">
          <p className="text-sm">
            The server {ASKS[each.received.request.kind]}{' '}
            <span className="text-ink-2">{answerWords(each, status)}</span>
          </p>
          <Asked request={each.received.request} />
          <Entered asked={each} />
        </li>
      ))}
    </ul>
  );
}

/** @param status the status of the call; if it waits for an answer, then for that to the last request */
function answerWords({ answered, samplingStarted, sampled }: AskedByServer, status: ToolStatus): string {
  if (!answered) return status === 'awaiting answer' ? 'It waits for an answer.' : 'It got no answer.';
  if (answered.by === 'server') return 'The server did not wait for an answer.';
  if (answered.by === 'stop') return 'Cancelled, because the run was stopped.';
  if (answered.action !== 'accept') return answered.action === 'decline' ? 'Declined.' : 'Cancelled.';
  if (sampled?.error) return `Accepted. ${sampled.error.message}`;
  if (!samplingStarted || sampled) return 'Accepted.';
  return status === 'running' ? 'Accepted. The model is writing.' : 'Accepted. The model did not finish.';
}

function Entered({ asked: { answered, sampled } }: { asked: AskedByServer }) {
  const content = Object.entries(answered?.content ?? {});
  return (
    <>
      {content.length > 0 && (
        <dl className="grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-3 gap-y-1 font-mono text-xs">
          {content.map(([name, value]) => (
            <EnteredField key={name} name={name}>
              {Array.isArray(value) ? value.join(', ') : String(value)}
            </EnteredField>
          ))}
        </dl>
      )}
      {sampled?.text !== undefined && (
        <div className="min-w-0">
          <p className="text-xs font-medium text-ink-2">The model wrote</p>
          <ForeignMessage text={sampled.text || '(nothing)'} className="text-sm" />
        </div>
      )}
    </>
  );
}

function EnteredField({ name, children }: { name: string; children: string }): ReactNode {
  return (
    <div className="contents">
      <dt className="max-w-32 truncate text-ink-3">
        <ForeignText text={name} />
      </dt>
      <dd className="foreign m-0 min-w-0">
        <ForeignText text={children} />
      </dd>
    </div>
  );
}

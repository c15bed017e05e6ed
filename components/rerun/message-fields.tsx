'use client';

import { useState } from 'react';
import type { SentRequestReply } from '#lib/api/sent-request.ts';
import {
  type DraftMessage,
  MESSAGE_ROLES,
  newRerunDraft,
  withMessageAfter,
} from '#lib/browser/drafts/rerun-draft.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { Disclosure } from '../run-view/timeline/row-frame.tsx';
import { Button } from '../ui/button.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Field } from '../ui/form/fields.tsx';
import type { RerunPart } from './rerun-part.ts';
import { TextArea } from './text-area.tsx';

/** The messages of the request: each opens to be edited. */
export function MessageFields({ draft, problems, onChange, sent }: RerunPart & { sent: SentRequestReply }) {
  const [originals] = useState(() => newRerunDraft(sent).messages);
  const [added, setAdded] = useState<number>();
  const { messages } = draft;
  const removed = originals.length - messages.filter(({ sent: index }) => index !== undefined).length;
  const insert = (index: number) => {
    const next = withMessageAfter(draft, index, 'user');
    setAdded(next.messages[index + 1]?.key);
    onChange(next);
  };
  return (
    <section aria-label="Messages" className="min-w-0">
      <div className="mb-1.5 flex flex-wrap items-baseline gap-x-3">
        <h3 className="caption">Messages</h3>
        {removed > 0 && (
          <>
            <span className="text-sm text-ink-3">{plural(removed, 'message')} removed</span>
            <Button kind="quiet" size="sm" onClick={() => onChange({ messages: originals })}>
              Restore all as sent
            </Button>
          </>
        )}
      </div>
      {messages.length > 0 && (
        <ol className="divide-y rounded-md border border-line-strong">
          {messages.map((message, index) => (
            <li key={message.key} className="min-w-0 px-3 py-1.5 max-sm:py-3">
              <MessageItem
                message={message}
                number={index + 1}
                original={message.sent === undefined ? undefined : originals[message.sent]}
                isNew={message.key === added}
                problems={problems}
                onChange={(changes) =>
                  onChange({
                    messages: messages.map((each) =>
                      each.key === message.key ? { ...each, ...changes } : each,
                    ),
                  })
                }
                onInsert={() => insert(index)}
                onRemove={() => onChange({ messages: messages.filter(({ key }) => key !== message.key) })}
              />
            </li>
          ))}
        </ol>
      )}
      {problems.messages && <p className="mt-1 text-sm text-fail">{problems.messages}</p>}
      <Button size="sm" className="mt-2" onClick={() => insert(messages.length - 1)}>
        Add a message
      </Button>
    </section>
  );
}

function MessageItem({
  message,
  number,
  original,
  isNew,
  problems,
  onChange,
  onInsert,
  onRemove,
}: {
  message: DraftMessage;
  number: number;
  original: DraftMessage | undefined;
  /** Added a moment ago: it is open. */
  isNew: boolean;
  problems: RerunPart['problems'];
  onChange: (changes: Partial<DraftMessage>) => void;
  onInsert: () => void;
  onRemove: () => void;
}) {
  const [open, setOpen] = useState(isNew);
  const problem = problems[`message:${message.key}`] ?? problems[`calls:${message.key}`];
  const isChanged = original === undefined || JSON.stringify(message) !== JSON.stringify(original);
  return (
    <>
      <div className="flex min-w-0 items-baseline gap-2">
        <Disclosure open={open} onToggle={() => setOpen(!open)} className="min-w-0 flex-1">
          <span className="tnum w-5 shrink-0 text-right font-mono text-2xs text-ink-3">{number}</span>
          <span className="shrink-0 text-sm font-medium">{message.role}</span>
          {!open && (
            <span className="foreign line-clamp-1 min-w-0 text-sm text-ink-3">
              <ForeignText text={firstWords(message)} />
            </span>
          )}
        </Disclosure>
        {isChanged && (
          <span className="shrink-0 text-xs font-medium text-brass">{original ? 'changed' : 'added'}</span>
        )}
      </div>
      {!open && problem && <p className="text-xs text-fail">{problem}</p>}
      {open && (
        <div className="my-1.5 grid gap-3">
          <MessageEditor {...{ message, problems, onChange }} number={number} />
          <div className="flex flex-wrap gap-2">
            <Button size="sm" onClick={onInsert}>
              Add a message below
            </Button>
            {original && isChanged && (
              <Button size="sm" onClick={() => onChange(original)}>
                Undo changes
              </Button>
            )}
            <Button size="sm" kind="danger" onClick={onRemove}>
              Remove message {number}
            </Button>
          </div>
        </div>
      )}
    </>
  );
}

function firstWords({ content, calls, thinking }: DraftMessage): string {
  const text = content.trim() || calls || thinking || 'empty';
  return text.slice(0, 300).replaceAll(/\s+/g, ' ');
}

/** The fields of a message; which ones it has depends on its role. */
function MessageEditor({
  message,
  number,
  problems,
  onChange,
}: {
  message: DraftMessage;
  number: number;
  problems: RerunPart['problems'];
  onChange: (changes: Partial<DraftMessage>) => void;
}) {
  const { role, content, thinking, calls, toolName, key } = message;
  const loses = role !== 'assistant' && (thinking !== '' || calls !== '');
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label={`Role of message ${number}`}
          hint={loses ? 'Its thinking and tool calls are sent only with the role “assistant”.' : undefined}
        >
          {(props) => (
            <select
              {...props}
              className="field"
              value={role}
              onChange={(event) => onChange({ role: MESSAGE_ROLES[event.target.selectedIndex] })}
            >
              {MESSAGE_ROLES.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          )}
        </Field>
        {role === 'tool' && (
          <Field label="Tool">
            {(props) => (
              <input
                {...props}
                className="field font-mono text-sm"
                value={toolName}
                onChange={(event) => onChange({ toolName: event.target.value })}
              />
            )}
          </Field>
        )}
      </div>
      <TextArea
        label={`Text of message ${number}`}
        hint={content.length > 2000 ? `${formatCount(content.length)} characters` : undefined}
        value={content}
        problem={problems[`message:${key}`]}
        onChange={(text) => onChange({ content: text })}
      />
      {role === 'assistant' && (
        <>
          <TextArea label="Thinking" value={thinking} onChange={(text) => onChange({ thinking: text })} />
          <TextArea
            label="Tool calls (JSON)"
            value={calls}
            problem={problems[`calls:${key}`]}
            onChange={(text) => onChange({ calls: text })}
          />
        </>
      )}
    </>
  );
}

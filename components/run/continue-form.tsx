'use client';

import { useState } from 'react';
import type { Continuation } from '#lib/browser/drafts/next-steps.ts';
import type { RunConfig } from '#lib/events/config.ts';
import { MAX_MESSAGE_CHARS } from '#lib/events/limits.ts';
import { kindFacts, kindOf } from '#lib/events/modes.ts';
import { Button } from '../ui/button.tsx';

/** A person's message that continues the conversation of an ended run, as a new run. */
export function ContinueForm({
  config,
  label,
  imported,
  busy,
  changes,
  onContinue,
  onStartOver,
}: {
  config: RunConfig;
  /** What the message is. */
  label: string;
  imported: boolean;
  busy: boolean;
  /** The settings that change so that it can continue, as text. */
  changes: Continuation['changes'];
  onContinue: (message: string) => void;
  /** Starts with the task and the message, without the conversation. */
  onStartOver: (message: string) => void;
}) {
  const [message, setMessage] = useState('');
  const { answers, readsMessages } = kindFacts(kindOf(config));
  const folder = imported ? 'an empty folder' : 'the same folder';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onContinue(message.trim());
      }}
      className="grid gap-2"
    >
      <div>
        <label htmlFor="hint" className="mb-1 block text-sm font-medium">
          {label}
        </label>
        <textarea
          id="hint"
          rows={2}
          required
          maxLength={MAX_MESSAGE_CHARS}
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
          autoFocus
          className="field [field-sizing:content] max-h-48 resize-y"
          aria-describedby="hint-effect"
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
        <p id="hint-effect" className="mt-1 text-sm text-ink-3">
          {readsMessages === 'with_own_message'
            ? 'The exploration continues and gets this with the result of its next message to you.'
            : `The conversation continues${config.workspace === '' ? '' : `, in ${folder}`}, and the model reads this next.`}
          {changes.length > 0 && ` It gets ${changes.join(' and ')}.`} This run stays as it is: a new one
          begins with a copy of it.
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" kind="primary" size="sm" disabled={busy}>
          {busy ? 'Starting' : 'Continue'}
        </Button>
        {answers && config.workspace !== '' && !imported && (
          <Button
            kind="quiet"
            size="sm"
            disabled={busy}
            title={`Starts a new run in ${folder} with the task and this text, without the conversation`}
            onClick={() => onStartOver(message.trim())}
          >
            Start over with it instead
          </Button>
        )}
      </div>
    </form>
  );
}

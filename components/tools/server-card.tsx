'use client';

import { useId, useState } from 'react';
import type { McpServerReply } from '#lib/api/mcp.ts';
import { deleteJson, postJson } from '#lib/browser/api.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { SERVER_STATES, SIGN_IN_NEEDED } from '#lib/browser/words/server-words.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { plural } from '#lib/util/numbers.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { FoldMark } from '../ui/fold-mark.tsx';
import { ForeignMessage } from '../ui/foreign-message.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { ServerDialog } from './server-dialog.tsx';
import { ServerOffers } from './server-offers.tsx';
import { serverPath } from './server-path.ts';
import { ServerSignIn } from './server-sign-in.tsx';
import { ServerTools } from './server-tools.tsx';
import { TryOnModels } from './try-on-models.tsx';

/** A server: its state, what it can reach, and its tools. */
export function ServerCard({ server, onChange }: { server: McpServerReply; onChange: () => Promise<void> }) {
  const { name, state, failure, info, tools, runs } = server;
  const title = useId();
  const [editing, setEditing] = useState(false);
  const { busy, problem, run } = useRequest();
  const act = (work: () => Promise<unknown>) =>
    void run(async () => {
      await work();
      void onChange();
    });
  const isSignInNeeded = server.sign_in === 'needed';
  const { label, tone } = isSignInNeeded ? SIGN_IN_NEEDED : SERVER_STATES[state];
  return (
    <section aria-labelledby={title} className="min-w-0 rounded-lg border bg-surface p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 id={title} className="font-mono font-semibold">
          {name}
        </h2>
        <Badge tone={tone}>{label}</Badge>
        {info && (
          <span
            className="foreign min-w-0 truncate text-sm text-ink-3"
            title={plainVisibleLine(`${info.name} ${info.version}`)}
          >
            <ForeignText text={`${info.name} ${info.version}`} />
          </span>
        )}
        {runs > 0 && <span className="tnum text-sm text-ink-3">used by {plural(runs, 'run')}</span>}
        <ServerButtons
          server={server}
          busy={busy}
          onAct={act}
          onEdit={() => setEditing(true)}
          onRemove={() => act(() => deleteJson(serverPath(name)))}
        />
      </div>
      <ul aria-label={`What ${name} can reach`} className="mt-2 grid gap-0.5 text-sm text-ink-2">
        {server.reach.map((line) => (
          <li key={line} className="foreign min-w-0">
            <ForeignText text={line} />
          </li>
        ))}
      </ul>
      <ServerSignIn server={server} onChange={onChange} />
      {failure && !isSignInNeeded && (
        <div className="mt-3">
          <ErrorNote error={failure}>
            {failure.stderr && (
              <pre className="foreign mt-2 max-h-48 overflow-y-auto font-mono text-xs">
                <ForeignText text={failure.stderr} />
              </pre>
            )}
          </ErrorNote>
        </div>
      )}
      {problem && (
        <div className="mt-3">
          <ErrorNote error={problem} />
        </div>
      )}
      {info?.instructions && (
        <details className="group mt-3 text-sm">
          <summary className="flex w-fit items-center gap-2 text-ink-2 hover:text-ink">
            <FoldMark />
            What the server says about itself
          </summary>
          <ForeignMessage text={info.instructions} className="mt-1 text-ink-2" />
        </details>
      )}
      {tools.length > 0 && <ServerTools server={server} onChange={onChange} />}
      {state === 'ready' && <ServerOffers server={name} />}
      {state !== 'disabled' && tools.some(({ status }) => status === 'accepted') && (
        <TryOnModels server={name} label={`Try ${name} on local models`} />
      )}
      {tools.length === 0 && state === 'off' && (
        <p className="mt-3 text-sm text-ink-3">Start it once to see its tools.</p>
      )}
      {editing && <ServerDialog former={server} onClose={() => setEditing(false)} onSaved={onChange} />}
    </section>
  );
}

function ServerButtons({
  server: { name, state },
  busy,
  onAct,
  onEdit,
  onRemove,
}: {
  server: McpServerReply;
  busy: boolean;
  onAct: (work: () => Promise<unknown>) => void;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const [removing, setRemoving] = useState(false);
  const path = serverPath(name);
  const runs = state === 'ready' || state === 'starting';
  const button = (label: string, onClick: () => void, kind: 'plain' | 'quiet' | 'danger' = 'quiet') => (
    <Button
      size="sm"
      kind={kind}
      className="max-sm:h-11"
      disabled={busy}
      aria-label={`${label} ${name}`}
      onClick={onClick}
    >
      {label}
    </Button>
  );
  if (removing) {
    return (
      <span ref={keepFocus} className="ml-auto flex flex-wrap items-center gap-1.5">
        <span tabIndex={-1} className="text-sm text-ink-2">
          Remove it and everything it stored?
        </span>
        {button('Remove', onRemove, 'danger')}
        {button('Keep', () => setRemoving(false))}
      </span>
    );
  }
  const toggle = () => onAct(() => postJson(path, { enabled: state === 'disabled' }));
  return (
    <span ref={keepFocus} className="ml-auto flex flex-wrap items-center gap-1.5">
      {state !== 'disabled' &&
        button(runs ? 'Restart' : 'Start', () => onAct(() => postJson(`${path}/start`, {})), 'plain')}
      {runs && button('Stop', () => onAct(() => postJson(`${path}/stop`, {})))}
      {button('Edit', onEdit)}
      {button(state === 'disabled' ? 'Enable' : 'Disable', toggle)}
      {button('Remove', () => setRemoving(true))}
    </span>
  );
}

'use client';

import { useState } from 'react';
import type { McpServerReply, McpSignInReply } from '#lib/api/mcp.ts';
import { deleteJson, postJson } from '#lib/browser/api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { serverPath } from './server-path.ts';
import { ToolsDialog } from './tools-dialog.tsx';

/** Whether a server requires a sign-in or has one, with buttons to sign in and out. */
export function ServerSignIn({ server, onChange }: { server: McpServerReply; onChange: () => void }) {
  const { name, failure, sign_in } = server;
  const [begun, setBegun] = useState<McpSignInReply>();
  const { busy, problem, run } = useRequest();
  const path = `${serverPath(name)}/sign-in`;
  if (sign_in === undefined) return null;
  const begin = () => run(async () => setBegun(await postJson<McpSignInReply>(path, {})));
  const signOut = () =>
    run(async () => {
      await deleteJson(path);
      onChange();
    });
  const isNeeded = sign_in === 'needed';
  return (
    <div className="mt-3 grid gap-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
        <span className={isNeeded ? 'text-warn' : 'text-ink-2'}>
          {isNeeded ? <ForeignText text={failure?.message ?? ''} /> : 'You are signed in.'}
        </span>
        <Button
          size="sm"
          kind={isNeeded ? 'primary' : 'quiet'}
          className="max-sm:h-11"
          disabled={busy}
          aria-label={`${isNeeded ? 'Sign in to' : 'Sign out of'} ${name}`}
          onClick={() => void (isNeeded ? begin() : signOut())}
        >
          {isNeeded ? (busy ? 'Asking where' : 'Sign in') : 'Sign out'}
        </Button>
      </p>
      {problem && <ErrorNote error={problem} />}
      {isNeeded && begun && <AddressDialog name={name} begun={begun} onClose={() => setBegun(undefined)} />}
    </div>
  );
}

/** Shows where to sign in before anything is opened, because the server chose the address. */
function AddressDialog({
  name,
  begun: { address, token_host },
  onClose,
}: {
  name: string;
  begun: McpSignInReply;
  onClose: () => void;
}) {
  const host = new URL(address).host;
  return (
    <ToolsDialog title={`Sign in to ${name}`} onClose={onClose}>
      <p className="text-ink-2">
        {name} sends you to <strong className="foreign font-mono text-ink">{host}</strong> to sign in.
        Continue only if you trust that site, and want {name} to do what you allow there: Loupe keeps a token
        and sends it to that server.
      </p>
      {token_host !== undefined && (
        <p className="text-warn">
          What you allow there is confirmed to <strong className="foreign font-mono">{token_host}</strong>.
          Continue only if it belongs to the same service.
        </p>
      )}
      <p className="foreign max-h-32 overflow-y-auto rounded-md bg-sunken p-2 font-mono text-xs break-all">
        <ForeignText text={address} />
      </p>
      <p>
        <a
          className={buttonClass('primary', 'md', 'max-sm:h-11')}
          href={address}
          target="_blank"
          rel="noopener noreferrer"
        >
          Open {host}
        </a>
      </p>
    </ToolsDialog>
  );
}

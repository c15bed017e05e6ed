'use client';

import { useId, useState } from 'react';
import type { NetworkReply, ShareReach } from '#lib/api/share.ts';
import { deleteJson, postJson } from '#lib/browser/api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { reachWords } from './share-words.ts';

const PATH = '/api/share-network';

/** Who can open links, and, unless a setting decides it, buttons to open links to the network or close them again. */
export function Reach({
  reach,
  links = 1,
  onChange,
}: {
  reach: ShareReach;
  /** How many links this is about. */
  links?: number;
  onChange: (reach: ShareReach) => void;
}) {
  const [asking, setAsking] = useState(false);
  const { busy, problem, run } = useRequest();
  const { who, how } = reachWords(reach, links);
  const { addresses = [], open } = reach.network ?? {};
  const change = (request: () => Promise<NetworkReply>) =>
    void run(async () => {
      onChange((await request()).reach);
      setAsking(false);
    });
  return (
    <div className="grid gap-2 border-l-2 border-line-strong pl-3 text-sm">
      <div>
        <p className="font-medium">{who}</p>
        <p className="text-ink-3">{how}</p>
      </div>
      {open !== undefined && (
        <Button
          size="sm"
          className="justify-self-start"
          disabled={busy}
          onClick={() => change(() => deleteJson<NetworkReply>(PATH))}
        >
          Close to the network
        </Button>
      )}
      {addresses.length > 0 && open === undefined && !asking && (
        <Button size="sm" className="justify-self-start" onClick={() => setAsking(true)}>
          Open to my network
        </Button>
      )}
      {asking && open === undefined && (
        <OpenForm
          addresses={addresses}
          busy={busy}
          onOpen={(address) => change(() => postJson<NetworkReply>(PATH, { address }))}
          onCancel={() => setAsking(false)}
        />
      )}
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}

function OpenForm({
  addresses,
  busy,
  onOpen,
  onCancel,
}: {
  addresses: readonly string[];
  busy: boolean;
  onOpen: (address: string) => void;
  onCancel: () => void;
}) {
  const id = useId();
  const [address, setAddress] = useState(addresses[0] ?? '');
  return (
    <form
      className="grid gap-2 rounded-md border border-warn/40 bg-warn-wash p-3"
      onSubmit={(event) => {
        event.preventDefault();
        onOpen(address);
      }}
    >
      <p>
        Anyone on the network who has a link can read what it shows, and the connection is not encrypted. Only
        shared runs are served, not the dashboard. It lasts until you close it or Loupe stops.
      </p>
      <label htmlFor={id} className="font-medium">
        Address of this machine
      </label>
      <select
        id={id}
        className="field w-fit font-mono"
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      >
        {addresses.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <span className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" kind="primary" disabled={busy}>
          Open on {address}
        </Button>
        <Button size="sm" onClick={onCancel}>
          Cancel
        </Button>
      </span>
    </form>
  );
}

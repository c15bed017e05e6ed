'use client';

import { type ComponentType, useState } from 'react';
import type { Share, ShareDraft, SharePreviewReply, ShareReach, ShareReply } from '#lib/api/share.ts';
import { type ApiError, postJson } from '#lib/browser/api.ts';
import { download } from '#lib/browser/download.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import type { ShareScope } from '#lib/events/share-scopes.ts';
import { keysOf } from '#lib/util/records.ts';
import { useReading } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Choice, Field } from '../ui/form/fields.tsx';
import { Link } from '../ui/link.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { FindingList } from './finding-list.tsx';
import { Reach } from './reach.tsx';
import { DEFAULT_LIFETIME_MS, LIFETIMES, SCOPE_WORDS } from './share-words.ts';

/** Chooses what a link shows and for how long, next to an exact preview. */
export function ShareDialog({
  runId,
  ended,
  Preview,
  onClose,
}: {
  runId: string;
  ended: boolean;
  /** Shows the run as readers will see it. */
  Preview: ComponentType<{ preview: SharePreviewReply | undefined }>;
  onClose: () => void;
}) {
  const [way, setWay] = useState<'link' | 'file'>('link');
  const [scope, setScope] = useState<ShareScope>('everything');
  const [live, setLive] = useState(true);
  const [lifetime, setLifetime] = useState(DEFAULT_LIFETIME_MS);
  const [show, setShow] = useState<readonly string[]>([]);
  const [made, setMade] = useState<ShareReply>();
  const [changedReach, setReach] = useState<ShareReach>();
  const { busy, problem, run } = useRequest();
  const { preview, failed } = usePreview(runId, { scope, show: [...show] }, ended);
  const error = problem ?? failed;
  const reach = changedReach ?? made?.reach ?? preview?.reach;

  const make = () => {
    const draft: ShareDraft = { scope, live, expires_in_ms: lifetime, show: [...show] };
    void run(async () => setMade(await postJson<ShareReply>(sharesPath(runId), draft)));
  };
  const save = () => {
    const query = new URLSearchParams([['scope', scope], ...show.map((kind) => ['show', kind])]);
    void run(() => download(`/api/runs/${encodeURIComponent(runId)}/export.html?${query}`));
  };
  return (
    <div className="grid h-full min-h-0 grid-rows-[auto_minmax(0,1fr)]">
      <DialogHeader
        id="share-title"
        title="Share this run"
        onClose={onClose}
        className="border-b px-4 py-3 sm:px-5"
      />
      <div className="grid min-h-0 grid-cols-[minmax(0,1fr)] max-lg:overflow-y-auto lg:grid-cols-[24.5rem_minmax(0,1fr)]">
        <div className="grid content-start gap-5 p-4 sm:p-5 lg:min-h-0 lg:overflow-y-auto lg:border-r">
          {made ? (
            <Made
              share={made.share}
              reach={reach ?? made.reach}
              onReach={setReach}
              onAnother={() => setMade(undefined)}
            />
          ) : (
            <>
              <div>
                <Choice
                  legend="Share as"
                  name="share-way"
                  value={way}
                  options={[
                    { value: 'link', label: 'Link' },
                    { value: 'file', label: 'HTML file' },
                  ]}
                  onChange={setWay}
                />
                <p className="mt-1.5 text-sm text-ink-3">
                  {way === 'link'
                    ? 'A link to a page on this machine. You can revoke it.'
                    : 'One file with the replay player. It opens anywhere, without a network, and cannot be taken back.'}
                </p>
              </div>
              <div>
                <Choice
                  legend="Content"
                  name="share-scope"
                  value={scope}
                  options={keysOf(SCOPE_WORDS).map((value) => ({ value, label: SCOPE_WORDS[value].label }))}
                  onChange={setScope}
                />
                <p className="mt-1.5 text-sm text-ink-3">{SCOPE_WORDS[scope].note}</p>
              </div>
              {way === 'link' && !ended && (
                <Choice
                  legend="Updates"
                  name="share-live"
                  value={live ? 'live' : 'frozen'}
                  options={[
                    { value: 'live', label: 'Follows the run' },
                    { value: 'frozen', label: 'Snapshot' },
                  ]}
                  onChange={(value) => setLive(value === 'live')}
                />
              )}
              {way === 'link' && <Lifetime value={lifetime} onChange={setLifetime} />}
              <FindingList preview={preview} show={show} onShow={setShow} />
              {preview && preview.images > 0 && (
                <p className="text-sm text-warn">
                  {plural(preview.images, 'image')} shown as {preview.images === 1 ? 'it is' : 'they are'}:
                  nothing in images is masked.
                </p>
              )}
              {way === 'link' && reach && <Reach reach={reach} onChange={setReach} />}
              {error && <ErrorNote error={error} />}
              <div className="flex flex-wrap items-center gap-3">
                {way === 'link' ? (
                  <>
                    <Button kind="primary" onClick={make} disabled={busy || !preview}>
                      Create link
                    </Button>
                    <AllLinks />
                  </>
                ) : (
                  <Button kind="primary" onClick={save} disabled={busy || !preview}>
                    Download HTML file
                  </Button>
                )}
              </div>
            </>
          )}
        </div>
        <section aria-label="Preview" className="flex min-h-64 flex-col bg-canvas lg:min-h-0">
          <p className="flex flex-wrap items-baseline justify-between gap-x-4 border-b bg-sunken px-4 py-1.5 text-xs text-ink-3 max-lg:border-t sm:px-5">
            <span className="font-semibold text-ink-2">Preview</span>
            {preview && (
              <span className="tnum">
                {preview.masked === 0 ? 'nothing to mask' : `${plural(preview.masked, 'value')} masked`}
                {preview.total > preview.events.length &&
                  `, first ${formatCount(preview.events.length)} of ${plural(preview.total, 'event')}`}
              </span>
            )}
          </p>
          <Preview preview={preview} />
        </section>
      </div>
    </div>
  );
}

function Lifetime({ value, onChange }: { value: number; onChange: (ms: number) => void }) {
  return (
    <Field label="Link expires after">
      {(props) => (
        <select
          {...props}
          className="field w-auto"
          value={value}
          onChange={(event) => onChange(Number(event.target.value))}
        >
          {LIFETIMES.map(({ ms, label }) => (
            <option key={ms} value={ms}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function AllLinks() {
  return (
    <Link href="/shares" className="reach text-sm font-medium text-brass underline-offset-4 hover:underline">
      All links
    </Link>
  );
}

/** The new link. Its address is shown here and nowhere stored. */
function Made({
  share,
  reach,
  onReach,
  onAnother,
}: {
  share: Share;
  reach: ShareReach;
  onReach: (reach: ShareReach) => void;
  onAnother: () => void;
}) {
  // Opening links to the network changes their addresses, but not their tokens.
  const url = `${reach.base_url}/s/${share.url?.split('/').at(-1) ?? ''}`;
  return (
    <div className="grid gap-4">
      <div>
        <label htmlFor="share-url" className="mb-1 block text-sm font-medium">
          The link
        </label>
        <span className="flex items-center gap-1.5">
          <input
            id="share-url"
            readOnly
            value={url}
            className="field min-w-0 flex-1 font-mono text-xs"
            onFocus={(event) => event.target.select()}
          />
          <CopyButton text={url} label="Copy the link" className="size-9 border border-line-strong" />
        </span>
        <p className="mt-1.5 text-sm text-ink-3">
          Copy it now. Only its hash is stored, so it cannot be shown again after a restart.
        </p>
      </div>
      {reach.from !== 'loopback' && (
        <div className="flex flex-wrap items-end gap-3">
          <QrCode text={url} label="The link as a QR code" />
          <p className="max-w-40 text-sm text-ink-3">Scan it to open the link on a phone.</p>
        </div>
      )}
      <Reach reach={reach} onChange={onReach} />
      <div className="flex flex-wrap items-center gap-3">
        <Button size="sm" onClick={onAnother}>
          Create another
        </Button>
        <AllLinks />
      </div>
    </div>
  );
}

/** Fetched again when the options change, and when the run ends; the previous preview stays visible meanwhile. */
function usePreview(
  runId: string,
  draft: Pick<ShareDraft, 'scope' | 'show'>,
  ended: boolean,
): { preview: SharePreviewReply | undefined; failed: ApiError | undefined } {
  const path = `${sharesPath(runId)}/preview`;
  const { data: preview, error: failed } = useReading({
    key: [path, draft, ended],
    read: (signal) => postJson<SharePreviewReply>(path, draft, { signal }),
  });
  return { preview, failed };
}

function sharesPath(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}/shares`;
}

'use client';

import { type ChangeEvent, useRef, useState } from 'react';
import type { Preset, PresetListReply, PresetReply } from '#lib/api/preset.ts';
import { deleteJson, postJson } from '#lib/browser/api.ts';
import { download } from '#lib/browser/download.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { ON_RETURN, useApi, useReload } from '../hooks/use-api.ts';
import { useInlineForm } from '../hooks/use-inline-form.ts';
import { useLatest } from '../hooks/use-latest.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { readPresetFile } from './read-preset-file.ts';

/** All presets: use, rename, export, delete, and import one from a file. */
export function PresetsDialog({ onClose }: { onClose: () => void }) {
  const { data } = useApi<PresetListReply>('/api/presets', ON_RETURN);
  const { busy, problem, run } = useRequest();
  const reload = useReload();
  const file = useRef<HTMLInputElement>(null);
  const [note, setNote] = useState('');
  const change = (work: () => Promise<string>) =>
    run(async () => {
      setNote('');
      setNote(await work());
      reload('/api/presets');
    });
  const chosen = (event: ChangeEvent<HTMLInputElement>) => {
    const picked = event.target.files?.[0];
    event.target.value = ''; // the same file can be chosen again after a mistake
    if (!picked) return;
    void change(async () => {
      const reply = await postJson<PresetReply>('/api/presets', await readPresetFile(picked));
      const left = reply.left_out ? ` Left out: ${reply.left_out.join(', ')}.` : '';
      return `Imported “${plainVisibleLine(reply.preset.name)}”.${left} Review it before you start it.`;
    });
  };
  return (
    <Dialog
      open
      dismissable
      onClose={onClose}
      aria-labelledby="presets-title"
      className="w-[36rem] overflow-y-auto border-line-strong"
    >
      <div ref={keepFocus} className="grid gap-3 p-4 sm:p-5">
        <DialogHeader id="presets-title" title="Presets" onClose={onClose} />
        {data?.presets.length === 0 && (
          <p className="text-ink-2">None yet. Fill in the form for a new run and choose “Save as preset”.</p>
        )}
        <ul className="divide-y border-y empty:hidden">
          {data?.presets.map((preset) => (
            <PresetLine key={preset.id} preset={preset} busy={busy} onChange={change} onClose={onClose} />
          ))}
        </ul>
        <p role="status" className="foreign text-sm text-ink-2 empty:hidden">
          {note}
        </p>
        {problem && <ErrorNote error={problem} />}
        <div className="flex justify-end">
          <Button disabled={busy} onClick={() => file.current?.click()}>
            Import a preset
          </Button>
          <input
            ref={file}
            type="file"
            accept=".json,application/json"
            aria-label="Preset file"
            className="sr-only"
            tabIndex={-1}
            onChange={chosen}
          />
        </div>
      </div>
    </Dialog>
  );
}

function PresetLine({
  preset,
  busy,
  onChange,
  onClose,
}: {
  preset: Preset;
  busy: boolean;
  /** Resolves to whether it succeeded. */
  onChange: (work: () => Promise<string>) => Promise<boolean>;
  onClose: () => void;
}) {
  const [name, setName] = useState(preset.name);
  const latestName = useLatest(name);
  const [isConfirming, setConfirming] = useState(false);
  const form = useInlineForm();
  const path = `/api/presets/${encodeURIComponent(preset.id)}`;
  const label = plainVisibleLine(preset.name);
  const rename = async (changed: string) => {
    const renamed = await onChange(async () => {
      await postJson(path, { name: changed });
      return `Renamed to “${plainVisibleLine(changed)}”.`;
    });
    // Another name may have been entered in the meantime.
    if (renamed && latestName.current === changed) form.close();
  };
  // Takes two presses, because there is no undo.
  const remove = () =>
    onChange(async () => {
      await deleteJson(path);
      return `Deleted “${label}”.`;
    });
  if (form.isOpen) {
    return (
      <li>
        <form
          id={form.formId}
          className="flex gap-2 py-2"
          onSubmit={(event) => {
            event.preventDefault();
            void rename(name);
          }}
        >
          <input
            className="field min-w-0 flex-1"
            aria-label={`New name of ${label}`}
            required
            maxLength={80}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button type="submit" size="sm" className="h-9 max-sm:h-11" disabled={busy}>
            Rename
          </Button>
          <Button kind="quiet" size="sm" className="h-9 max-sm:h-11" onClick={form.close}>
            Cancel
          </Button>
        </form>
      </li>
    );
  }
  return (
    <li className="flex flex-wrap items-center gap-x-1 gap-y-1 py-1.5">
      <Link
        href={presetHref(preset.id)}
        onClick={onClose}
        className="foreign min-w-40 flex-1 truncate py-1 font-medium hover:text-brass max-sm:basis-full max-sm:py-2.5"
      >
        <ForeignName text={preset.name} max={80} />
      </Link>
      <Button
        id={form.buttonId}
        kind="quiet"
        size="sm"
        className="max-sm:h-11"
        aria-label={`Rename ${label}`}
        onClick={() => {
          setName(preset.name);
          form.open();
        }}
      >
        Rename
      </Button>
      <Button
        kind="quiet"
        size="sm"
        className="max-sm:h-11"
        aria-label={`Export ${label}`}
        onClick={() =>
          void onChange(async () => {
            await download(`${path}/file`);
            return 'Exported, without its folder.';
          })
        }
      >
        Export
      </Button>
      <Button
        kind="quiet"
        size="sm"
        className="max-sm:h-11"
        aria-label={isConfirming ? `Confirm deletion of ${label}` : `Delete ${label}`}
        disabled={busy}
        onBlur={() => setConfirming(false)}
        onClick={() => (isConfirming ? void remove() : setConfirming(true))}
      >
        {isConfirming ? 'Confirm deletion' : 'Delete'}
      </Button>
    </li>
  );
}

/** The form for a new run, filled in by a preset. */
function presetHref(id: string): string {
  return `/runs/new?preset=${encodeURIComponent(id)}`;
}

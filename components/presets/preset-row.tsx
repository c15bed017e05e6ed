'use client';

import { useEffect } from 'react';
import type { PresetListReply } from '#lib/api/preset.ts';
import { offerCommands } from '#lib/browser/state/commands.ts';
import { ON_RETURN, useApi } from '../hooks/use-api.ts';
import { useLoaded } from '../hooks/use-loaded.ts';
import { buttonClass } from '../ui/button.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';

const SHOWN = 6;

const loadDialog = () => import('./presets-dialog.tsx');

/** The first presets, each a way to the form that it fills in, and the list of all. Empty without presets. */
export function PresetRow() {
  const { data } = useApi<PresetListReply>('/api/presets', ON_RETURN);
  const { opened, open, close } = useLoaded(loadDialog);
  useEffect(
    () =>
      offerCommands([
        { id: 'presets', label: 'Manage presets', group: 'Presets', run: () => open(() => undefined) },
      ]),
    [open],
  );
  const presets = data?.presets ?? [];
  return (
    <>
      {presets.length > 0 && (
        <nav aria-label="Presets" className="mt-3 flex flex-wrap items-center gap-1.5">
          {presets.slice(0, SHOWN).map(({ id, name }) => (
            <Link
              key={id}
              href={`/runs/new?preset=${encodeURIComponent(id)}`}
              className={buttonClass('plain', 'sm', 'max-w-56 max-sm:h-11')}
            >
              <span className="foreign truncate">
                <ShortName text={name} max={40} />
              </span>
            </Link>
          ))}
          <button
            type="button"
            onClick={() => open(() => undefined)}
            className={buttonClass('quiet', 'sm', 'max-sm:h-11')}
          >
            {presets.length > SHOWN ? `All ${presets.length} presets` : 'Manage presets'}
          </button>
        </nav>
      )}
      {opened && <opened.code.PresetsDialog onClose={close} />}
    </>
  );
}

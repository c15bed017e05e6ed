'use client';

import { useEffect } from 'react';
import { createPortal } from 'react-dom';
import type { Preset } from '#lib/api/preset.ts';
import type { InstalledModel } from '#lib/api/replies.ts';
import type { RunDraft } from '#lib/browser/drafts/run-draft.ts';
import { say } from '#lib/browser/say.ts';
import { offerCommands } from '#lib/browser/state/commands.ts';
import { canRun } from '#lib/browser/state/models.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { isSameModel } from '#lib/util/model-name.ts';
import { useLoaded } from '../hooks/use-loaded.ts';
import { Button } from '../ui/button.tsx';
import { ForeignName } from '../ui/foreign-name.tsx';

const loadDialog = () => import('./save-preset-dialog.tsx');

/** The preset that filled in the form, and buttons to save the current form. */
export function PresetBar({
  preset,
  models,
  draft,
  onSaved,
}: {
  preset: Preset | undefined;
  /** The installed models, if known. */
  models: readonly InstalledModel[] | undefined;
  /** Reads the form. */
  draft: () => RunDraft;
  onSaved: (preset: Preset) => void;
}) {
  const { opened, open, close } = useLoaded<Awaited<ReturnType<typeof loadDialog>>, RunDraft>(loadDialog);
  useEffect(
    () =>
      offerCommands([
        { id: 'save-preset', label: 'Save as preset', group: 'Presets', run: () => open(() => draft()) },
      ]),
    [open, draft],
  );
  const model = preset?.run.model;
  const isMissing =
    model !== undefined && models && !models.some((each) => isSameModel(each.name, model) && canRun(each));
  return (
    <div className="mb-5 flex flex-wrap items-center gap-x-3 gap-y-1">
      {preset && (
        <p className="foreign min-w-0 text-ink-2">
          Preset:{' '}
          <span className="font-medium text-ink">
            <ForeignName text={preset.name} max={80} />
          </span>
        </p>
      )}
      <Button size="sm" className="max-sm:h-11" onClick={() => open(() => draft())}>
        {preset ? 'Save changes' : 'Save as preset'}
      </Button>
      {isMissing && (
        <p role="status" className="foreign basis-full text-sm text-warn">
          Its model {plainVisibleLine(model)} is not installed here. Choose another one.
        </p>
      )}
      {opened &&
        // Outside of the form that it saves: it is a form itself.
        createPortal(
          <opened.code.SavePresetDialog
            draft={opened.value}
            preset={preset}
            onClose={close}
            onSaved={(saved) => {
              say(`Saved “${plainVisibleLine(saved.name)}”.`);
              onSaved(saved);
            }}
          />,
          document.body,
        )}
    </div>
  );
}

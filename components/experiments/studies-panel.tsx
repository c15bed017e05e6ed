'use client';

import { useId, useState } from 'react';
import { type ListedStudy, STUDY_SIZES, type StudiesReply, type StudySize } from '#lib/api/study.ts';
import { plural } from '#lib/browser/words/format.ts';
import { useApi } from '../hooks/use-api.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { Choice } from '../ui/form/fields.tsx';
import { StartPlan } from './start-plan.tsx';

/** The studies that ship with Loupe: each a question, and the plan that answers it. */
export function StudiesPanel() {
  const { data } = useApi<StudiesReply>('/api/studies');
  const [open, setOpen] = useState<ListedStudy>();
  if (!data) return null;
  return (
    <section className="mt-10" aria-labelledby="studies">
      <h2 id="studies" className="font-semibold">
        Studies
      </h2>
      <p className="mt-0.5 max-w-read text-sm text-ink-3">
        Experiments that ship with Loupe. Each asks one question about a model.
      </p>
      <ul className="mt-3 grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {data.studies.map((study) => (
          <li key={study.name} className="flex flex-col gap-2 rounded-lg border bg-surface p-4">
            <h3 className="font-medium">{study.title}</h3>
            <p className="text-sm text-ink-2">{study.question}</p>
            <div className="mt-auto flex items-center justify-between gap-3 pt-1">
              <span className="tnum text-xs text-ink-3">{plural(study.runs.full, 'run')} per model</span>
              <Button
                size="sm"
                className="max-sm:h-11"
                aria-label={`Set up ${study.title}`}
                onClick={() => setOpen(study)}
              >
                Set up
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <StudyDialog study={open} onClose={() => setOpen(undefined)} />
    </section>
  );
}

function StudyDialog({ study, onClose }: { study: ListedStudy | undefined; onClose: () => void }) {
  const id = useId();
  return (
    <Dialog
      open={study !== undefined}
      onClose={onClose}
      aria-labelledby={id}
      className="w-xl max-h-[85dvh] overflow-y-auto p-5"
    >
      {study && (
        <>
          <DialogHeader id={id} title={study.title} onClose={onClose} className="mb-3" />
          <StudyForm study={study} onCancel={onClose} />
        </>
      )}
    </Dialog>
  );
}

function StudyForm({ study, onCancel }: { study: ListedStudy; onCancel: () => void }) {
  const [size, setSize] = useState<StudySize>('full');
  return (
    <StartPlan plan={study.plans[size]} models={[]} runsPerModel={study.runs[size]} onCancel={onCancel}>
      <p className="text-ink-2">{study.question}</p>
      <p className="text-sm text-ink-2">
        <strong className="font-medium text-ink">Reading the result. </strong>
        {study.meaning}
      </p>
      <Choice
        legend="Size"
        name="study-size"
        value={size}
        onChange={setSize}
        options={STUDY_SIZES.map((value) => ({
          value,
          label: `${value === 'full' ? 'Full' : 'Small'} (${plural(study.runs[value], 'run')} per model)`,
        }))}
      />
    </StartPlan>
  );
}

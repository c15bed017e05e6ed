'use client';

import { useId, useState } from 'react';
import type { ReadPlanReply, ReadPlanRequest } from '#lib/api/experiment-files.ts';
import { postJson } from '#lib/browser/api.ts';
import { formatOf } from '#lib/browser/drafts/case-draft.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { MAX_SUITE_BYTES } from '#lib/events/limits.ts';
import { distinctModels } from '#lib/util/model-name.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DialogHeader } from '../ui/dialog-header.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { StartPlan } from './start-plan.tsx';

/** Opens a plan file, and the suite file that it names, and starts it. */
export function PlanFileDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const id = useId();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      aria-labelledby={id}
      className="w-xl max-h-[85dvh] overflow-y-auto p-5"
    >
      <DialogHeader id={id} title="Open a plan file" onClose={onClose} className="mb-3" />
      <PlanFile onCancel={onClose} />
    </Dialog>
  );
}

function PlanFile({ onCancel }: { onCancel: () => void }) {
  const [text, setText] = useState<string>();
  const [read, setRead] = useState<ReadPlanReply>();
  const { busy, problem, run } = useRequest();
  const send = (request: ReadPlanRequest) =>
    run(async () => setRead(await postJson<ReadPlanReply>('/api/experiments/read', request)));
  if (read?.runs !== undefined) {
    const { models, ...plan } = read.request;
    return (
      <StartPlan
        plan={plan}
        models={models}
        runsPerModel={Math.round(read.runs / Math.max(1, distinctModels(models).length))}
        onCancel={onCancel}
      >
        <p className="foreign font-medium">{shortLine(plan.name, 120)}</p>
      </StartPlan>
    );
  }
  return (
    <div className="grid gap-4">
      <p className="text-sm text-ink-2">
        {read?.suite_file === undefined ? (
          'YAML or JSON with the fields of an experiment. Every experiment can be exported as one.'
        ) : (
          <>
            The plan runs the suite file <code className="foreign">{shortLine(read.suite_file, 120)}</code>.
            Choose it, too.
          </>
        )}
      </p>
      {read?.suite_file === undefined ? (
        <FileButton
          label="Choose a plan file"
          accept=".yaml,.yml,.json"
          busy={busy}
          onText={(content) => {
            setText(content);
            void send({ text: content });
          }}
        />
      ) : (
        <FileButton
          label="Choose the suite file"
          accept=".yaml,.yml,.json,.jsonl"
          busy={busy}
          onText={(content, name) => {
            const suite = {
              text: content,
              format: formatOf(content, name),
              name: name.replace(/\.\w+$/, '').slice(0, 100),
            };
            void send({ text: text ?? '', suite });
          }}
        />
      )}
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}

/** Reads a text file that a person chooses. */
function FileButton({
  label,
  accept,
  busy,
  onText,
}: {
  label: string;
  accept: string;
  busy: boolean;
  onText: (text: string, name: string) => void;
}) {
  const id = useId();
  const [tooLarge, setTooLarge] = useState(false);
  return (
    <>
      <Button className="w-fit" disabled={busy} onClick={() => document.getElementById(id)?.click()}>
        {label}
      </Button>
      <input
        id={id}
        type="file"
        accept={accept}
        aria-label={label}
        className="sr-only"
        tabIndex={-1}
        onChange={async (event) => {
          const file = event.target.files?.[0];
          event.target.value = ''; // the same file can be chosen again after a mistake
          if (!file) return;
          setTooLarge(file.size > MAX_SUITE_BYTES);
          if (file.size <= MAX_SUITE_BYTES) onText(await file.text(), file.name);
        }}
      />
      {tooLarge && (
        <ErrorNote error={{ message: `The file is larger than ${MAX_SUITE_BYTES / 1024 / 1024} MB.` }} />
      )}
    </>
  );
}

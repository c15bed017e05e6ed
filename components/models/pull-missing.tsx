'use client';

import { isSameModel } from '#lib/util/model-name.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { PullLine } from './pull-line.tsx';
import { usePulls } from './use-pulls.ts';

/** Pulls a missing model from the end card of its run. */
export function PullMissing({ model }: { model: string }) {
  const { pulls, start, cancel, problem } = usePulls();
  const pull = pulls.find((each) => isSameModel(each.model, model));
  return (
    <div className="grid justify-items-start gap-2">
      {!pull && (
        <Button kind="primary" size="sm" onClick={() => void start(model)}>
          Pull {model}
        </Button>
      )}
      {problem && <ErrorNote error={problem} />}
      {pull && (
        <div className="w-full">
          <PullLine pull={pull} onStart={() => void start(model)} onCancel={() => void cancel(model)} />
          {pull.status === 'done' && <p className="text-sm text-ink-2">Run it again now.</p>}
        </div>
      )}
    </div>
  );
}

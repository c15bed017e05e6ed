'use client';

import { useState } from 'react';
import { postJson } from '#lib/browser/api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

/** Unloads a model after a stop, because Ollama keeps it in memory for half an hour. */
export function FreeMemory({ model }: { model: string }) {
  const [unloaded, setUnloaded] = useState(false);
  const { busy, problem, run } = useRequest();
  const unload = () =>
    run(async () => {
      await postJson('/api/models/unload', { model });
      setUnloaded(true);
    });
  return (
    <div className="grid justify-items-start gap-2">
      {unloaded ? (
        <p role="status" className="text-sm text-ink-2">
          {model} is no longer in memory.
        </p>
      ) : (
        <Button size="sm" disabled={busy} onClick={() => void unload()}>
          {busy ? 'Unloading' : 'Unload the model'}
        </Button>
      )}
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}

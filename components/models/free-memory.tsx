'use client';

import { useState } from 'react';
import { ApiError, postJson } from '#lib/browser/api.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';

/** Has Ollama give back the memory of a model after a stop: it would keep it for half an hour otherwise. */
export function FreeMemory({ model }: { model: string }) {
  const [state, setState] = useState<'loaded' | 'asked' | 'free'>('loaded');
  const [problem, setProblem] = useState<ApiError>();
  const free = async () => {
    setState('asked');
    setProblem(undefined);
    try {
      await postJson('/api/models/unload', { model });
      setState('free');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setState('loaded');
      setProblem(error);
    }
  };
  return (
    <div className="grid justify-items-start gap-2">
      {state === 'free' ? (
        <p role="status" className="text-sm text-ink-2">
          {model} is out of memory.
        </p>
      ) : (
        <Button size="sm" disabled={state === 'asked'} onClick={() => void free()}>
          {state === 'asked' ? 'Unloading' : 'Free the memory of the model'}
        </Button>
      )}
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}

'use client';

import { type FormEvent, useState } from 'react';
import type { AddedCaseReply, SuiteListReply } from '#lib/api/suite.ts';
import { postJson } from '#lib/browser/api.ts';
import { say } from '#lib/browser/say.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { useWhileMounted } from '../hooks/use-while-mounted.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field } from '../ui/form/fields.tsx';
import { Link } from '../ui/link.tsx';

/** Adds a run's task to a suite as a case. */
export function AddCaseDialog({ runId, onClose }: { runId: string; onClose: () => void }) {
  const { data, error } = useApi<SuiteListReply>('/api/suites');
  const [chosen, setChosen] = useState('');
  const [id, setId] = useState(runId);
  const { busy, problem, run } = useRequest();
  const close = useWhileMounted(onClose);
  const suites = data?.suites ?? [];
  const suiteId = chosen || suites[0]?.id;
  const shown = problem ?? error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (suiteId === undefined) return;
    void run(async () => {
      const reply = await postJson<AddedCaseReply>(`/api/suites/${encodeURIComponent(suiteId)}/cases`, {
        run_id: runId,
        id: id.trim(),
      });
      say(`Added to “${plainVisibleLine(reply.suite.name)}”.`);
      close();
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      keepsOnEscape="typed"
      aria-labelledby="add-case-title"
      className="w-[28rem] border-line-strong"
    >
      <form className="grid gap-4 p-4 sm:p-5" onSubmit={submit}>
        <h2 id="add-case-title" className="text-lg font-semibold tracking-[-0.012em]">
          Add to a suite
        </h2>
        <p className="text-sm text-ink-2">
          The case has the task, the folder, the settings and the checks of this run.
        </p>
        {data && suites.length === 0 && (
          <p>
            There are no suites yet.{' '}
            <Link href="/suites" className="text-brass underline underline-offset-4">
              Create one
            </Link>{' '}
            first.
          </p>
        )}
        {suites.length > 0 && (
          <>
            <Field label="Suite">
              {(props) => (
                <select
                  {...props}
                  className="field max-sm:h-11"
                  value={suiteId}
                  onChange={(event) => setChosen(event.target.value)}
                >
                  {suites.map((suite) => (
                    <option key={suite.id} value={suite.id}>
                      {plainVisibleLine(suite.name)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <Field label="ID of the case">
              {(props) => (
                <input
                  {...props}
                  className="field font-mono text-sm max-sm:h-11"
                  required
                  maxLength={100}
                  autoComplete="off"
                  spellCheck={false}
                  value={id}
                  onChange={(event) => setId(event.target.value)}
                />
              )}
            </Field>
          </>
        )}
        {shown && <ErrorNote error={shown} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button kind="quiet" className="max-sm:h-11" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            kind="primary"
            className="max-sm:h-11"
            disabled={busy || suiteId === undefined || id.trim() === ''}
          >
            Add case
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

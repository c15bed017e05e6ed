'use client';

import { useSearchParams } from 'next/navigation';
import { useState } from 'react';
import type { ModelsReply } from '#lib/api/replies.ts';
import type { ToolCheckProgress, ToolChecksReply } from '#lib/api/tool-check.ts';
import type { ToolsReply } from '#lib/api/tools.ts';
import { postJson } from '#lib/browser/api.ts';
import { keepFocus } from '#lib/browser/focus-soon.ts';
import { canRun, sortedModels } from '#lib/browser/state/models.ts';
import { CUSTOM_GROUP } from '#lib/events/mcp-names.ts';
import { IDLE_MS, RUNNING_MS } from '../hooks/poll-intervals.ts';
import { ON_RETURN, useApi } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Problem } from '../shell/problem.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field } from '../ui/form/fields.tsx';
import { ParentLink } from '../ui/parent-link.tsx';
import { ToolCheckDetails } from './tool-check-details.tsx';
import { ToolCheckTable } from './tool-check-table.tsx';

const groupName = (server: string) => (server === CUSTOM_GROUP ? 'Custom tools' : server);

/** How models call the tools of a server when asked in terms of their names, descriptions and parameters. */
export function ToolChecksPage() {
  const asked = useSearchParams().get('server');
  const { data, error, reload } = useApi<ToolChecksReply>('/api/tool-checks', (last) =>
    last?.current && last.current.ended_at === undefined ? RUNNING_MS : IDLE_MS,
  );
  const tools = useApi<ToolsReply>('/api/tools', ON_RETURN).data;
  const servers = tools?.servers.map(({ server }) => server) ?? [];
  const known = [...new Set([...servers, ...(data?.checks.map(({ server }) => server) ?? [])])];
  const [picked, setPicked] = useState<string>();
  const server = picked ?? asked ?? known[0] ?? '';
  const [opened, setOpened] = useState<string>();
  const checks = data?.checks.filter((check) => check.server === server) ?? [];
  const shown = opened ?? checks[0]?.id;
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <ParentLink href="/tools">Tools</ParentLink>
      <h1 className="mt-1 text-xl font-semibold tracking-[-0.015em]">Tools on local models</h1>
      <p className="mt-1 max-w-read text-ink-2">
        The model is asked to call each tool, in words built from the tool's name, description and parameters,
        with all tools offered. Its calls are compared with the request and never run.
      </p>
      {error && !data && (
        <div className="mt-6">
          <Problem error={error} onRetry={reload} />
        </div>
      )}
      {tools?.problems.map((problem) => (
        <div key={problem.code} className="mt-6">
          <ErrorNote error={problem} />
        </div>
      ))}
      {tools?.problems.length === 0 && known.length === 0 && (
        <p className="mt-6 max-w-read rounded-lg border bg-surface p-4 text-ink-2">
          There are no tools to check. Accept those of a server on the Tools page, or add a custom tool.
        </p>
      )}
      {known.length > 0 && (
        <CheckForm
          servers={known}
          server={server}
          current={data?.current}
          onServer={(chosen) => {
            setPicked(chosen);
            setOpened(undefined);
          }}
          onChange={reload}
        />
      )}
      {checks.length > 0 && <ToolCheckTable checks={checks} shown={shown} onShow={setOpened} />}
      {checks.some(({ id }) => id === shown) && shown !== undefined && (
        <ToolCheckDetails
          key={shown}
          id={shown}
          onRemoved={() => {
            setOpened(undefined);
            reload();
          }}
        />
      )}
    </main>
  );
}

/** The choice of model and tools, and the progress of the check. */
function CheckForm({
  servers,
  server,
  current,
  onServer,
  onChange,
}: {
  servers: readonly string[];
  server: string;
  current: ToolCheckProgress | undefined;
  onServer: (server: string) => void;
  onChange: () => void;
}) {
  const { data } = useApi<ModelsReply>('/api/models');
  const models = sortedModels(data?.models.filter((model) => canRun(model) && !model.demo) ?? []);
  const [picked, setPicked] = useState<string>();
  const model = picked ?? models[0]?.name ?? '';
  const { busy, problem, run } = useRequest();
  const running = current !== undefined && current.ended_at === undefined;
  const post = (path: string, body: { model: string; server: string }) =>
    void run(async () => {
      await postJson(path, body);
      onChange();
    });
  return (
    <section aria-label="Check" className="mt-6 grid gap-3">
      <div className="grid items-end gap-3 sm:grid-cols-[14rem_minmax(0,20rem)_auto]">
        <Field label="Tools of">
          {(props) => (
            <select
              {...props}
              className="field text-sm"
              value={server}
              onChange={(event) => onServer(event.target.value)}
            >
              {servers.map((name) => (
                <option key={name} value={name}>
                  {groupName(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Model">
          {(props) => (
            <select
              {...props}
              className="field text-sm"
              value={model}
              onChange={(event) => setPicked(event.target.value)}
            >
              {models.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Button
          kind="primary"
          className="w-fit"
          disabled={busy || running || model === ''}
          onClick={() => post('/api/tool-checks', { model, server })}
        >
          Check
        </Button>
      </div>
      {problem && <ErrorNote error={problem} />}
      {current && (
        <Progress
          current={current}
          onStop={() => post('/api/tool-checks/stop', { model: current.model, server: current.server })}
        />
      )}
    </section>
  );
}

function Progress({ current, onStop }: { current: ToolCheckProgress; onStop: () => void }) {
  const { model, server, status, position, done, total, right, error, ended_at } = current;
  if (status === 'done') return null;
  const words = {
    waiting: position === undefined ? 'is queued' : `is queued at position ${position}`,
    loading: 'is being loaded',
    probing: 'is being checked',
    failed: 'could not be checked',
    stopped: 'was stopped',
    done: '',
  }[status];
  return (
    <div ref={keepFocus} className="min-w-0 rounded-md border bg-surface px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="tnum" tabIndex={-1}>
          {/* Without the counts, which would be spoken with each answer. */}
          <span role="status">
            <b className="font-medium">{model}</b>, {groupName(server)}: {words}
          </span>
          {status === 'probing' && `, ${done} of ${total} answered, ${right} right`}.
        </span>
        {ended_at === undefined && (
          <Button size="sm" kind="quiet" className="ml-auto max-sm:h-11" onClick={onStop}>
            Stop
          </Button>
        )}
      </div>
      {error && (
        <div className="mt-2">
          <ErrorNote error={error} />
        </div>
      )}
    </div>
  );
}

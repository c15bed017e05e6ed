'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { SuiteListReply, SuiteRecord, SuiteReply } from '#lib/api/suite.ts';
import { postJson } from '#lib/browser/api.ts';
import type { WrittenCase } from '#lib/browser/drafts/case-draft.ts';
import { keepText } from '#lib/browser/drafts/kept-text.ts';
import { formatWhen, plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { useKeptText } from '../hooks/use-kept-text.ts';
import { useNow } from '../hooks/use-now.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { ListPage } from '../shell/list-page.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { CaseDialog } from './case-dialog.tsx';
import { ImportSuite } from './import-suite.tsx';

/** The suites, and ways to add one. */
export function SuitesPage() {
  const { data, error, reload } = useApi<SuiteListReply>('/api/suites', 10_000);
  const [opened, setOpened] = useState<'import' | 'new'>();
  const { busy, problem, setProblem, run } = useRequest();
  const router = useRouter();
  const open = (next: typeof opened) => {
    setProblem(undefined);
    setOpened(next);
  };
  const create = (body: unknown) =>
    run(async () => {
      const { suite } = await postJson<SuiteReply>('/api/suites', body);
      router.push(`/suites/${encodeURIComponent(suite.id)}`);
      return LEAVING;
    });
  const missing = data?.shipped.filter(({ title }) => !data.suites.some(({ name }) => name === title)) ?? [];
  return (
    <ListPage
      title="Suites"
      about="Cases to test models on: each has a task, its files, and what the result must be."
      actions={
        <>
          <Button
            size="sm"
            className="max-sm:h-11"
            aria-expanded={opened === 'import'}
            onClick={() => open(opened === 'import' ? undefined : 'import')}
          >
            Import
          </Button>
          <Button size="sm" className="max-sm:h-11" onClick={() => open('new')}>
            New suite
          </Button>
        </>
      }
      loading={!data && !error}
      error={!data && error}
      onRetry={reload}
    >
      {problem && opened !== 'new' && (
        <div className="mt-6">
          <ErrorNote error={problem} />
        </div>
      )}
      {opened === 'import' && <ImportSuite busy={busy} onImport={create} />}
      {data && data.suites.length > 0 && (
        <ul className="mt-6 divide-y border-y">
          {data.suites.map((suite) => (
            <li key={suite.id}>
              <SuiteLine suite={suite} />
            </li>
          ))}
        </ul>
      )}
      {missing.map(({ name, title, description }) => (
        <section key={name} aria-label={title} className="mt-6 rounded-lg border bg-surface p-4">
          <h2 className="font-semibold">{title}</h2>
          <p className="mt-1 max-w-read text-ink-2">{description}</p>
          <Button
            className="mt-3 max-sm:h-11"
            size="sm"
            disabled={busy}
            onClick={() => void create({ shipped: name })}
          >
            Add {title}
          </Button>
        </section>
      ))}
      {/* Not shown before the suites, which would push it down. */}
      <section
        hidden={!data && !error}
        aria-label="Function calling"
        className="mt-6 rounded-lg border bg-surface p-4"
      >
        <h2 className="font-semibold">Function calling</h2>
        <p className="mt-1 max-w-read text-ink-2">
          Cases from the Berkeley Function Calling Leaderboard, judged by its rules: by native calls alone,
          and with the calls that Loupe finds in the text.
        </p>
        <Link href="/benchmarks" className={buttonClass('plain', 'sm', 'mt-3 max-sm:h-11')}>
          Open benchmarks
        </Link>
      </section>
      {opened === 'new' && (
        <NewSuite
          busy={busy}
          problem={problem}
          onClose={() => open(undefined)}
          onSave={(name, one) => create({ suite: { name, cases: [one] } })}
        />
      )}
    </ListPage>
  );
}

function SuiteLine({ suite }: { suite: SuiteRecord }) {
  const now = useNow();
  return (
    <Link
      href={`/suites/${encodeURIComponent(suite.id)}`}
      className="group -mx-3 grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1 rounded-md px-3 py-3 hover:bg-surface"
    >
      <span className="foreign min-w-0 font-medium group-hover:text-brass">
        <ShortName text={suite.name} />
      </span>
      <span className="tnum text-right font-mono text-xs text-ink-3" suppressHydrationWarning>
        {plural(suite.cases, 'case')} · {formatWhen(suite.updated_at, now)}
      </span>
      {suite.description !== '' && (
        <span
          className="foreign col-span-2 line-clamp-2 text-sm text-ink-3"
          title={plainVisibleLine(suite.description)}
        >
          <ForeignText text={suite.description} />
        </span>
      )}
    </Link>
  );
}

const KEPT_NAME = 'new-suite.name';

/** A suite begins with its name and its first case. */
function NewSuite({
  busy,
  problem,
  onClose,
  onSave,
}: {
  busy: boolean;
  problem: { message: string; hint?: string } | undefined;
  onClose: () => void;
  onSave: (name: string, one: WrittenCase) => Promise<boolean>;
}) {
  const [name, setName] = useKeptText(KEPT_NAME);
  const forget = () => keepText(KEPT_NAME, '');
  return (
    <CaseDialog
      title="New suite"
      save="Create suite"
      busy={busy}
      problem={problem}
      keptAs="new-suite"
      suiteName={{ value: name, onChange: setName }}
      onClose={() => {
        forget();
        onClose();
      }}
      onSave={async (one) => {
        const created = await onSave(name, one);
        if (created) forget();
        return created;
      }}
    />
  );
}

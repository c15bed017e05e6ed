'use client';

import { useState } from 'react';
import type { SuiteCase, SuiteReply } from '#lib/api/suite.ts';
import { putJson } from '#lib/browser/api.ts';
import {
  type CaseDraft,
  duplicateOf,
  EMPTY_CASE,
  matchingCases,
  type WrittenCase,
  withCase,
} from '#lib/browser/drafts/case-draft.ts';
import { plural } from '#lib/browser/words/format.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { useApi } from '../hooks/use-api.ts';
import { usePageTitle } from '../hooks/use-page-title.ts';
import { type RequestProblem, useRequest } from '../hooks/use-request.ts';
import { UnreadPage } from '../shell/unread-page.tsx';
import { Button, buttonClass } from '../ui/button.tsx';
import { DownloadLink } from '../ui/download-link.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { Menu, menuItem } from '../ui/menu.tsx';
import { ParentLink } from '../ui/parent-link.tsx';
import { CaseDialog } from './case-dialog.tsx';
import { CaseTable } from './case-table.tsx';
import { HistoryPlot } from './history-plot.tsx';
import { SuiteMenu } from './suite-menu.tsx';
import { VersionList } from './version-list.tsx';

const FORMATS = [
  { format: 'yaml', label: 'YAML' },
  { format: 'jsonl', label: 'JSON Lines' },
  { format: 'json', label: 'JSON' },
];

/** A case that is edited, or the content of a new one. */
type Edited = { before: SuiteCase } | { draft: CaseDraft; like?: SuiteCase };

/** The cases of a suite, and what can be done with them. */
export function SuitePage({ suiteId }: { suiteId: string }) {
  const path = `/api/suites/${encodeURIComponent(suiteId)}`;
  const { data, error, reload } = useApi<SuiteReply>(path);
  usePageTitle(data && `${plainVisibleLine(data.suite.name)} · Loupe`);
  if (!data)
    return <UnreadPage title="Suite" error={error} onRetry={reload} href="/suites" back="All suites" />;
  return <LoadedSuite path={path} data={data} reload={reload} />;
}

function LoadedSuite({
  path,
  data,
  reload,
}: {
  path: string;
  data: SuiteReply;
  reload: () => Promise<void>;
}) {
  const { suite, cases, versions } = data;
  const { busy, problem, setProblem, run } = useRequest();
  const [edited, setEdited] = useState<Edited>();
  const [filter, setFilter] = useState({ text: '', tag: '' });
  const ids = cases.map(({ id }) => id);
  const put = (changed: readonly (SuiteCase | WrittenCase)[]) =>
    run(async () => {
      const { name, description } = suite;
      const body = { suite: { name, description, cases: changed }, base: suite.hash };
      try {
        await putJson<SuiteReply>(path, body);
      } finally {
        // The next change is made in the new version. Also after a refusal: another tab may have changed the suite.
        await reload();
      }
    });
  const open = (next: Edited | undefined) => {
    setProblem(undefined);
    setEdited(next);
  };
  const before = edited && 'before' in edited ? edited.before : undefined;
  const save = async (one: WrittenCase) => {
    const isSaved = await put(withCase(cases, one, before));
    // Another case may have been opened in the meantime.
    if (isSaved) setEdited((now) => (now === edited ? undefined : now));
    return isSaved;
  };
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-8 sm:px-6">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <ParentLink href="/suites">Suites</ParentLink>
          <h1 className="foreign mt-1 text-xl font-semibold tracking-[-0.015em]">
            <ForeignName text={suite.name} />
          </h1>
          {suite.description !== '' && (
            <p className="foreign mt-1 max-w-read text-ink-2">
              <ForeignText text={suite.description} />
            </p>
          )}
          <p className="tnum mt-1 text-sm text-ink-3">
            {plural(cases.length, 'case')} · version <code title={suite.hash}>{suite.hash.slice(0, 12)}</code>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Link
            className={buttonClass('primary', 'sm', 'max-sm:h-11')}
            href={`/experiments?suite=${encodeURIComponent(suite.id)}`}
          >
            Run
          </Link>
          <Button size="sm" className="max-sm:h-11" onClick={() => open({ draft: EMPTY_CASE })}>
            Add case
          </Button>
          <Menu label="Export">
            {FORMATS.map(({ format, label }) => (
              <DownloadLink key={format} href={`${path}/file?format=${format}`} className={menuItem}>
                {label}
              </DownloadLink>
            ))}
          </Menu>
          <SuiteMenu path={path} />
        </div>
      </div>
      {problem && !edited && (
        <div className="mt-4">
          <ErrorNote error={problem} />
        </div>
      )}
      <CaseTable
        cases={cases}
        shown={matchingCases(cases, filter)}
        filter={filter}
        busy={busy}
        onFilter={setFilter}
        onEdit={(before) => open({ before })}
        onDuplicate={(one) => open(duplicateOf(one, ids))}
        onDelete={(one) => void put(cases.filter((each) => each.id !== one.id))}
      />
      <HistoryPlot suiteId={suite.id} />
      <VersionList path={path} versions={versions} current={suite.hash} />
      {edited && (
        <CaseDialog
          {...edited}
          title={'before' in edited ? 'Edit case' : 'New case'}
          save="Save case"
          busy={busy}
          problem={problem?.code === 'suite_changed' ? changedMeanwhile(problem, before, cases) : problem}
          keptAs={`case.${suite.id}.${before?.id ?? (edited && 'like' in edited ? `like.${edited.like?.id}` : '')}`}
          onSave={save}
          onClose={() => open(undefined)}
        />
      )}
    </main>
  );
}

/** What to do when another tab has saved the suite: this page has read it again, and the typed case is still there. */
function changedMeanwhile(
  { message }: RequestProblem,
  before: SuiteCase | undefined,
  cases: readonly SuiteCase[],
): RequestProblem {
  const now = before && cases.find(({ id }) => id === before.id);
  const isSame = JSON.stringify(now) === JSON.stringify(before);
  return {
    message,
    hint: isSame
      ? 'Save again to make your change in the new version.'
      : 'This case was changed, too. Save again to replace it with yours.',
  };
}
